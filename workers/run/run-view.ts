import type { Notice } from '../../core/run/notices.ts';
import type { RunState } from '../../core/run/state.ts';
import type { ModelWait, RunView } from '../api.ts';

/** What is known of a run beside its state. */
interface Beside {
  readonly records: number;
  readonly pending: RunView['pending'] | undefined;
  readonly consent: RunView['consent'] | undefined;
  readonly end: RunView['end'] | undefined;
  readonly left: boolean;
  /** What the model's server said of its last failure. */
  readonly said: string | undefined;
  readonly notices: readonly Notice[];
}

export function viewOf(
  { facts, at, mode, steps, waiting, failures }: RunState,
  { records, pending, consent, end, left, said, notices }: Beside,
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
    ...(waiting && at.phase === 'IDLE' && { waiting: waitOf(waiting, failures, said) }),
    ...(notices.length > 0 && { notices }),
    ...(end && { end }),
    ...(left && { taken: left }),
  };
}

function waitOf(
  { message, after_ms: afterMs }: NonNullable<RunState['waiting']>,
  failures: number,
  said: string | undefined,
): ModelWait {
  return { message, ...(said !== undefined && { said }), ...(afterMs !== undefined && { afterMs }), failures };
}

/** Where a crash would lose nothing: whoever takes the run up finds no step that was cut off. */
export function isSafe({ at, mode }: RunState): boolean {
  if (at.phase === 'INPUT_RECEIVED') return true;
  if (at.phase === 'IDLE') return mode === 'paused';
  return at.phase === 'AWAITING_APPROVAL' && (!('during' in at) || at.during.desk?.parked === true);
}
