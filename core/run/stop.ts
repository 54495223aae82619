import { unreachable } from '../assert.ts';
import type { Step } from '../errors/details.ts';
import { refuse } from '../errors.ts';
import { commit } from './commit/commit.ts';
import type { StepEnding } from './commit/records.ts';
import { seal } from './lifecycle.ts';
import { powerEvidence, unanswered } from './powers/power-calls.ts';
import type { Executing, RunState, RunStatus, StopRequest } from './state.ts';
import { executing, stay, type Transition } from './step.ts';

/**
 * Ends a run, or the open step of a session, at any moment: a person's abort, a limit of the run, or a caller that gives
 * up its call. The work of the model or the sandbox is cancelled, an open step still gets its receipt, and a write in
 * flight is awaited: records are never cut.
 */
export function stop(state: RunState, wanted: StopRequest): Transition {
  const { at } = state;
  switch (at.phase) {
    case 'INITIALIZING':
    case 'MEMORY_COMMITTING':
    case 'AUTHORIZATION_EVALUATING':
      return later(state, wanted);
    case 'IDLE':
      return wanted.ending === undefined ? stay(state) : seal(state, wanted.ending);
    case 'INPUT_RECEIVED':
      return wanted.ending === undefined ? stay(state) : seal(state, wanted.ending, [{ type: 'cancel' }]);
    case 'PROTOCOL_VALIDATING':
      return cut(state, at.open, {}, wanted);
    case 'AWAITING_APPROVAL':
      return stopAwaiting(state, at, wanted);
    case 'CAPABILITY_EXECUTING':
      return stopCall(state, at, wanted);
    case 'COMPLETED':
    case 'ERROR':
    case 'SHUTDOWN':
      return stay(state);
    default:
      return unreachable(at);
  }
}

/** Stops when the write in flight is durable. The first ending stands. */
function later(state: RunState, wanted: StopRequest): Transition {
  return [{ ...state, stopping: { ...wanted, ...state.stopping } }, []];
}

type Awaiting = Extract<RunStatus, { phase: 'AWAITING_APPROVAL' }>;

function stopAwaiting(state: RunState, at: Awaiting, wanted: StopRequest): Transition {
  switch (at.about) {
    case 'call':
      return cut(state, at.open, {}, wanted);
    case 'power':
      return stopCall(state, at.during, wanted);
    case 'consent':
      return wanted.ending === undefined ? stay(state) : seal(state, wanted.ending);
    default:
      return unreachable(at);
  }
}

function stopCall(state: RunState, at: Executing, wanted: StopRequest): Transition {
  const writing = at.waiting === 'intent' || at.pendingCalls.writes.length > 0;
  if (writing) return later(state, wanted);
  const { capability } = at.charged;
  const call = { ...powerEvidence(state, at), capability, args_hash: at.call.args.ref.sha256, strict: true };
  return cut(state, at.open, { ...unfinished(at), ...call }, wanted);
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

/** Closes the open step as aborted. With an ending the same write seals the run. */
export function cut(
  state: RunState,
  open: Parameters<typeof commit>[1],
  ended: StepEnding,
  { ending }: StopRequest,
): Transition {
  const step = stepOf(state);
  const { refusal } = refuse('call_aborted', {}, step === undefined ? {} : { step });
  const [after, effects] = commit(state, open, { refusal, ...ended }, ending);
  return [after, [{ type: 'cancel' }, ...effects]];
}
