import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { refuse } from '../../../../core/errors.ts';
import { pass } from '../../../../core/outcome.ts';
import { batchName } from '../../../../workers/store/journal/compaction.ts';
import { FILLING } from '../../../../workers/store/page/database.ts';
import { fillFromFiles } from '../../../../workers/store/page/epoch.ts';
import { FileLog } from '../../../../workers/store/page/file-log.ts';
import type { LogIndex } from '../../../../workers/store/page/log-index.ts';
import type { Batch } from '../../../../workers/store/store.ts';
import { caseCount } from '../../../cases.ts';
import { payload, runId } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';
import { appendTo, type Kernel, Model, openKernel, SMALL_PAGE, turns } from './file-log-model.ts';
import type { Life, MemoryDisk } from './memory-files.ts';

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
      { numRuns: caseCount(200) },
    );
  });

  test('keeps every flushed record and every told root over power cuts', async () => {
    const cut = fc.oneof(
      { weight: 8, arbitrary: action.filter((each) => each.do !== 'wipe') },
      { weight: 1, arbitrary: power },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { maxLength: 40 }), (actions) => play(actions)),
      { numRuns: caseCount(200) },
    );
  });

  test('keeps every acknowledged record where an index is filled page by page', async () => {
    const playSmall = (actions: readonly Action[]) => play(actions, SMALL_PAGE);
    await fc.assert(fc.asyncProperty(fc.array(action, { maxLength: 40 }), playSmall), { numRuns: caseCount(200) });
  });

  test('a fill page by page that stops between any two acts is finished by the next opening', async () => {
    const { disk, rows, batches } = await ledgerWithRows();
    const left = { batches: new Set<number>(), rows: new Set<number>() };
    for (let cut = 0, isDone = false; !isDone; cut++) {
      disk.wipe();
      const first = await disk.cutAfter(cut, (life) => openKernel(disk, undefined, { pageBytes: SMALL_PAGE, life }));
      isDone = first.done !== undefined;
      left.batches.add(disk.state.batches.length);
      left.rows.add(disk.state.rows.size);
      const { kernel } = await openKernel(disk, undefined, { pageBytes: SMALL_PAGE });
      expect(disk.state.batches.map(batchName), `stopped at ${cut}`).toEqual(batches);
      expect(Object.fromEntries(disk.state.rows), `stopped at ${cut}`).toEqual(rows);
      expect(disk.state.offsets.has(FILLING)).toBe(false);
      await kernel.log.close();
      disk.kill(kernel.life);
    }
    expect(left.batches.size).toBeGreaterThan(10);
    expect(left.rows.size).toBeGreaterThan(5);
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

  test('a kernel that opens while another places and notes its first records finds a good log', async () => {
    const model = new Model();
    const writer = await model.open();
    const life: Life = { isDead: false };
    const index = model.disk.index(life);
    let looks = 0;
    const frontier: LogIndex['frontier'] = async () => {
      const found = await index.frontier();
      if (looks++ > 0) return found;
      await model.append(writer, 1, 2, 'strict');
      await model.tell(writer);
      return found;
    };
    const events = { onPlaced: () => undefined, onLost: async () => pass(undefined) };
    const log = new FileLog(1, model.disk.folder(life), { ...index, frontier }, events);
    expect(valueOf(await fillFromFiles(log, undefined)).event).toBeUndefined();
    expect(model.told[0]?.size).toBe(2);
    expect(valueOf(await index.frontier()).size).toBe(2);
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

  test('a kernel that takes a run reads the rows of all runs only where the file of another kernel has grown', async () => {
    const model = new Model();
    model.kernels = [await model.open(), await model.open()];
    const [one, two] = model.kernels as [Kernel, Kernel];
    const { index } = one.log;
    const records = vi.fn(index.records);
    Object.assign(index, { records });
    await model.append(one, 1, 1, 'relaxed');
    await model.append(one, 2, 1, 'relaxed');
    expect(records).not.toHaveBeenCalled();
    await model.append(two, 3, 1, 'relaxed');
    await model.append(one, 4, 1, 'relaxed');
    expect(records).toHaveBeenCalled();
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
    for (let cut = 0, isDone = false; !isDone; cut++) {
      const model = new Model();
      model.kernels = [await model.open(), await model.open()];
      const [one, two] = model.kernels as [Kernel, Kernel];
      const append = { ...appendTo(1, [], 1), payloads: [payload('a secret')] };
      valueOf(await one.log.append(append, 'strict'));
      valueOf(await two.log.take(runId(1)));
      const [batch] = model.disk.state.batches;
      const erase = async () => valueOf(await two.log.replace([{ ...(batch as Batch), payloads: [] }])) ?? true;
      isDone = (await model.disk.cutAfter(cut, erase, two.life)).done === true;
      const isWritten = secretsIn(model.disk) > 0 && framesOf(model.disk, two.log.own.name) > 0;
      await model.reopen(() => undefined);
      const left = model.disk.state.batches[0]?.payloads.length;
      expect(left, `stopped at ${cut}`).toBe(isWritten ? 0 : left);
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
