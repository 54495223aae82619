import { calls, race } from './race.ts';
import { forks, races } from './sandbox-cases.ts';
import { type Goal, type Row, rowsOf } from './table.ts';

/** By the name of the workload: against no isolation, a fresh context, a fresh runtime. */
const GOALS: { readonly [workload: string]: readonly Goal[] } = {
  trivial: [{ ratio: 3 }, { ratio: 1 / 6 }],
  medium: [{ ratio: 1.3 }, { ratio: 1 / 10 }],
};

/** Many short samples: a long sample of a call of some µs contains the busiest moment of the machine. */
const SAMPLES: { readonly [workload: string]: { readonly sampleMs: number; readonly times: number } } = {
  trivial: { sampleMs: 5, times: 8 },
  medium: { sampleMs: 8, times: 6 },
};

const FORK_US_MAX = 2000;

/** A call on a fresh heap, and the cost of another heap. */
export async function sandbox(wasm: Uint8Array, rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { workload, contestants } of await races(wasm)) {
    const { sampleMs, times } = SAMPLES[workload] ?? { sampleMs: 40, times: 1 };
    const sides = contestants.map(({ name, call }) => calls(name, call, { sampleMs, warmMs: 250 }));
    rows.push(...rowsOf(`sandbox call, ${workload}`, await race(sides, rounds * times), ...(GOALS[workload] ?? [])));
  }
  const heaps = (await forks(wasm)).map(({ name, call }) => calls(name, call, { sampleMs: 5, warmMs: 20 }));
  return [...rows, ...rowsOf('sandbox fork', await race(heaps, rounds), { us: FORK_US_MAX })];
}
