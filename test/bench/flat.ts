import { createEngine } from '../../sandbox/index.ts';
import { openMemoryStore } from '../../workers/store/memory/store.ts';
import { BUILT_IN } from './adding.ts';
import { openHere, play } from './ours.ts';
import { median, timesOf } from './race.ts';
import type { Row } from './table.ts';

const STEPS = 1010;

/** The cost of a run's thousandth step beside its tenth, each the median of its neighbourhood. */
export async function flat(wasm: Uint8Array, rounds: number): Promise<Row[]> {
  const engine = await createEngine({ wasm });
  const late: number[] = [];
  const early: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const { steps } = await play(await openHere(engine, openMemoryStore(), BUILT_IN), BUILT_IN, STEPS);
    if (round < 0) continue;
    late.push(median(steps.slice(989, 1009)) * 1000);
    early.push(median(steps.slice(5, 25)) * 1000);
  }
  const ratios = late.map((us, round) => us / (early[round] ?? Number.NaN));
  const [ours, theirs] = [timesOf(late), timesOf(early)];
  const ratio = { best: ours.best / theirs.best, median: median(ratios) };
  return [{ what: 'step 1,000 of a run', against: 'its step 10', ours, theirs, ratio, goal: { ratio: 1.1 } }];
}
