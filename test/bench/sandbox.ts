import { calls, race } from './race.ts';
import { races } from './sandbox-cases.ts';
import { type Goal, type Row, rowsOf } from './table.ts';

/** By the name of the workload: against no isolation, a fresh context, a fresh runtime. */
const GOALS: { readonly [workload: string]: readonly Goal[] } = {
  trivial: [{ ratio: 3 }, { ratio: 1 / 6 }],
  medium: [{ ratio: 1.3 }, { ratio: 1 / 10 }],
};

/** One call on a heap that nobody has used before. */
export async function sandbox(wasm: Uint8Array, rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { workload, contestants } of await races(wasm)) {
    const sides = contestants.map(({ name, call }) => calls(name, call, { sampleMs: 40, warmMs: 250 }));
    rows.push(...rowsOf(`sandbox call, ${workload}`, await race(sides, rounds), ...(GOALS[workload] ?? [])));
  }
  return rows;
}
