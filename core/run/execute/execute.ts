import type { Capability } from '../../capability/capability.ts';
import * as draft from '../commit/records.ts';
import type { RunEffect } from '../effect.ts';
import { handedBy } from '../held.ts';
import type { OpenStep, Permit } from '../open-step.ts';
import { NO_POWER_CALLS } from '../pending-power-calls.ts';
import type { Executing, RunState } from '../state.ts';
import { enter, type Transition, unwritten, written } from '../step.ts';
import { operationOf } from './operation-result.ts';

/** A permitted call of an open step, before its first power call. */
function startedCall(open: OpenStep, { charged, call }: Permit, waiting: 'intent' | 'call'): Executing {
  return { phase: 'CAPABILITY_EXECUTING', open, call, charged, waiting, pendingCalls: NO_POWER_CALLS };
}

/**
 * Starts a charged call, or the next operation of a message. A call with effects, and every call of a tool, starts only
 * after its intent is written, and so does a call that passes held values on. The intent of an effect is flushed first; a call that only reads is harmless where a
 * power cut takes its intent. The outcome of an effect before it is written first, too.
 */
export function launch(state: RunState, open: OpenStep, permit: Permit): Transition {
  const { capability } = permit.charged;
  const due = dueOf(open);
  const kept = handedBy(state, open, 'before');
  // the bits of a release stand in the ledger before it starts
  const isIntended = isCall(open) && (isRecorded(capability) || kept.length > 0 || open.held?.release !== undefined);
  if (!isIntended && due === undefined) {
    const at = startedCall(open, permit, 'call');
    return beginCall(enter(state, at), at);
  }
  const { drafts, payloads } = unwritten(open);
  const intents = isIntended ? [draft.intent(open, capability, permit.call.args.ref.sha256)] : [];
  const at = startedCall(written(open), permit, 'intent');
  const durability = due === 'strict' || (isIntended && !isHarmless(capability)) ? 'strict' : 'relaxed';
  return [
    enter(state, at),
    [{ type: 'append', drafts: [...drafts, ...intents], payloads, ...(kept.length > 0 && { kept }), durability }],
  ];
}

/**
 * How the records of the settled operations are written before the next one. Behind the operations that are told comes
 * the first that is held: after a crash its records say so.
 */
function dueOf({ work, held }: OpenStep): 'strict' | 'relaxed' | undefined {
  if (work === undefined) return undefined;
  const { due, drafts } = work.progress;
  const isFirst = held?.message?.from === work.done.length && drafts.length > 0;
  return due ?? (isFirst ? 'relaxed' : undefined);
}

/** True for a call that can have had an effect, or that a program carries out. */
export function isRecorded({ manifest: { host, effect } }: Capability): boolean {
  return host !== undefined || effect === 'write' || effect === 'egress';
}

export function isHarmless({ manifest: { effect } }: Capability): boolean {
  return effect === 'pure' || effect === 'read';
}

/** True unless the current operation is a READ or a WRITE, which load a file. */
function isCall({ work }: OpenStep): boolean {
  return work === undefined || operationOf(work).type === 'EXECUTE';
}

/** Begins a call whose records are durable, or loads the file of a READ or a WRITE. */
export function beginCall(state: RunState, at: Executing): Transition {
  const { work, step } = at.open;
  if (work === undefined || isCall(at.open)) return execute(state, at);
  const path = work.targets[work.done.length]?.file_path ?? '';
  return [{ ...state, at: { ...at, waiting: 'text' } }, [{ type: 'load', step, path }]];
}

/** Hands a paid call to the sandbox, or to the program whose tool it calls. */
function execute(state: RunState, at: Executing): Transition {
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
