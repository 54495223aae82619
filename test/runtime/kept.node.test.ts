import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { pause } from '../../workers/async.ts';
import { fromScript, openRuntime, type Runtime, type RuntimeStore } from '../../workers/node.ts';
import { openMemoryStore } from '../../workers/store/memory/store.ts';

const DAY = 24 * 60 * 60 * 1000;
const retention = { keepAtLeast: { days: 183 } };

afterEach(() => void vi.restoreAllMocks());

/** A runtime over a directory with one run that has ended, and the run's id. */
async function withRun(options: { readonly retention?: typeof retention } = { retention }) {
  const directory = await mkdtemp(join(tmpdir(), 'kept-'));
  const runtime = await openRuntime({ store: { directory }, ...options });
  const run = start(runtime);
  await run.result;
  const goOn = async () => {
    await run.say('Again.');
    await run.result;
  };
  return { runtime, run: run.id, goOn };
}

/** Starts a run that ends at once, and once more. */
function start(runtime: Runtime) {
  const said = { done: true, message: 'said' } as const;
  return runtime.start({ dialect: 'xct', task: 'Say it.', model: fromScript([said, said]) });
}

/** A file of which each part is read behind other work. */
class WatchedBlob extends Blob {
  before: () => Promise<void> = async () => undefined;

  override slice(...range: Parameters<Blob['slice']>): Blob {
    const part = super.slice(...range);
    return Object.assign(part, { arrayBuffer: () => this.before().then(() => Blob.prototype.arrayBuffer.call(part)) });
  }
}

/** The device's clock shows a later time. */
function later(days: number): void {
  const now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => now + days * DAY);
}

describe('a runtime that keeps runs for 183 days', () => {
  const acts: readonly (readonly [string, (runtime: Runtime, run: string) => Promise<unknown>])[] = [
    ['ledger.delete', (runtime, run) => runtime.ledger.delete(run)],
    ['storage.deleteEverything', (runtime) => runtime.storage.deleteEverything()],
    ['storage.replace', async (runtime) => runtime.storage.replace(await runtime.storage.backup())],
  ];

  test.each(acts)('%s refuses a younger run with run_kept, names the time, and removes nothing', async (_, act) => {
    const { runtime, run } = await withRun();
    const [row] = await runtime.runs();
    const last = (await runtime.ledger.records(run)).at(-1);
    const until = new Date((last?.at ?? 0) + 183 * DAY).toISOString();
    const error = await act(runtime, run).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'run_kept', details: { run_id: run, until } });
    expect(String(error)).toContain(`kept until ${until}`);
    expect(await runtime.runs()).toEqual([row]);
    await runtime.close();
  });

  test.each(acts)('%s removes the run once its time is over', async (_, act) => {
    const { runtime, run } = await withRun();
    later(184);
    await expect(act(runtime, run)).resolves.not.toThrow();
    await runtime.close();
  });

  test.each(acts)('%s refuses a run that began long ago, and went on lately', async (_, act) => {
    const { runtime, run, goOn } = await withRun();
    later(184);
    await goOn();
    const found: unknown = await act(runtime, run).catch((error: unknown) => error);
    expect(found).toMatchObject({ code: 'run_kept', details: { run_id: run } });
    await runtime.close();
  });

  test('storage.deleteEverything refuses for a run that goes on while it looks at the runs', async () => {
    const store = openMemoryStore();
    let [looks, goOn] = [0, async (): Promise<void> => undefined];
    const snapshot = async () => {
      const rows = await store.snapshot();
      // the first look comes before the work, the second with it
      if (++looks === 2) void goOn();
      for (let turn = 0; turn < 10; turn++) await pause();
      return rows;
    };
    await using runtime = await openRuntime({ store: { ...store, snapshot } as RuntimeStore, retention });
    const run = start(runtime);
    await run.result;
    later(184);
    looks = 0;
    let said: Promise<void> | undefined;
    goOn = () => (said = run.say('Again.'));
    const error = await runtime.storage.deleteEverything().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'run_kept', details: { run_id: run.id } });
    await said;
    expect(await run.result).toMatchObject({ state: 'completed' });
    expect(await runtime.ledger.verify(run.id)).toMatchObject({ ok: true });
  });

  test('storage.replace refuses for a run that begins while the backup is read', async () => {
    const { runtime, run } = await withRun();
    later(184);
    const backup = new WatchedBlob([await runtime.storage.backup()]);
    let second: string | undefined;
    backup.before = async () => {
      if (second !== undefined) return;
      const started = start(runtime);
      second = started.id;
      await started.result;
    };
    const error = await runtime.storage.replace(backup).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'run_kept', details: { run_id: second } });
    expect((await runtime.runs()).map(({ run_id }) => run_id)).toEqual([second, run]);
    await runtime.close();
  });

  test.each([
    ['dated ahead of the clock is not kept', 10_000, undefined],
    ['of the past days is kept', 0, 'run_kept'],
  ])('a run from a file that is %s', async (_, days, code) => {
    later(days);
    const other = await withRun({});
    const backup = await other.runtime.storage.backup();
    await other.runtime.close();
    vi.restoreAllMocks();
    await using runtime = await openRuntime({ retention });
    await runtime.storage.restore(backup);
    const found: unknown = await runtime.ledger.delete(other.run).catch((error: unknown) => error);
    expect(found).toMatchObject(code === undefined ? { values: 0 } : { code });
  });

  test('an erasure still removes texts, and the records stay', async () => {
    const { runtime, run } = await withRun();
    const { length } = await runtime.ledger.records(run);
    await runtime.ledger.erase(run);
    expect(await runtime.ledger.records(run)).toHaveLength(length);
    await runtime.close();
  });

  test('a run that is not there is run_absent, as without the option', async () => {
    const { runtime } = await withRun();
    await expect(runtime.ledger.delete('none')).rejects.toMatchObject({ code: 'run_absent' });
    await runtime.close();
  });
});

test('a runtime without the option deletes a run at once', async () => {
  const { runtime, run } = await withRun({});
  await runtime.ledger.delete(run);
  expect(await runtime.runs()).toEqual([]);
  await runtime.close();
});

test.each([
  {},
  { keepAtLeast: 183 },
  { keepAtLeast: { days: 1.5 } },
  { keepAtLeast: { days: 1e300 } },
  { keepAtLeast: { day: 183 } },
  { keepAtLeast: { days: 1 }, keepAtMost: { days: 9 } },
])('the option retention refuses %j at the opening', async (wrong) => {
  const opening = openRuntime({ retention: wrong as typeof retention });
  await expect(opening).rejects.toMatchObject({ code: 'option_invalid', details: { name: 'retention' } });
});
