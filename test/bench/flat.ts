import { createEngine, type Engine } from '../../sandbox/index.ts';
import { openMemoryStore } from '../../workers/store/memory/store.ts';
import { BUILT_IN } from './adding.ts';
import { openHere, play } from './ours.ts';
import type { Row } from './table.ts';
import { flatRow } from './table.ts';

/** Steps of a run: enough for a neighbourhood of step 10,000. */
const STEPS = 10_050;

/** The cost of a run's ten thousandth step beside its hundredth. */
export async function flat(wasm: Uint8Array, rounds: number): Promise<Row[]> {
  const engine = await createEngine({ wasm });
  await stepsOf(engine, 1000);
  const runs: (readonly number[])[] = [];
  for (let round = 0; round < rounds; round++) runs.push(await stepsOf(engine, STEPS));
  return [flatRow('step 10,000 of a run without disk', runs)];
}

async function stepsOf(engine: Engine, steps: number): Promise<readonly number[]> {
  const runtime = await openHere(engine, openMemoryStore(), BUILT_IN);
  const played = await play(runtime, BUILT_IN, steps);
  await runtime.close();
  return played.steps;
}
