import { afterEach, describe, expect, test, vi } from 'vitest';
import { refuse } from '../../../../core/errors.ts';
import { makeRecordWatch } from '../../../../workers/kernel/kernel.ts';
import { LOOK_MS } from '../../../../workers/kernel/run-ownership.ts';
import { scanFiles } from '../../../../workers/store/page/rewrite.ts';
import type { LedgerStore } from '../../../../workers/store/store.ts';
import { runId } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';
import { appendTo, type Kernel, Model, openKernel, turns } from './file-log-model.ts';

afterEach(() => vi.useRealTimers());

async function newModel(kernels = 1): Promise<{ model: Model; one: Kernel; two: Kernel }> {
  const model = new Model();
  for (let nth = 0; nth < kernels; nth++) model.kernels.push(await model.open());
  const [one, two = one] = model.kernels as [Kernel, Kernel?];
  return { model, one, two };
}

function fileOf({ disk }: Model, { log }: Kernel) {
  const file = disk.files.get(log.own.name);
  if (file === undefined) throw new Error('no file');
  return file;
}

describe('a damaged file', () => {
  /** Kills the kernels, and changes the byte in the middle of these bytes of a file. */
  function damage(model: Model, kernel: Kernel, from: number, to: number): void {
    const file = fileOf(model, kernel);
    for (const { life } of model.kernels) model.disk.kill(life);
    const at = Math.floor((from + to) / 2);
    file.bytes[at] = (file.bytes[at] ?? 0) ^ 0xff;
  }

  test('damage in the file of a dead kernel takes what the index did not have yet, and another file goes on', async () => {
    const { model, one } = await newModel();
    await model.append(one, 1, 1, 'strict');
    const placed = fileOf(model, one).bytes.length;
    const sizes = [placed];
    for (let nth = 0; nth < 4; nth++) {
      await model.append(one, 1, 1, 'relaxed');
      await one.log.own.flush();
      sizes.push(fileOf(model, one).bytes.length);
    }
    const { name } = one.log.own;
    damage(model, one, sizes[2] ?? 0, sizes[3] ?? 0);
    const { kernel } = await openKernel(model.disk);
    expect(await model.recordsOf(kernel, 1)).toBe(3);
    expect(kernel.log.own.name).not.toBe(name);
    model.runs.set(1, (model.runs.get(1) ?? []).slice(0, 3));
    model.kernels = [kernel];
    await model.append(kernel, 1, 2, 'strict');
    await model.check();
  });

  test('damage in what the index has loses nothing, and the files are due to be written again', async () => {
    const { model, one } = await newModel();
    await model.append(one, 1, 1, 'strict');
    const from = fileOf(model, one).bytes.length;
    await model.append(one, 1, 1, 'strict');
    damage(model, one, from, fileOf(model, one).bytes.length);
    await model.check();
    const { folder, own } = (model.kernels[0] as Kernel).log;
    expect(await scanFiles(folder, own)).toMatchObject({ due: true });
  });
});

describe('a full disk', () => {
  test('a write that the disk takes by half is cut off, and refused, and leaves what was acknowledged', async () => {
    const { model, one } = await newModel();
    await model.append(one, 1, 1, 'relaxed');
    await one.log.queue.settle();
    const before = fileOf(model, one).bytes.length;
    for (const room of [0, 1, 11, 12, 100]) {
      model.disk.room = room;
      const append = appendTo(1, model.runs.get(1) ?? [], 1);
      for (const durability of ['relaxed', 'strict'] as const)
        expect(await one.log.append(append, durability)).toMatchObject({ refusal: { code: 'store_full' } });
      const rows = [{ table: 'kept', key: 'a', value: 'x'.repeat(200) }] as const;
      expect(await one.log.put(rows)).toMatchObject({ refusal: { code: 'store_full' } });
      expect(await one.log.note()).toMatchObject({ refusal: { code: 'store_full' } });
      expect(fileOf(model, one).bytes.length).toBe(before);
    }
    model.disk.room = Number.POSITIVE_INFINITY;
    await model.append(one, 1, 2, 'strict');
    await model.tell(one);
    expect(model.disk.state.rows.size).toBe(0);
    await model.check();
  });

  test('a kernel that dies in a write that the disk took by half leaves what was acknowledged', async () => {
    const { model, one } = await newModel();
    await model.append(one, 1, 1, 'relaxed');
    model.disk.room = 30;
    // no truncation any more
    one.life.left = 1;
    const append = appendTo(1, model.runs.get(1) ?? [], 1);
    void one.log.append(append, 'relaxed').catch(() => undefined);
    await turns(20);
    expect(one.life.isDead).toBe(true);
    model.disk.room = Number.POSITIVE_INFINITY;
    await model.check();
  });

  test('a flush that fails refuses the size of the log, and the next flush tells it', async () => {
    const { model, one } = await newModel();
    await model.append(one, 1, 1, 'relaxed');
    await one.log.queue.settle();
    const { flush } = one.log.own;
    Object.assign(one.log.own, { flush: async () => Promise.reject(new DOMException('dead', 'InvalidStateError')) });
    expect(await one.log.note()).toMatchObject({ refusal: { code: 'mirror_lost' } });
    Object.assign(one.log.own, { flush });
    await model.tell(one);
    await model.check();
  });
});

describe('an index that cannot be reached', () => {
  /** Refuses every fill until the returned function is called. */
  function cutOff({ log }: Kernel): () => void {
    const { place } = log.index;
    Object.assign(log.index, { place: async () => refuse('store_lost', { reason: 'UnknownError' }) });
    return () => Object.assign(log.index, { place });
  }

  test('256 batches are acknowledged without the index, the next one is refused with store_lost, and none is lost', async () => {
    const { model, one } = await newModel();
    await model.append(one, 1, 1, 'relaxed');
    const reconnect = cutOff(one);
    await one.log.queue.settle();
    for (let nth = 1; nth < 256; nth++) await model.append(one, 1, 1, 'relaxed');
    const next = appendTo(1, model.runs.get(1) ?? [], 1);
    expect(await one.log.append(next, 'relaxed')).toMatchObject({ refusal: { code: 'store_lost' } });
    reconnect();
    valueOf(await one.log.append(next, 'relaxed'));
    model.runs.set(1, [...(model.runs.get(1) ?? []), ...next.records]);
    await model.check();
  });

  test('a strict append is refused while the index is away, and its repetition waits for flush and index, too', async () => {
    const { model, one } = await newModel();
    await model.append(one, 1, 1, 'strict');
    const reconnect = cutOff(one);
    const append = appendTo(1, model.runs.get(1) ?? [], 1);
    for (let nth = 0; nth < 2; nth++)
      expect(await one.log.append(append, 'strict')).toMatchObject({ refusal: { code: 'store_lost' } });
    valueOf(await one.log.append(append, 'relaxed'));
    reconnect();
    valueOf(await one.log.append(append, 'strict'));
    expect(await model.recordsOf(one, 1)).toBe(2);
    expect(fileOf(model, one).flushed).toBe(fileOf(model, one).bytes.length);
    // and once more, when the index has it
    valueOf(await one.log.append(append, 'strict'));
    model.runs.set(1, [...(model.runs.get(1) ?? []), ...append.records]);
    await model.check();
  });
});

describe('a kernel that is frozen inside a fill', () => {
  /** Both kernels wait for the transaction of the first. */
  async function frozen() {
    const { model, one, two } = await newModel(2);
    let thaw: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      thaw = resolve;
    });
    for (const { log } of [one, two]) {
      const { place } = log.index;
      Object.assign(log.index, { place: async (...args: Parameters<typeof place>) => (await ended, place(...args)) });
    }
    await model.append(one, 1, 1, 'relaxed');
    void one.log.queue.settle();
    for (let nth = 0; nth < 10; nth++) {
      const append = appendTo(2, model.runs.get(2) ?? [], 1);
      valueOf(await two.log.append(append, 'relaxed'));
      model.runs.set(2, [...(model.runs.get(2) ?? []), ...append.records]);
    }
    let isDone = false;
    const append = appendTo(2, model.runs.get(2) ?? [], 1);
    const appendStrict = async (): Promise<void> => {
      valueOf(await two.log.append(append, 'strict'));
      isDone = true;
    };
    const strict = appendStrict();
    await turns(500);
    expect(isDone).toBe(false);
    model.runs.set(2, [...(model.runs.get(2) ?? []), ...append.records]);
    return { model, one, strict, thaw };
  }

  test('other kernels write without effects meanwhile, and their effects wait until it thaws', async () => {
    const { model, strict, thaw } = await frozen();
    thaw();
    await strict;
    await model.check();
  });

  test('its death ends its transaction, and other kernels go on and place its file', async () => {
    const { model, one, strict, thaw } = await frozen();
    model.disk.kill(one.life);
    thaw();
    await strict;
    valueOf(await (model.kernels[1] as Kernel).log.gather());
    expect(await model.recordsOf(model.kernels[1] as Kernel, 1)).toBe(1);
    await model.check();
  });
});

describe('a kernel that dies', () => {
  test.each(['stays', 'is wiped'])(
    'between any two acts of gathering and telling loses nothing, and a told root holds, when the database %s',
    async (database) => {
      for (let cut = 0, isDone = false; !isDone; cut++) {
        const { model, one, two } = await newModel(2);
        await model.append(one, 1, 2, 'relaxed');
        await model.append(two, 2, 1, 'relaxed');
        await model.tell(two);
        await model.append(one, 1, 1, 'relaxed');
        await model.append(one, 3, 1, 'strict');
        await model.append(two, 2, 2, 'relaxed');
        model.disk.kill(one.life);
        const told = await model.disk.cutAfter(cut, () => model.tell(two).then(() => true), two.life);
        isDone = told.done === true;
        await model.reopen(() => (database === 'stays' ? undefined : model.disk.wipe()));
        await model.check();
      }
    },
  );
});

describe('a clock that was set back', () => {
  const row = (value: string) => [{ table: 'files' as const, key: 'a.md', value }];

  test.each(['alone', 'with a batch'])('a row has the value that was written last, %s', async (way) => {
    vi.useFakeTimers({ toFake: ['Date'], now: 10_000 });
    const { model, one } = await newModel();
    valueOf(await one.log.put(row('older')));
    await model.append(one, 1, 1, 'relaxed', row('old'));
    vi.setSystemTime(5_000);
    if (way === 'alone') valueOf(await one.log.put(row('newest')));
    else await model.append(one, 1, 1, 'relaxed', row('newest'));
    for (const database of ['stays', 'is wiped'] as const) {
      await model.reopen(() => (database === 'stays' ? undefined : model.disk.wipe()));
      expect(model.disk.state.rows.get('files a.md')).toBe('newest');
    }
    await model.check();
  });

  test('the records of a run that moved between files are in its order', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 10_000 });
    const { model, one, two } = await newModel(2);
    for (let nth = 0; nth < 6; nth++) {
      await model.append(nth % 2 === 0 ? one : two, 1, 1, 'relaxed');
      vi.setSystemTime(10_000 - nth * 1_000);
    }
    await model.reopen(() => model.disk.wipe());
    await model.check();
  });
});

test('a follower finds new records within two seconds when the word of them is lost', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { model, one, two } = await newModel(2);
  await model.append(one, 1, 1, 'strict');
  const read = async (run_id: string) => ({
    ok: true as const,
    value: model.disk.state.batches.filter((batch) => batch.run_id === run_id && batch.run_seq > 0),
  });
  const store = { read, gather: () => two.log.gather() } as unknown as LedgerStore;
  const { look } = makeRecordWatch(store, async () => true);
  const looking = look(runId(1), 1);
  await turns(50);
  await model.append(one, 1, 1, 'relaxed');
  one.tick(30);
  await turns(50);
  vi.advanceTimersByTime(LOOK_MS);
  expect(valueOf(await looking).records).toHaveLength(1);
});
