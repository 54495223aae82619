import { createEngine, type Engine } from '../../sandbox/index.ts';
import { type Adding, BUILT_IN, WITH_EFFECT } from './adding.ts';
import { openLater } from './later.ts';
import { assertAdded, openHere, play } from './ours.ts';
import { race } from './race.ts';
import { type Goal, type Row, rowsOf } from './table.ts';

const RUNS = 16;
const STEPS = 20;

/** The cost of a step when many runs of one runtime wait for the disk together, beside one run that waits alone. */
export async function group(wasm: Uint8Array, rounds: number): Promise<Row[]> {
  const engine = await createEngine({ wasm });
  return [
    ...(await together(engine, rounds, WITH_EFFECT, { ratio: 0.5 })),
    ...(await together(engine, rounds, BUILT_IN)),
  ];
}

/** A pure step waits for no disk, so runs that wait together gain nothing: its row has no goal. */
async function together(engine: Engine, rounds: number, adding: Adding, goal?: Goal): Promise<Row[]> {
  const store = await openLater(`bench-${crypto.randomUUID()}`);
  const runtime = await openHere(engine, store, adding);
  const one = () => play(runtime, adding, STEPS);
  const all = async () => {
    const start = performance.now();
    const played = await Promise.all(Array.from({ length: RUNS }, one));
    return { ms: performance.now() - start, played };
  };
  for (const { run_id } of (await all()).played) await assertAdded(runtime, run_id, adding, STEPS);
  const raced = await race(
    [
      { name: `${RUNS} runs`, sample: async () => ((await all()).ms * 1000) / (RUNS * STEPS) },
      { name: 'one run alone', sample: async () => ((await one()).ms * 1000) / STEPS },
    ],
    rounds,
  );
  await runtime.close();
  const what = `step of ${RUNS} runs at once, ${adding.definition.effect}, on disk`;
  return rowsOf(what, raced, goal);
}
