import * as draft from '../commit/records.ts';
import type { RunEffect } from '../effect.ts';
import type { OpenStep, Permit } from '../open-step.ts';
import { NO_POWER_CALLS } from '../pending-power-calls.ts';
import type { Executing, RunState } from '../state.ts';
import { enter, type Transition, written } from '../step.ts';

/** A permitted call of an open step, before its first power call. */
export function startedCall(open: OpenStep, { charged, call }: Permit, waiting: 'intent' | 'call' | 'text'): Executing {
  return { phase: 'CAPABILITY_EXECUTING', open, call, charged, waiting, pendingCalls: NO_POWER_CALLS };
}

/**
 * Starts a charged call. A call with effects, and every call of a tool, starts only after its intent is written. The
 * intent of an effect is flushed first; a call that only reads is harmless where a power cut takes its intent.
 */
export function launch(state: RunState, open: OpenStep, permit: Permit): Transition {
  const { capability } = permit.charged;
  const { effect, host } = capability.manifest;
  const isHarmless = effect === 'pure' || effect === 'read';
  if (host === undefined && isHarmless) {
    const at = startedCall(open, permit, 'call');
    return execute(enter(state, at), at);
  }
  const drafts = [...open.drafts, draft.intent(open, capability, permit.call.args.ref.sha256)];
  const at = startedCall(written(open), permit, 'intent');
  const durability = isHarmless ? 'relaxed' : 'strict';
  return [enter(state, at), [{ type: 'append', drafts, payloads: open.payloads, durability }]];
}

/** Hands a paid call to the sandbox, or to the program whose tool it calls. */
export function execute(state: RunState, at: Executing): Transition {
  return [{ ...state, at: { ...at, waiting: 'call' } }, [executeEffect(state, at)]];
}

/** The effect that runs the call, with the same clock and seed for a replay. */
export function executeEffect(
  { facts: { heapHash } }: RunState,
  { open, charged, call }: Executing,
): Extract<RunEffect, { type: 'execute' }> {
  const seed = Number.parseInt(open.step_id.slice(0, 8), 16);
  const input = { seed, now: open.now, ...(heapHash && { heapHash }) };
  return { type: 'execute', step: open.step, call: charged, args: call.argsText, ...input };
}
