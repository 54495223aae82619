import { sha256Hex } from '../../core/hash.ts';
import { evaluate, type Judged } from './evaluate.ts';
import type { TaskLists } from './lists.ts';
import { missCountsOf, missesOf } from './misses.ts';
import { sharesOf, tableOf } from './table.ts';

export interface ReportOptions {
  /** Adds the same tasks without the constraint. */
  readonly free: boolean;
  /** Adds the development tasks that went wrong with their proposals, and counts of the held-out tasks that did. */
  readonly misses: boolean;
  /** Development tasks whose phrase the generator of the training data can make too. */
  readonly known: readonly string[];
  /** Places of the held-out tasks whose phrase it can make too. */
  readonly knownPlaces: readonly number[];
}

/** How the two lists are used, under each table. */
const RULE =
  'The held-out list counts: the goals are judged by it. The development list may guide changes of the training data, the held-out list must not.';

/** The table of a file of weights as Markdown, and its numbers. */
export async function report(
  weights: Uint8Array,
  { heldOut, development }: TaskLists,
  { free, misses, known, knownPlaces }: ReportOptions,
): Promise<{ readonly text: string; readonly numbers: object }> {
  const counted = await evaluate(weights, heldOut);
  const developed = await evaluate(weights, development);
  const columns = new Map([
    ['held-out tasks', counted],
    ['held-out phrases of no template', counted.filter((_, at) => !knownPlaces.includes(at))],
    ['development tasks', developed],
    ['development phrases of no template', developed.filter(({ task }) => !known.includes(task.task))],
  ]);
  if (free) {
    const freed = { constrained: false };
    columns.set('held-out tasks, without the constraint', await evaluate(weights, heldOut, freed));
    columns.set('development tasks, without the constraint', await evaluate(weights, development, freed));
  }
  const text = [tableOf(columns), '', RULE, ...(misses ? missed(counted, developed) : [])].join('\n');
  const shares = [...columns].map(([name, of]) => [
    name,
    Object.fromEntries(sharesOf(of).map((share) => [share.name, [share.right, share.of]])),
  ]);
  return { text, numbers: { sha256: sha256Hex(weights), ...Object.fromEntries(shares) } };
}

function missed(counted: readonly Judged[], developed: readonly Judged[]): readonly string[] {
  return ['\n## Held-out tasks', ...missCountsOf(counted), '\n## Development tasks', ...missesOf(developed)];
}
