import type { Draft } from '../ledger/record.ts';
import { askConsent, needsConsent } from './authorize/consent.ts';
import * as draft from './commit/records.ts';
import { type Context, remember } from './context.ts';
import type { Payload, RunEffect } from './effect.ts';
import type { Ending } from './event.ts';
import { limitReached } from './limit-reached.ts';
import { textPayload } from './payload.ts';
import type { RunState } from './state.ts';
import { enter, type Transition } from './step.ts';

/**
 * Continues after a step: records pending tasks, asks for the next proposal, rests, or ends. The system owns the loop
 * (XCT 5).
 */
export function continueRun(state: RunState): Transition {
  if (state.stopping?.ending !== undefined) return seal(state, state.stopping.ending);
  if (state.pendingTasks.length > 0) return recordTasks(state);
  const idle = enter(state, { phase: 'IDLE' });
  if (idle.mode === 'running' || idle.stepRequested) return askModel({ ...idle, stepRequested: false });
  return [{ ...idle, mode: 'paused' }, []];
}

/** Records the pending tasks before the model is asked. */
export function recordTasks(
  { ending: _, ...state }: RunState,
  before: readonly Draft[] = [],
  facts: readonly Payload[] = [],
): Transition {
  const texts = state.pendingTasks.map(textPayload);
  const tasks = texts.map(({ ref }) => ({ kind: 'task', body: { text: ref } }) as const);
  const context = state.pendingTasks.reduce<Context>((heard, task) => remember(heard, 'task', task), state.context);
  const append = {
    type: 'append',
    drafts: [...before, ...tasks],
    payloads: [...facts, ...texts],
    durability: 'strict',
  } as const;
  return [enter(state, { phase: 'MEMORY_COMMITTING', then: 'idle' }, [], { context, pendingTasks: [] }), [append]];
}

/** Asks for a proposal, unless the run has used up its steps or its tokens. */
export function askModel(state: RunState): Transition {
  const reached = limitReached(state, 'ask');
  if (reached !== undefined) return seal(state, reached);
  if (needsConsent(state)) return askConsent(state);
  const { retryMs, ...asking } = state;
  const later = retryMs === undefined ? {} : { after_ms: retryMs };
  const propose = { type: 'propose', step: state.steps + 1, context: state.context, ...later } as const;
  return [enter(asking, { phase: 'INPUT_RECEIVED' }), [propose]];
}

/** Writes the run's last record. */
export function seal(state: RunState, ending: Ending, before: readonly RunEffect[] = []): Transition {
  const { draft: last, payloads } = draft.seal(ending, state.steps);
  const committing = enter(state, { phase: 'MEMORY_COMMITTING', then: 'sealed' }, [], { ending });
  return [committing, [...before, { type: 'append', drafts: [last], payloads, durability: 'strict' }]];
}

/**
 * Ends the turn: the seal and all records before it are durable. A session that is closed takes no further turn. The run ends with the turn, unless a person has sent
 * another task meanwhile. Other requests made meanwhile are dropped.
 */
export function finish({ stopping, ...state }: RunState): Transition {
  const ending = state.ending ?? { state: 'failed' };
  const phase = ending.state === 'completed' && !state.facts.caller ? 'COMPLETED' : 'SHUTDOWN';
  if (phase === 'COMPLETED' && stopping?.ending === undefined && state.pendingTasks.length > 0)
    return recordTasks(enter(state, { phase }));
  const over = { mode: 'paused', stepRequested: false, pendingTasks: [], pendingNotes: 0 } as const;
  return [enter(state, { phase }, [], over), [{ type: 'end', ending }]];
}
