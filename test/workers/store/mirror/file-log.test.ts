import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { refuse } from '../../../../core/errors.ts';
import { hashText } from '../../../../core/hash.ts';
import { extend, headAfter, type Link, NO_RECORDS } from '../../../../core/ledger/chain.ts';
import { rootOf } from '../../../../core/ledger/tree.ts';
import { pass } from '../../../../core/outcome.ts';
import { batchName } from '../../../../workers/store/journal/compaction.ts';
import { fillFromFiles } from '../../../../workers/store/mirror/compare.ts';
import { FileLog } from '../../../../workers/store/mirror/file-log.ts';
import type { FillClock } from '../../../../workers/store/mirror/fill-queue.ts';
import { FILLING, type LogIndex } from '../../../../workers/store/mirror/log-index.ts';
import type { Append, Batch, Durability } from '../../../../workers/store/store.ts';
import type { TableWrite } from '../../../../workers/store/tables.ts';
import { payload, runId } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';
import { type Life, MemoryDisk } from './memory-files.ts';

/** Clock that moves only by `tick`. */
function fakeClock() {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly act: () => void }>();
  const clock: FillClock = {
    now: () => now,
    after(ms, act) {
      const timer = { at: now + ms, act };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  const tick = (ms: number): void => {
    now += ms;
    for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.act();
  };
  return { clock, tick };
}

/** A kernel on a disk in memory. */
interface Kernel {
  readonly log: FileLog;
  readonly life: Life;
  readonly tick: (ms: number) => void;
}

/** Bytes of a page in a model: a few batches. */
const SMALL_PAGE = 2_000;

async function openKernel(
  disk: MemoryDisk,
  seen?: { size: number; root: string },
  { pageBytes = 4 << 20, life = { isDead: false } }: { pageBytes?: number; life?: Life } = {},
) {
  const { clock, tick } = fakeClock();
  const events = { onPlaced: () => undefined, onLost: async () => await read() };
  const log: FileLog = new FileLog(1, disk.folder(life), disk.index(life), events, { clock, pageBytes });
  const read = async () => {
    log.reset();
    const found = await fillFromFiles(log, seen);
    return found.ok ? log.claim() : found;
  };
  const found = valueOf(await fillFromFiles(log, seen));
  valueOf(await log.claim());
  const kernel: Kernel = { log, life, tick };
  return { kernel, event: found.event?.event };
}

let made = 0;
function appendTo(run: number, known: readonly Link[], records: number): Append {
  const run_id = runId(run);
  const links: Link[] = [];
  const last = known.at(-1)?.record;
  const expected = last === undefined ? NO_RECORDS : headAfter(last);
  let head = expected;
  for (let nth = 0; nth < records; nth++) {
    const reason = { sha256: payload(`record ${made++}`).sha256, bytes: 1 };
    const link = extend(head, { kind: 'state', body: { event: 'resumed', reason } }, { run_id, epoch: 1, at: 1 });
    links.push(link);
    head = headAfter(link.record);
  }
  return { run_id, expected, records: links, payloads: [] };
}

async function turns(count: number): Promise<void> {
  for (let nth = 0; nth < count; nth++) await Promise.resolve();
}

/** Two kernels, and what they have acknowledged and told. */
class Model {
  readonly disk = new MemoryDisk();
  readonly runs = new Map<number, Link[]>();
  /** For each run, the records that a power cut cannot take. */
  readonly sure = new Map<number, number>();
  readonly told: { readonly size: number; readonly root: string }[] = [];
  private readonly owner = new Map<number, Kernel>();
  private readonly pageBytes: number | undefined;
  kernels: Kernel[] = [];

  constructor(pageBytes?: number) {
    this.pageBytes = pageBytes;
  }

  async open(): Promise<Kernel> {
    const { pageBytes } = this;
    const { kernel, event } = await openKernel(
      this.disk,
      this.told.at(-1),
      pageBytes === undefined ? {} : { pageBytes },
    );
    expect(event ?? 'good').not.toBe('lost');
    return kernel;
  }

  private async take(kernel: Kernel, run: number): Promise<void> {
    const before = this.owner.get(run);
    if (before === kernel) return;
    if (before !== undefined && !before.life.isDead) valueOf(await before.log.queue.settle());
    this.owner.set(run, kernel);
    valueOf(await kernel.log.take(runId(run)));
  }

  async append(
    kernel: Kernel,
    run: number,
    records: number,
    durability: Durability,
    tables: readonly TableWrite[] = [],
  ): Promise<void> {
    await this.take(kernel, run);
    const known = this.runs.get(run) ?? [];
    const append = { ...appendTo(run, known, records), tables };
    valueOf(await kernel.log.append(append, durability));
    this.runs.set(run, [...known, ...append.records]);
    if (durability === 'strict') this.sure.set(run, known.length + records);
  }

  /** Kills a kernel while it appends, and opens another; the append is there as a whole or not at all. */
  async crash(at: number, run: number, wait: number): Promise<void> {
    const kernel = this.kernels[at] as Kernel;
    await this.take(kernel, run);
    const known = this.runs.get(run) ?? [];
    const append = appendTo(run, known, 2);
    void kernel.log.append(append, 'strict').catch(() => undefined);
    await turns(wait);
    this.disk.kill(kernel.life);
    this.kernels[at] = await this.open();
    const found = await this.recordsOf(this.kernels[at] as Kernel, run);
    this.runs.set(run, found > known.length ? [...known, ...append.records] : known);
  }

  async tell(kernel: Kernel): Promise<void> {
    valueOf(await kernel.log.gather());
    const log = valueOf(await kernel.log.note());
    this.told.push({ size: log.size, root: hashText(rootOf(log)) });
  }

  async reopen(act: () => void): Promise<void> {
    for (const { life } of this.kernels) this.disk.kill(life);
    act();
    this.kernels = [await this.open(), await this.open()];
  }

  async recordsOf({ log }: Kernel, run: number): Promise<number> {
    return valueOf(await log.index.run(runId(run)))?.records ?? 0;
  }

  /** After a power cut the unflushed ends may be gone. */
  async cutPower(keep: number, names: boolean): Promise<void> {
    await this.reopen(() => this.disk.cutPower(keep, names));
    for (const [run, links] of this.runs) {
      const found = await this.recordsOf(this.kernels[0] as Kernel, run);
      expect(found).toBeGreaterThanOrEqual(this.sure.get(run) ?? 0);
      this.runs.set(run, links.slice(0, found));
    }
  }

  /** Every acknowledged record is in the index, in its run's order, and every told log is its beginning. */
  async check(): Promise<void> {
    await this.reopen(() => undefined);
    const { batches } = this.disk.state;
    for (const [run, links] of this.runs) {
      const texts = batches.filter(({ run_id }) => run_id === runId(run)).flatMap(({ records }) => records);
      expect(texts).toEqual(links.map(({ text }) => text));
    }
    for (const { size, root } of this.told) {
      const log = batches.find(({ after }) => after.log.size === size)?.after.log;
      expect(size === 0 || (log && hashText(rootOf(log)))).toBe(size === 0 || root);
    }
  }
}

type Action =
  | {
      readonly do: 'append';
      readonly tab: number;
      readonly run: number;
      readonly records: number;
      readonly strict: boolean;
    }
  | { readonly do: 'crash'; readonly tab: number; readonly run: number; readonly wait: number }
  | { readonly do: 'tick' | 'tell'; readonly tab: number }
  | { readonly do: 'wipe' }
  | { readonly do: 'power'; readonly keep: number; readonly names: boolean };

const [tab, run] = [fc.integer({ min: 0, max: 1 }), fc.integer({ min: 1, max: 3 })];
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      tab,
      run,
      records: fc.integer({ min: 1, max: 3 }),
      strict: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), tab, run, wait: fc.nat(80) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('tick' as const), tab }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('tell' as const), tab }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wipe' as const) }) },
);
const power = fc.record({
  do: fc.constant('power' as const),
  keep: fc.double({ min: 0, max: 1, noNaN: true }),
  names: fc.boolean(),
});

async function play(actions: readonly Action[], pageBytes?: number): Promise<void> {
  const model = new Model(pageBytes);
  model.kernels = [await model.open(), await model.open()];
  for (const step of actions) {
    const kernel = 'tab' in step ? (model.kernels[step.tab] as Kernel) : undefined;
    if (step.do === 'wipe') await model.reopen(() => model.disk.wipe());
    else if (step.do === 'power') await model.cutPower(step.keep, step.names);
    else if (step.do === 'crash') await model.crash(step.tab, step.run, step.wait);
    else if (kernel === undefined) continue;
    else if (step.do === 'append')
      await model.append(kernel, step.run, step.records, step.strict ? 'strict' : 'relaxed');
    else if (step.do === 'tell') await model.tell(kernel);
    else kernel.tick(30);
    await turns(5);
  }
  await model.check();
}

describe('the log in private files', () => {
  test('keeps every acknowledged record and every told root over crashes and wiped databases', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), (actions) => play(actions)),
      { numRuns: 200 },
    );
  });

  test('keeps every flushed record and every told root over power cuts', async () => {
    const cut = fc.oneof(
      { weight: 8, arbitrary: action.filter((each) => each.do !== 'wipe') },
      { weight: 1, arbitrary: power },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { maxLength: 40 }), (actions) => play(actions)),
      { numRuns: 200 },
    );
  });

  test('keeps every acknowledged record where an index is filled page by page', async () => {
    const playSmall = (actions: readonly Action[]) => play(actions, SMALL_PAGE);
    await fc.assert(fc.asyncProperty(fc.array(action, { maxLength: 40 }), playSmall), { numRuns: 200 });
  });

  test('a fill page by page that stops between any two acts is finished by the next opening', async () => {
    const { disk, rows, batches } = await ledgerWithRows();
    for (let wait = 0; wait < 400; wait += 3) {
      disk.wipe();
      const life: Life = { isDead: false };
      void openKernel(disk, undefined, { pageBytes: SMALL_PAGE, life }).catch(() => undefined);
      await turns(wait);
      disk.kill(life);
      const { kernel } = await openKernel(disk, undefined, { pageBytes: SMALL_PAGE });
      expect(disk.state.batches.map(batchName), `stopped after ${wait} turns`).toEqual(batches);
      expect(Object.fromEntries(disk.state.rows), `stopped after ${wait} turns`).toEqual(rows);
      expect(disk.state.offsets.has(FILLING)).toBe(false);
      await kernel.log.close();
      disk.kill(kernel.life);
    }
  });

  test('no transaction of a fill takes in much more than a page, and the fill tells its share', async () => {
    const { disk } = await ledgerWithRows();
    disk.wipe();
    const life: Life = { isDead: false };
    const index = disk.index(life);
    const [sizes, shares]: [number[], number[]] = [[], []];
    const place: LogIndex['place'] = (waiting, options) => {
      sizes.push(JSON.stringify(waiting).length);
      return index.place(waiting, options);
    };
    const log = new FileLog(
      1,
      disk.folder(life),
      { ...index, place },
      { onPlaced: () => undefined, onLost: async () => pass(undefined), onShare: (share) => shares.push(share) },
      { pageBytes: SMALL_PAGE },
    );
    valueOf(await fillFromFiles(log, undefined));
    expect(sizes.length).toBeGreaterThan(10);
    expect(Math.max(...sizes)).toBeLessThan(4 * SMALL_PAGE);
    expect(shares).toEqual(shares.toSorted((one, other) => one - other));
    expect(shares.length).toBeGreaterThan(10);
    expect(shares.at(-1)).toBe(1);
  });

  test('a run that moved through three files is in order after its database was wiped', async () => {
    const model = new Model();
    model.kernels = [await model.open(), await model.open(), await model.open()];
    for (const at of [0, 1, 2, 0, 2]) {
      await model.append(model.kernels[at] as Kernel, 1, 2, 'relaxed');
      await model.append(model.kernels[at] as Kernel, 2, 1, 'relaxed');
    }
    expect(model.disk.files.size).toBe(3);
    await model.reopen(() => model.disk.wipe());
    await model.check();
  });

  test('a told root holds when batches were placed but not noted, and the database was wiped', async () => {
    const model = new Model();
    model.kernels = [await model.open(), await model.open()];
    const [one, two] = model.kernels as [Kernel, Kernel];
    await model.append(one, 1, 1, 'relaxed');
    await model.append(two, 2, 1, 'relaxed');
    await model.tell(one);
    await model.append(two, 3, 1, 'strict');
    await model.append(one, 1, 1, 'strict');
    await model.reopen(() => model.disk.wipe());
    await model.check();
  });

  test('a log whose noted batch is in no file is lost, and gets no other order', async () => {
    const model = new Model();
    model.kernels = [await model.open(), await model.open()];
    const [one, two] = model.kernels as [Kernel, Kernel];
    await model.append(one, 1, 1, 'relaxed');
    await model.append(two, 2, 1, 'relaxed');
    await model.tell(two);
    for (const { life } of model.kernels) model.disk.kill(life);
    model.disk.files.delete(one.log.own.name);
    model.disk.wipe();
    expect((await openKernel(model.disk, model.told[0])).event).toBe('lost');
  });

  test('a wiped database is an ordinary opening: the log is whole, and says that it was restored', async () => {
    const model = new Model();
    model.kernels = [await model.open()];
    await model.append(model.kernels[0] as Kernel, 1, 2, 'relaxed');
    for (const { life } of model.kernels) model.disk.kill(life);
    model.disk.wipe();
    expect((await openKernel(model.disk)).event).toBe('restored');
    // content that a kill kept from the index is no loss
    model.kernels = [await model.open()];
    await model.append(model.kernels[0] as Kernel, 1, 2, 'relaxed');
    for (const { life } of model.kernels) model.disk.kill(life);
    expect((await openKernel(model.disk)).event).toBeUndefined();
    await model.check();
  });

  test('the log of a frozen kernel is read by others, and the kernel goes on when it thaws', async () => {
    const model = new Model();
    model.kernels = [await model.open(), await model.open()];
    const [frozen, other] = model.kernels as [Kernel, Kernel];
    // its clock stands still: it fills nothing
    for (let nth = 0; nth < 3; nth++) await model.append(frozen, 1, 1, 'relaxed');
    expect(await model.recordsOf(other, 1)).toBe(0);
    valueOf(await other.log.gather());
    expect(await model.recordsOf(other, 1)).toBe(3);
    await model.append(other, 2, 1, 'strict');
    await model.append(frozen, 1, 1, 'strict');
    await model.check();
  });

  test('an append behind 256 waiting batches waits for the index', async () => {
    const model = new Model();
    model.kernels = [await model.open()];
    const [{ log }] = model.kernels as [Kernel];
    const place = log.index.place;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    Object.assign(log.index, { place: async (...args: Parameters<typeof place>) => (await held, place(...args)) });
    for (let nth = 0; nth < 256; nth++) await model.append(model.kernels[0] as Kernel, 1, 1, 'relaxed');
    let isDone = false;
    const appendLast = async (): Promise<void> => {
      await model.append(model.kernels[0] as Kernel, 1, 1, 'relaxed');
      isDone = true;
    };
    const last = appendLast();
    await turns(500);
    expect(isDone).toBe(false);
    release();
    await last;
    await model.check();
  });

  test('a full disk at a fill loses no acknowledged record, and refuses the next append', async () => {
    const model = new Model();
    model.kernels = [await model.open()];
    const [kernel] = model.kernels as [Kernel];
    const place = kernel.log.index.place;
    await model.append(kernel, 1, 2, 'relaxed');
    Object.assign(kernel.log.index, { place: async () => refuse('store_full', {}) });
    expect(await kernel.log.queue.settle()).toMatchObject({ refusal: { code: 'store_full' } });
    const next = appendTo(2, [], 1);
    expect(await kernel.log.append(next, 'relaxed')).toMatchObject({ refusal: { code: 'store_full' } });
    Object.assign(kernel.log.index, { place });
    valueOf(await kernel.log.append(next, 'relaxed'));
    model.runs.set(2, [...next.records]);
    await model.check();
  });

  test('a batch behind a gap of its run stays out, and is read again when the gap is closed', async () => {
    const model = new Model();
    model.kernels = [await model.open(), await model.open()];
    const [one, two] = model.kernels as [Kernel, Kernel];
    await model.append(one, 1, 1, 'relaxed');
    await model.append(two, 1, 1, 'relaxed');
    for (const { life } of model.kernels) model.disk.kill(life);
    model.disk.wipe();
    const names = [one.log.own.name, two.log.own.name] as const;
    const first = model.disk.files.get(names[0]);
    model.disk.files.delete(names[0]);
    const { kernel } = await openKernel(model.disk);
    expect(await model.recordsOf(kernel, 1)).toBe(0);
    if (first !== undefined) model.disk.files.set(names[0], first);
    valueOf(await kernel.log.gather());
    expect(await model.recordsOf(kernel, 1)).toBe(2);
  });

  test('the later of two branches of a run is refused, and the first stays', async () => {
    const model = new Model();
    model.kernels = [await model.open(), await model.open()];
    const [one, two] = model.kernels as [Kernel, Kernel];
    const [first, second] = [appendTo(1, [], 1), appendTo(1, [], 1)];
    valueOf(await one.log.append(first, 'strict'));
    // a browser that gave the lock of a run twice
    expect(await two.log.append(second, 'strict')).toMatchObject({ ok: false, refusal: { code: 'head_moved' } });
    const again = appendTo(1, second.records, 1);
    expect(await two.log.append(again, 'strict')).toMatchObject({ ok: false, refusal: { code: 'head_moved' } });
    model.runs.set(1, [...first.records]);
    await model.check();
  });

  test('an erasure that stops between any two acts is finished by the next opening', async () => {
    for (let wait = 0; wait < 60; wait += 2) {
      const model = new Model();
      model.kernels = [await model.open(), await model.open()];
      const [one, two] = model.kernels as [Kernel, Kernel];
      const append = { ...appendTo(1, [], 1), payloads: [payload('a secret')] };
      valueOf(await one.log.append(append, 'strict'));
      valueOf(await two.log.take(runId(1)));
      const [batch] = model.disk.state.batches;
      void two.log.replace([{ ...(batch as Batch), payloads: [] }]).catch(() => undefined);
      await turns(wait);
      const isWritten = secretsIn(model.disk) > 0 && framesOf(model.disk, two.log.own.name) > 0;
      model.disk.kill(two.life);
      await model.reopen(() => undefined);
      const left = model.disk.state.batches[0]?.payloads.length;
      expect(left, `stopped after ${wait} turns`).toBe(isWritten ? 0 : left);
      // the files say the same when the database is wiped
      await model.reopen(() => model.disk.wipe());
      expect(model.disk.state.batches[0]?.payloads.length).toBe(left);
    }
  });
});

/** A ledger of two kernels, with rows that are written several times, alone and with a batch. */
async function ledgerWithRows() {
  vi.useFakeTimers({ toFake: ['Date'], now: 1 });
  try {
    const model = new Model(SMALL_PAGE);
    model.kernels = [await model.open(), await model.open()];
    for (let nth = 0; nth < 24; nth++) {
      vi.advanceTimersByTime(1);
      const at = nth % 2;
      const { log } = model.kernels[at] as Kernel;
      // a lock lets one kernel at a time write a row
      const row = (key: number, value: string) => ({ table: 'kept', key: `row ${at} ${key}`, value }) as const;
      const text = `${nth} ${'x'.repeat(300)}`;
      if (nth % 3 === 0) valueOf(await log.put([row(nth % 5, text), row(9 + nth, text)]));
      await model.append(model.kernels[at] as Kernel, 1 + (nth % 4), 1, 'relaxed', [row(nth % 7, text)]);
    }
    // a told order holds; without it the order after a loss is the order of the times
    await model.tell(model.kernels[0] as Kernel);
    await model.reopen(() => undefined);
    const { batches, rows } = model.disk.state;
    for (const { log, life } of model.kernels) {
      await log.close();
      model.disk.kill(life);
    }
    return { disk: model.disk, batches: batches.map(batchName), rows: Object.fromEntries(rows) };
  } finally {
    vi.useRealTimers();
  }
}

function secretsIn(disk: MemoryDisk): number {
  const texts = [...disk.files.values()].map(({ bytes }) => new TextDecoder().decode(bytes));
  return texts.filter((text) => text.includes('a secret')).length;
}

function framesOf(disk: MemoryDisk, name: string): number {
  return disk.files.get(name)?.bytes.length ?? 0;
}
