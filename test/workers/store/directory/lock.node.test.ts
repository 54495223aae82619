import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Outcome } from '../../../../core/outcome.ts';
import { openFile, replaceFile } from '../../../../workers/store/directory/file.ts';
import { type DirectoryLock, lockDirectory, type ProcessPlace } from '../../../../workers/store/directory/lock.ts';
import { DirectoryLog } from '../../../../workers/store/directory/log.ts';
import { lookAtDirectory, openDirectoryStore } from '../../../../workers/store/directory/store.ts';
import { encodeFrame } from '../../../../workers/store/journal/frame.ts';
import type { LedgerStore } from '../../../../workers/store/store.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';

const base = mkdtempSync(join(tmpdir(), 'sallyport-lock-'));
let places = 0;
let directory: string;
const pathOf = () => join(directory, 'lock');
beforeEach(() => {
  directory = mkdtempSync(join(base, `place-${places++}-`));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Long, so that only a test renews a lock. */
const times = { renewMs: 1_000_000, lookMs: 0, endedMs: 30_000 };
const HERE: ProcessPlace = { host: 'web-1 m', boot: 'b1', space: 'pid:[1]', time: 'time:[1]' };
const lock = (place = HERE) => lockDirectory(directory, { times, place });

/** Writes the lock that a process at this place has, with other members, renewed that long ago. */
function writeLock(members: object, ms = 0, place = HERE): void {
  valueOf(lock(place)).release();
  const held = valueOf(lock(place));
  const text = readFileSync(pathOf(), 'utf8');
  held.release();
  writeFileSync(pathOf(), JSON.stringify({ ...(JSON.parse(text) as object), ...members }));
  renewed(ms);
}

function renewed(msAgo: number): void {
  const then = new Date(Date.now() - msAgo);
  utimesSync(pathOf(), then, then);
}

const isFree = (): boolean => {
  const found = lock();
  if (found.ok) found.value.release();
  return found.ok;
};

describe('the lock of a process in the same place', () => {
  test('keeps the directory while the process lives, however old the lock is', () => {
    // The parent process is certainly alive.
    writeLock({ pid: process.ppid, began: undefined }, 1_000_000);
    expect(lock()).toMatchObject({ ok: false, refusal: { code: 'store_locked', details: { pid: process.ppid } } });
  });

  test.each([
    ['whose number nobody has', { pid: 2 ** 30 }],
    ['whose number another one has since', { pid: process.ppid, began: '1' }],
  ])('is free behind a process %s', (_title, members) => {
    writeLock(members);
    expect(valueOf(lock())).toMatchObject({ isTimedOut: false });
  });
});

const NAMELESS: ProcessPlace = { host: 'web-1' };
const hasContainers = process.platform === 'linux';

test.runIf(hasContainers)('on a Linux that tells no start, a lock of the same name keeps the directory', () => {
  writeLock({ pid: 2 ** 30 }, 29_000, NAMELESS);
  expect(lock(NAMELESS)).toMatchObject({ ok: false, refusal: { code: 'store_locked' } });
  renewed(30_100);
  expect(valueOf(lock(NAMELESS))).toMatchObject({ isTimedOut: true });
});

test.skipIf(hasContainers)('on a system that tells no start, the owner of the same name may live on', () => {
  writeLock({ pid: 2 ** 30 }, 0, NAMELESS);
  expect(valueOf(lock(NAMELESS))).toMatchObject({ isTimedOut: true });
});

describe('the lock of a process that cannot be seen from here', () => {
  test.each([
    ['in another namespace', { ...HERE, space: 'pid:[2]' }],
    ['in another namespace of times', { ...HERE, time: 'time:[2]' }],
    ['before another start of a machine of the same name', { ...HERE, boot: 'b0' }],
    ['on another machine', { ...HERE, host: 'web-2 n', boot: 'b2' }],
    ['on another machine with the same start', { ...HERE, host: 'web-2 n' }],
    ['on a system that tells no start', { host: 'web-1 m' }],
  ])('keeps the directory for 30 seconds after its last renewal: %s', (_title, place) => {
    writeLock({}, 29_000, place);
    const [host] = place.host.split(' ');
    const details = { pid: process.pid, host };
    expect(lock()).toMatchObject({ ok: false, refusal: { code: 'store_locked', details } });
    renewed(30_100);
    expect(valueOf(lock())).toMatchObject({ isTimedOut: true });
  });

  test('is free where its time is far in the future: a clock was set back', () => {
    writeLock({}, -1_000_000, { ...HERE, space: 'pid:[2]' });
    expect(isFree()).toBe(true);
  });

  test('keeps the directory for readers, too', async () => {
    await valueOf(openDirectoryStore(directory)).close();
    writeLock({}, 0, { ...HERE, space: 'pid:[2]' });
    expect(lookAtDirectory(directory)).toMatchObject({ ok: false, refusal: { code: 'store_locked' } });
    renewed(31_000);
    expect(lookAtDirectory(directory)).toMatchObject({ ok: true });
  });

  test('that is not whole keeps the directory for 30 seconds', () => {
    writeFileSync(pathOf(), '{"pid":');
    expect(lock()).toMatchObject({ ok: false, refusal: { details: { lock: 'not whole' } } });
    renewed(31_000);
    expect(isFree()).toBe(true);
  });
});

describe('an owner', () => {
  const there = { ...HERE, space: 'pid:[2]' };

  test('renews its lock when it looks at it, and removes it at the end', () => {
    const held = valueOf(lock());
    renewed(31_000);
    expect(held.check()).toEqual({ ok: true, value: undefined });
    expect(lock(there)).toMatchObject({ ok: false, refusal: { code: 'store_locked' } });
    held.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  test('finds its lock taken, acknowledges nothing more, and leaves the lock to the other owner', () => {
    const held = valueOf(lock());
    renewed(31_000);
    const other = valueOf(lock(there));
    expect(held.check()).toMatchObject({ ok: false, refusal: { code: 'store_lost' } });
    expect(other.check()).toMatchObject({ ok: true });
    held.release();
    expect(existsSync(pathOf())).toBe(true);
    other.release();
    expect(held.check()).toMatchObject({ ok: false, refusal: { code: 'store_lost' } });
  });

  test('finds its lock gone', () => {
    const held = valueOf(lock());
    rmSync(pathOf());
    expect(held.check()).toMatchObject({ ok: false, refusal: { code: 'store_lost' } });
  });

  test('looks again only where its last look is too old', () => {
    const held = valueOf(lockDirectory(directory, { times: { ...times, lookMs: 60_000 }, place: HERE }));
    rmSync(pathOf());
    expect(held.check()).toMatchObject({ ok: true });
    expect(held.check('now')).toMatchObject({ ok: false, refusal: { code: 'store_lost' } });
  });

  test('renews its lock by itself', async () => {
    const held = valueOf(lockDirectory(directory, { times: { ...times, renewMs: 10 }, place: HERE }));
    renewed(31_000);
    await expect.poll(() => lock(there).ok).toBe(false);
    held.release();
  });
});

/** A store, or the log below it. */
interface Appending {
  append(...given: Parameters<LedgerStore['append']>): Promise<Outcome<unknown>>;
}

const run = sampleRun(1, 3, false);
const [first, second] = [sampleRun(2, 1, false), sampleRun(3, 1, false)];
const journal = () => join(directory, 'ledger.journal');

async function append(store: Appending, { run_id, batches }: typeof run, from = 0): Promise<unknown[]> {
  const said: unknown[] = [];
  for (const batch of batches.slice(from, from + 1)) {
    const done = await store.append({ run_id, ...batch }, 'strict');
    said.push(done.ok || done.refusal.code);
  }
  return said;
}

test('a log whose lock was taken over writes to no file of the new owner, and ends with store_lost', async () => {
  const openLog = (held: DirectoryLock) => {
    const rewrite = (fill: Parameters<typeof replaceFile>[1], close: () => void) => replaceFile(journal(), fill, close);
    return valueOf(DirectoryLog.open(openFile(journal()), rewrite, undefined, held));
  };
  const held = valueOf(lock());
  const old = openLog({ ...held, check: () => ({ ok: true, value: undefined }) });
  expect(await append(old, run)).toEqual([true]);
  renewed(31_000);
  const other = valueOf(lock({ ...HERE, space: 'pid:[2]' }));
  const next = openLog(other);
  // this owner was stopped between its look and its write
  expect(await append(old, first)).toEqual([true]);
  expect(await append(next, second)).toEqual([true]);
  // and this one looks before it writes
  const late = openLog(held);
  expect(await append(late, first)).toEqual(['store_lost']);
  await Promise.all([old.close(), next.close(), late.close()]);
  const again = valueOf(DirectoryLog.open(openFile(journal()), () => openFile(journal())));
  expect([...again.contents.rows.keys()].toSorted()).toEqual([run.run_id, second.run_id].toSorted());
  await again.close();
});

test('a log with two batches at one place is refused, and stays as it is', async () => {
  const store = valueOf(openDirectoryStore(directory));
  await append(store, run);
  await store.close();
  const before = readFileSync(journal());
  const other = join(base, 'other');
  const twin = valueOf(openDirectoryStore(other));
  await append(twin, first);
  const [batch] = valueOf(await twin.log(0, 1));
  await twin.close();
  const frame = batch && encodeFrame({ batch, tables: [] });
  writeFileSync(journal(), Buffer.concat([before, frame ?? new Uint8Array()]));
  const overlapping = readFileSync(journal());
  expect(openDirectoryStore(directory)).toMatchObject({ ok: false, refusal: { code: 'store_damaged' } });
  expect(readFileSync(journal())).toEqual(overlapping);
  expect(existsSync(pathOf())).toBe(false);
});
