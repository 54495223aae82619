import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { bundleForNode } from '../../../../.scripts/steps.mjs';
import { lookAtDirectory } from '../../../../workers/store/directory/store.ts';
import { valueOf } from '../store-suite.ts';

/** A lock is free when it was not renewed for this time: long enough for a busy machine to renew it. */
const ENDED_MS = 3_000;
const UNSHARE = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** The same process numbers, and a machine that has run for longer. */
const LONGER = ['unshare', '--user', '--map-root-user', '--time', '--boottime', '1000', '--fork', '--kill-child'];
const isThere = ([program = '', ...words]: readonly string[]): boolean =>
  spawnSync(program, [...words, 'true']).status === 0;
const hasNamespaces = isThere(UNSHARE);

let child: Awaited<ReturnType<typeof bundleForNode>>;
let directory: string;
const processes: ChildProcessWithoutNullStreams[] = [];
beforeAll(async () => {
  child = await bundleForNode('test/workers/store/directory/other-process.ts');
});
afterAll(() => child.remove());
afterEach(() => {
  for (const each of processes.splice(0)) each.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

const newDirectory = () => (directory = mkdtempSync(join(tmpdir(), 'sallyport-two-')));

/** Starts a process over the directory that writes the run of this number. `space` is its place, or absent for its own. */
function start(number: number, space = '', command: readonly string[] = []) {
  const [program, ...rest] = [...command, process.execPath, child.file];
  const started = spawn(program, [...rest, directory, String(number), String(ENDED_MS), space]);
  processes.push(started);
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
  const said = async (): Promise<string> => ((await lines.next()) as { value: string }).value;
  return {
    said,
    append: () => {
      started.stdin.write('append\n');
      return said();
    },
    close: async () => {
      started.stdin.write('close\n');
      await once(started, 'exit');
    },
    signal: (name: NodeJS.Signals) => started.kill(name),
  };
}

/** Tries to open the directory from a place until it is open. Returns the process and the refusals before. */
async function opened(number: number, space: string) {
  const refused = new Set<string>();
  for (;;) {
    const next = start(number, space);
    const said = await next.said();
    if (said === 'opened') return { next, refused: [...refused] };
    refused.add(said);
  }
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function recordsOf(): Promise<number> {
  const store = valueOf(lookAtDirectory(directory));
  const batches = valueOf(await store.log(0, 1_000));
  let size = 0;
  for (const { seq, records } of batches) {
    expect(seq).toBe(size);
    size += records.length;
  }
  return size;
}

test.runIf(hasNamespaces)('of two namespaces at once, each with a process 1, one has the directory', async () => {
  newDirectory();
  const first = start(1, '', UNSHARE);
  expect(await first.said()).toBe('opened');
  expect(await first.append()).toBe('appended');
  expect(await start(2, '', UNSHARE).said()).toBe('store_locked');
  await later(ENDED_MS + 500);
  expect(await start(2, '', UNSHARE).said()).toBe('store_locked');
  expect(await first.append()).toBe('appended');
  await first.close();
  const second = start(2, '', UNSHARE);
  expect(await second.said()).toBe('opened');
  expect(await second.append()).toBe('appended');
  await second.close();
  expect(await recordsOf()).toBeGreaterThan(2);
});

test.runIf(isThere(LONGER))('a process that reads other start times finds a living process alive', async () => {
  newDirectory();
  const first = start(1);
  expect([await first.said(), await first.append()]).toEqual(['opened', 'appended']);
  expect(await start(2, '', LONGER).said()).toBe('store_locked');
  expect(await first.append()).toBe('appended');
  await first.close();
});

test('a process that was killed in one namespace keeps the next one waiting, and not for good', async () => {
  newDirectory();
  const first = start(1, 'pid:[1]');
  expect([await first.said(), await first.append()]).toEqual(['opened', 'appended']);
  const before = await new Promise<number>((resolve) => {
    first.signal('SIGKILL');
    resolve(Date.now());
  });
  const { next, refused } = await opened(2, 'pid:[2]');
  expect(refused).toEqual(['store_locked']);
  expect(Date.now() - before).toBeGreaterThan(ENDED_MS - 500);
  expect(await next.append()).toBe('appended');
  await next.close();
  expect(await recordsOf()).toBeGreaterThan(1);
});

test('a process that was stopped for too long wakes up without its directory', async () => {
  newDirectory();
  const first = start(1, 'pid:[1]');
  expect([await first.said(), await first.append()]).toEqual(['opened', 'appended']);
  first.signal('SIGSTOP');
  const { next } = await opened(2, 'pid:[2]');
  expect(await next.append()).toBe('appended');
  first.signal('SIGCONT');
  expect(await first.append()).toBe('store_lost');
  expect(await next.append()).toBe('appended');
  await first.close();
  expect(await next.append()).toBe('appended');
  await next.close();
  expect(await recordsOf()).toBeGreaterThan(3);
});
