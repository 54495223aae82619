import type { Charged } from '../../capability/charge.ts';
import * as draft from '../commit/records.ts';
import type { RunEffect } from '../effect.ts';
import type { OpenCall, OpenStep } from '../open-step.ts';
import type { Executing, RunState, RunStatus } from '../state.ts';
import { enter, type Transition, written } from '../step.ts';

/** Starts a charged call. A call with effects starts only after its intent is durable. */
export function launch(state: RunState, open: OpenStep, charged: Charged, call: OpenCall): Transition {
  const { effect } = charged.capability.manifest;
  if (effect === 'pure' || effect === 'read') {
    const at: RunStatus = { phase: 'CAPABILITY_EXECUTING', open, call, charged, waiting: 'call' };
    return execute(enter(state, at), at);
  }
  const drafts = [...open.drafts, draft.intent(open, charged.capability, call.args.ref.sha256)];
  const at: RunStatus = { phase: 'CAPABILITY_EXECUTING', open: written(open), call, charged, waiting: 'intent' };
  return [enter(state, at), [{ type: 'append', drafts, payloads: open.payloads, durability: 'strict' }]];
}

/** Hands a paid call to the sandbox. */
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
