import type { RunEffect } from './effect.ts';
import type { OpenStep } from './open-step.ts';
import type { Executing, Phase, RunState, Stand } from './state.ts';

/** A state and what it asks of the outside. Nothing has happened yet when it is returned. */
export type Transition = readonly [RunState, readonly RunEffect[]];

/** Enters a stand, by way of the phases passed on the way to it in this event. */
export function enter(
  state: RunState,
  at: Stand,
  via: readonly Phase[] = [],
  changes: Partial<RunState> = {},
): RunState {
  return { ...state, ...changes, at, trail: [...state.trail, ...via, at.phase] };
}

/** The same state: the event was late, or says nothing here. */
export function stay(state: RunState): Transition {
  return [state, []];
}

/** The proposal on its way, also while a person is asked about a power of its call. */
export function openStep({ at }: RunState): OpenStep | undefined {
  if ('during' in at) return at.during.open;
  return 'open' in at ? at.open : undefined;
}

/** The call that runs, also while a person is asked about one of its powers. */
export function executing({ at }: RunState): Executing | undefined {
  if (at.phase === 'CAPABILITY_EXECUTING') return at;
  return at.phase === 'AWAITING_APPROVAL' && 'during' in at ? at.during : undefined;
}
