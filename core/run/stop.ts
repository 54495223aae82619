import { unreachable } from '../assert.ts';
import type { Step } from '../errors/details.ts';
import { refuse } from '../errors.ts';
import { commit } from './commit/commit.ts';
import type { StepEnding } from './commit/records.ts';
import type { Ending } from './event.ts';
import { seal } from './lifecycle.ts';
import { powerEvidence, unanswered } from './powers/power-calls.ts';
import type { Executing, RunState, RunStatus } from './state.ts';
import { executing, stay, type Transition } from './step.ts';

/**
 * Ends a run at any moment: a person's abort, or a limit of the run. The work of the model or the sandbox is cancelled,
 * an open step still gets its receipt, and a write in flight is awaited: records are never cut.
 */
export function stop(state: RunState, ending: Ending): Transition {
  const { at } = state;
  switch (at.phase) {
    case 'INITIALIZING':
    case 'MEMORY_COMMITTING':
    case 'AUTHORIZATION_EVALUATING':
      return [{ ...state, stopping: state.stopping ?? ending }, []];
    case 'IDLE':
      return seal(state, ending);
    case 'INPUT_RECEIVED':
      return seal(state, ending, [{ type: 'cancel' }]);
    case 'PROTOCOL_VALIDATING':
      return cut(state, at.open, {}, ending);
    case 'AWAITING_APPROVAL':
      return stopAwaiting(state, at, ending);
    case 'CAPABILITY_EXECUTING':
      return stopCall(state, at, ending);
    case 'COMPLETED':
    case 'ERROR':
    case 'SHUTDOWN':
      return stay(state);
    default:
      return unreachable(at);
  }
}

type Awaiting = Extract<RunStatus, { phase: 'AWAITING_APPROVAL' }>;

function stopAwaiting(state: RunState, at: Awaiting, ending: Ending): Transition {
  switch (at.about) {
    case 'call':
      return cut(state, at.open, {}, ending);
    case 'power':
      return stopCall(state, at.during, ending);
    case 'consent':
      return seal(state, ending);
    default:
      return unreachable(at);
  }
}

function stopCall(state: RunState, at: Executing, ending: Ending): Transition {
  const writing = at.waiting === 'intent' || at.pendingCalls.writes.length > 0;
  if (writing) return [{ ...state, stopping: state.stopping ?? ending }, []];
  const { capability } = at.charged;
  const call = { ...powerEvidence(state, at), capability, args_hash: at.call.args.ref.sha256, strict: true };
  return cut(state, at.open, { ...unfinished(at), ...call }, ending);
}

/**
 * The outcome of a call that is stopped. A call that has not returned may have had its effect; a call whose result is
 * being checked has its full evidence. If a power was in flight, the receipt names that as the reason, and the abort as
 * `ended_by`.
 */
function unfinished(at: Executing): StepEnding {
  if (at.waiting === 'result') return { evidence: at.result.evidence };
  const lost = unanswered(at.pendingCalls);
  return lost === undefined ? { cut: true } : { cut: true, refusal: lost.refusal, ended_by: 'aborted' };
}

/**
 * The gate that the step has reached. A proposal that is still being validated has reached no gate. A step that waits
 * for a person is at `authorize`: the records cannot tell whether the page showed its question yet.
 */
function stepOf(state: RunState): Step | undefined {
  if (state.at.phase === 'PROTOCOL_VALIDATING') return undefined;
  return executing(state) === undefined ? 'authorize' : 'execute';
}

/** Closes the open step as aborted and seals the run, in one write. */
export function cut(
  state: RunState,
  open: Parameters<typeof commit>[1],
  ended: StepEnding,
  ending: Ending,
): Transition {
  const step = stepOf(state);
  const { refusal } = refuse('call_aborted', {}, step === undefined ? {} : { step });
  const [after, effects] = commit(state, open, { refusal, ...ended }, ending);
  return [after, [{ type: 'cancel' }, ...effects]];
}
