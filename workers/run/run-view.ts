import type { Notice } from '../../core/run/notices.ts';
import type { RunState } from '../../core/run/state.ts';
import type { ModelWait, RunView } from '../api.ts';

/** State of a run outside of its `RunState`. */
interface ViewFacts {
  readonly records: number;
  readonly pending: RunView['pending'] | undefined;
  readonly consent: RunView['consent'] | undefined;
  readonly end: RunView['end'] | undefined;
  readonly left: boolean;
  /** Text of the model's server about the last failure. */
  readonly said: string | undefined;
  readonly notices: readonly Notice[];
}

export function viewOf(
  { facts, at, mode, steps, waiting, failures }: RunState,
  { records, pending, consent, end, left, said, notices }: ViewFacts,
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

/** True where a crash would lose no work: a kernel that resumes the run finds no interrupted step. */
export function isSafe({ at, mode }: RunState): boolean {
  if (at.phase === 'INPUT_RECEIVED') return true;
  if (at.phase === 'IDLE') return mode === 'paused';
  return at.phase === 'AWAITING_APPROVAL' && (at.about !== 'power' || at.during.pendingCalls.parked);
}
