import { refuse } from '../errors.ts';
import { commit } from './commit.ts';
import type { Ended } from './draft.ts';
import { seal } from './idle.ts';
import type { Ending, RunState } from './state.ts';
import { stay, type Transition } from './step.ts';

/**
 * Ends a run at any moment: abort by a person, or a limit of the run. What the model or the sandbox is doing is
 * cancelled, a proposal in work still gets its receipt, and a write in flight is waited for: records are never cut.
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
      return 'consent' in at ? seal(state, ending) : cut(state, at.open, {}, ending);
    case 'CAPABILITY_EXECUTING':
      if (at.waiting === 'intent') return [{ ...state, stopping: state.stopping ?? ending }, []];
      return cut(
        state,
        at.open,
        { ...unfinished(at), capability: at.charged.capability, args_hash: at.call.args.ref.sha256, strict: true },
        ending,
      );
    case 'COMPLETED':
    case 'ERROR':
    case 'SHUTDOWN':
      return stay(state);
  }
}

/** A call that is not back yet may have had its effect; of one whose result is being checked everything is known. */
function unfinished({ waiting }: Extract<RunState['at'], { phase: 'CAPABILITY_EXECUTING' }>): Ended {
  return typeof waiting === 'string' ? { cut: true } : { evidence: waiting.result.evidence };
}

/** Closes the open step as aborted and seals the run, in one write. */
export function cut(state: RunState, open: Parameters<typeof commit>[1], ended: Ended, ending: Ending): Transition {
  const { refusal } = refuse('call_aborted', {}, { step: 'execute' });
  const [after, effects] = commit(state, open, { ...ended, refusal }, ending);
  return [after, [{ type: 'cancel' }, ...effects]];
}
