import { sha256Hex } from '../../core/hash.ts';
import { evaluate, type Judged } from './evaluate.ts';
import type { JudgedTask } from './judge.ts';
import { sharesOf, tableOf } from './table.ts';

export interface ReportOptions {
  /** Adds the same tasks without the constraint. */
  readonly free: boolean;
  /** Adds the proposals of each task that went wrong. */
  readonly misses: boolean;
  /** Tasks whose phrase the generator of the training data can make too. */
  readonly known: readonly string[];
}

/** The table of a file of weights as Markdown, and its numbers. */
export async function report(
  weights: Uint8Array,
  tasks: readonly JudgedTask[],
  { free, misses, known }: ReportOptions,
): Promise<{ readonly text: string; readonly numbers: object }> {
  const judged = await evaluate(weights, tasks);
  const columns = new Map([['all tasks', judged]]);
  columns.set(
    'phrases of no template',
    judged.filter(({ task }) => !known.includes(task.task)),
  );
  if (free) columns.set('all tasks, without the constraint', await evaluate(weights, tasks, { constrained: false }));
  const text = [tableOf(columns), ...(misses ? judged.flatMap(missOf) : [])].join('\n');
  const shares = [...columns].map(([name, of]) => [
    name,
    Object.fromEntries(sharesOf(of).map((share) => [share.name, [share.right, share.of]])),
  ]);
  return { text, numbers: { sha256: sha256Hex(weights), ...Object.fromEntries(shares) } };
}

function missOf({ task, verdict, proposals }: Judged): readonly string[] {
  return verdict.whole ? [] : [`\n${task.task}`, ...proposals.map((proposal) => `    ${proposal}`)];
}
