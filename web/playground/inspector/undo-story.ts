import { revertName } from '../../../core/capability/revert.ts';
import { groupBySteps, type LedgerRecord } from '../../../core/index.ts';
import { attemptsIn, keyOf } from '../../../core/undo/plan.ts';
import type { UndoneRow, UndoPreview, UndoTarget } from '../../../workers/api.ts';
import { takeBack } from '../../texts/en/take-back.ts';

/** Which calls a person takes back: of a step alone, or of all steps from it on. */
export type RangeChoice = 'step' | 'from';

export function targetOf(run: string, step: number, range: RangeChoice): UndoTarget {
  return range === 'step' ? { run, step } : { run, back_to: step - 1 };
}

/** What a person can do about a plan. `goOn`: an undo was cut off in one of these calls, and can go on with it. */
export type UndoChoice = 'act' | 'goOn' | 'none';

export function choiceOf({ calls, barriers }: Pick<UndoPreview, 'calls' | 'barriers'>): UndoChoice {
  if (barriers.length > 0) return barriers.every(({ reason }) => reason === 'open') ? 'goOn' : 'none';
  return calls.length > 0 ? 'act' : 'none';
}

/** The place of a call in words, without the name of its tool. */
export function placeOf({ step, operation, ticket }: Pick<UndoneRow, 'step' | 'operation' | 'ticket'>): string {
  const { place } = takeBack();
  if (ticket !== undefined) return place.inner(step, ticket);
  return operation === undefined ? place.step(step) : place.operation(step, operation + 1);
}

/** The tool that takes a call back, as the card of its question names it. */
export function revertedBy({ capability }: Pick<UndoneRow, 'capability'>): string {
  return revertName(capability);
}

/** What stays, each as a sentence. */
export function stayingIn({ later_calls, later_runs }: Pick<UndoPreview, 'later_calls' | 'later_runs'>): string[] {
  const texts = takeBack();
  return [
    ...(later_calls > 0 ? [texts.laterCalls(later_calls)] : []),
    ...(later_runs > 0 ? [texts.laterRuns(later_runs)] : []),
  ];
}

/** A call of an undo. `step` is that of the run that is taken back, and `by` that of the undo. */
export interface UndoneCallEnd {
  readonly call: UndoneRow;
  readonly by: number;
  readonly end: 'undone' | 'stands' | 'untried' | 'unknown' | 'open' | 'ahead';
}

/** What an undo has come to. */
export interface UndoStory {
  readonly run_id: string;
  readonly calls: readonly UndoneCallEnd[];
  /** What stays, each as a sentence. */
  readonly staying: readonly string[];
}

/** What an undo takes back and has taken back, from its records; undefined for another run. */
export function storyOf(records: readonly LedgerRecord[]): UndoStory | undefined {
  const [first] = records;
  const undoes = first?.kind === 'configuration' ? first.body.undoes : undefined;
  if (undoes === undefined) return undefined;
  const attempts = attemptsIn([records]);
  const closed = new Set(
    groupBySteps(records).flatMap(({ step, records: own }) =>
      step !== undefined && own.some(({ kind }) => kind === 'receipt') ? [step] : [],
    ),
  );
  const isOver = records.at(-1)?.kind === 'seal';
  const calls = undoes.calls.map((call, at): UndoneCallEnd => {
    const by = at + 1;
    const rest = isOver ? 'untried' : 'ahead';
    return { call, by, end: attempts.get(keyOf(call))?.end ?? (closed.has(by) ? 'stands' : rest) };
  });
  return { run_id: undoes.run_id, calls, staying: stayingIn(undoes) };
}
