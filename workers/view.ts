import type { RunState } from '../core/inner.ts';
import type { RunView } from './api.ts';

/** What is known of a run beside its state. */
interface Beside {
  readonly records: number;
  readonly pending: RunView['pending'] | undefined;
  readonly consent: RunView['consent'] | undefined;
  readonly end: RunView['end'] | undefined;
  readonly left: boolean;
}

export function viewOf(
  { facts, at, mode, steps }: RunState,
  { records, pending, consent, end, left }: Beside,
): RunView {
  return {
    run_id: facts.run_id,
    dialect: facts.dialect,
    phase: at.phase,
    mode,
    steps,
    records,
    ...(pending && { pending }),
    ...(consent && { consent }),
    ...(end && { end }),
    ...(left && { taken: left }),
  };
}

/** Where a crash would lose nothing: whoever takes the run up finds no step that was cut off. */
export function isSafe({ at, mode }: RunState): boolean {
  if (at.phase === 'INPUT_RECEIVED') return true;
  if (at.phase === 'IDLE') return mode === 'paused';
  return at.phase === 'AWAITING_APPROVAL' && (!('during' in at) || at.during.desk?.parked === true);
}
