import { createEngine } from '../../sandbox/index.ts';
import { openMemoryStore } from '../../workers/store/memory/store.ts';
import { BUILT_IN } from './adding.ts';
import { openHere, play } from './ours.ts';
import { median } from './race.ts';
import { flatRow, type Neighbours, type Row } from './table.ts';

/** Steps before the turns, turns, and steps of the long run in each. */
const [LATE, TURNS, EACH] = [10_000, 10, 20];
/** Steps of a short run: its last hundred are about its hundredth. */
const SHORT = 150;

/** The cost of a run's ten thousandth step beside the hundredth of runs that are played in turns with it. */
export async function flat(wasm: Uint8Array, rounds: number): Promise<Row[]> {
  const engine = await createEngine({ wasm });
  const runtime = await openHere(engine, openMemoryStore(), BUILT_IN);
  await play(runtime, BUILT_IN, 1000);
  const turns: Neighbours[] = [];
  for (let round = 0; round < rounds; round++) {
    const early: number[] = [];
    const { steps } = await play(runtime, BUILT_IN, LATE + TURNS * EACH, async (step) => {
      if (step < LATE || step % EACH !== 0) return;
      early.push(median((await play(runtime, BUILT_IN, SHORT)).steps.slice(SHORT - 100)));
    });
    for (let turn = 0; turn < TURNS; turn++) {
      const from = LATE + turn * EACH;
      turns.push({ late: median(steps.slice(from, from + EACH)), early: early[turn] ?? Number.NaN });
    }
  }
  await runtime.close();
  return [flatRow('step 10,000 of a run without disk', turns)];
}
