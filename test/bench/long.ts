import { openPageStore } from '../../workers/store/page/store.ts';
import type { LedgerStore } from '../../workers/store/store.ts';
import { type SampleBatch, type SampleRun, sampleRun } from '../core/ledger/sample.ts';
import { must } from './must.ts';
import { median, race } from './race.ts';
import { type Row, rowsOf } from './table.ts';

/** Steps of five records: fifty thousand records, and a thousand. */
const [MANY, FEW] = [10_000, 200];
/** Turns, and appends in each. */
const [TURNS, APPENDS] = [15, 10];

/** The cost of a log of fifty thousand records: an append, beside a log of a thousand, and an opening. */
export async function long(rounds: number): Promise<Row[]> {
  const more = TURNS * APPENDS;
  const name = `bench-${crypto.randomUUID()}`;
  const late = await filled(name, sampleRun(1, MANY + more * rounds, false), MANY);
  const early = await filled(`${name}-short`, sampleRun(2, FEW + more * rounds, false), FEW);
  const sides = [
    { name: 'at record 50,000', sample: () => late.more() },
    { name: 'at record 1,000', sample: () => early.more() },
  ];
  const appends = rowsOf('append at record 50,000, on disk', await race(sides, rounds * TURNS), { ratio: 1.2 });
  const { size } = must(await late.store.head());
  for (const { store } of [late, early]) await store.close();
  const opens = [
    { name: 'open', sample: async () => (await timed(async () => (await openAgain(name, size)).close())) / size },
    { name: 'reading its batches from IndexedDB', sample: async () => (await timed(() => readAll(name))) / size },
  ];
  const opened = rowsOf(`open a log of ${size} records, a record`, await race(opens, rounds), { us: 25 });
  await must(await openPageStore(name)).destroy();
  return [...appends, ...opened];
}

/** A log of `steps` steps, and a function that appends more and returns the median in µs. */
async function filled(name: string, { run_id, batches }: SampleRun, steps: number) {
  const store = must(await openPageStore(name));
  let next = 0;
  const append = async () => must(await store.append({ run_id, ...(batches[next++] as SampleBatch) }, 'relaxed'));
  for (let step = 0; step < steps; step++) await append();
  const more = async (): Promise<number> => {
    const times: number[] = [];
    for (let n = 0; n < APPENDS; n++) times.push(await timed(append));
    return median(times);
  };
  return { store, more };
}

async function openAgain(name: string, size: number): Promise<LedgerStore> {
  const store = must(await openPageStore(name));
  if (must(await store.head()).size !== size) throw new Error('not every record is there');
  return store;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) * 1000;
}

function readAll(name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const all = opening.result.transaction('batches').objectStore('batches').getAll();
      all.onsuccess = () => {
        opening.result.close();
        resolve(all.result);
      };
      all.onerror = () => reject(all.error);
    };
  });
}
