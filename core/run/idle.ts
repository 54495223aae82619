import { askConsent, needsConsent } from './consent.ts';
import * as draft from './draft.ts';
import type { RunEffect } from './effect.ts';
import type { Ending, RunState } from './state.ts';
import { enter, type Transition } from './step.ts';

/** What follows a step: rest, the next proposal, or the end. The system owns the loop (XCT 5). */
export function rest(state: RunState): Transition {
  if (state.stopping !== undefined) return seal(state, state.stopping);
  const idle = enter(state, { phase: 'IDLE' });
  if (idle.mode === 'running' || idle.due) return askModel({ ...idle, due: false });
  return [{ ...idle, mode: 'paused' }, []];
}

/** Asks for one proposal, unless the run has used up its steps. */
export function askModel(state: RunState): Transition {
  const { steps: limit } = state.facts.limits;
  if (state.steps >= limit) return seal(state, { state: 'limit', code: 'limit_steps' });
  if (needsConsent(state)) return askConsent(state);
  const step = state.steps + 1;
  return [enter(state, { phase: 'INPUT_RECEIVED' }), [{ type: 'propose', step, context: state.context }]];
}

/** Writes the run's last record. Nothing comes after it. */
export function seal(state: RunState, ending: Ending, before: readonly RunEffect[] = []): Transition {
  const { draft: last, payloads } = draft.seal(ending, state.steps);
  const committing = enter(state, { phase: 'MEMORY_COMMITTING', then: 'sealed' }, [], { ending });
  return [committing, [...before, { type: 'append', drafts: [last], payloads, durability: 'strict' }]];
}

/** The seal is durable, and what went before it: the run is over. What was asked of it meanwhile is not kept. */
export function finish({ stopping: _, ...state }: RunState): Transition {
  const ending = state.ending ?? { state: 'failed' };
  const phase = ending.state === 'completed' ? 'COMPLETED' : 'SHUTDOWN';
  return [enter(state, { phase }, [], { mode: 'paused', due: false, noting: 0 }), [{ type: 'end', ending }]];
}
