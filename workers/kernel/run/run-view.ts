import type { Notice } from '../../../core/run/notices.ts';
import type { RunState } from '../../../core/run/state.ts';
import type { ModelWait, RunView } from '../../api.ts';
import type { RunModel } from './run-model.ts';

/** State of a run outside of its `RunState`. */
interface ViewFacts {
  readonly records: number;
  readonly pending: RunView['pending'] | undefined;
  readonly consent: RunView['consent'] | undefined;
  readonly end: RunView['end'] | undefined;
  readonly left: boolean;
  /** The last failure of the model. */
  readonly failure: RunModel['failure'];
  readonly notices: readonly Notice[];
}

export function viewOf(
  { facts, at, mode, steps, tokens, waiting, failures }: RunState,
  { records, pending, consent, end, left, failure, notices }: ViewFacts,
): RunView {
  return {
    run_id: facts.run_id,
    dialect: facts.dialect,
    phase: at.phase,
    mode,
    steps,
    records,
    ...(tokens && { tokens }),
    ...(pending && { pending }),
    ...(consent && { consent }),
    ...(waiting && WAITING.has(at.phase) && { waiting: waitOf(waiting, failures, failure) }),
    ...(notices.length > 0 && { notices }),
    ...(end && { end }),
    ...(left && { taken: left }),
  };
}

/** Phases of a run whose model has not answered: it rests, or asks again. */
const WAITING: ReadonlySet<RunState['at']['phase']> = new Set(['IDLE', 'INPUT_RECEIVED']);

function waitOf(
  { message, after_ms: afterMs }: NonNullable<RunState['waiting']>,
  failures: number,
  { since, said }: NonNullable<ViewFacts['failure']> = { since: 0 },
): ModelWait {
  return { message, ...(said !== undefined && { said }), ...(afterMs !== undefined && { afterMs }), since, failures };
}

/** True where a crash would lose no work: a kernel that resumes the run finds no interrupted step. */
export function isSafe({ at, mode }: RunState): boolean {
  if (at.phase === 'INPUT_RECEIVED') return true;
  if (at.phase === 'IDLE') return mode === 'paused';
  return at.phase === 'AWAITING_APPROVAL' && (at.about !== 'power' || at.during.pendingCalls.parked);
}
