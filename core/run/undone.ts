import type { CarriedPlace } from '../ledger/kinds/run.ts';
import type { OpenStep } from './open-step.ts';
import type { RunFacts } from './state.ts';

/** What a question about a call of an undo says beside the call. */
interface UndoneWords {
  readonly words: string;
  /** Held values in the arguments. */
  readonly carries?: readonly CarriedPlace[];
}

/** The call that a step of an undo takes back: its first step the first call. Undefined in every other run. */
export function undoneBy({ undoes }: RunFacts, { step }: Pick<OpenStep, 'step'>): UndoneWords | undefined {
  const call = undoes?.calls[step - 1];
  if (undoes === undefined || call === undefined) return undefined;
  const { later_calls, later_runs } = undoes;
  const stays = [
    ...(later_calls === 0
      ? []
      : [counted(later_calls, 'later call of that run stays', 'later calls of that run stay')]),
    ...(later_runs === 0 ? [] : [counted(later_runs, 'run began later', 'runs began later')]),
  ];
  const rest = stays.length === 0 ? '' : `; ${stays.join(', ')}, and may rest on it`;
  const words = `It takes back what ${call.capability} did in step ${call.step} of the run ${undoes.run_id.slice(0, 8)}${rest}. `;
  return { words, ...(call.carries && { carries: call.carries }) };
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
