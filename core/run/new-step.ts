import { assert } from '../assert.ts';
import { sha256Text } from '../hash.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { type PayloadRef, unsalted } from '../ledger/payload-ref.ts';
import * as draft from './commit/records.ts';
import type { Payload } from './effect.ts';
import type { RunEvent } from './event.ts';
import type { OpenStep } from './open-step.ts';
import { proposalPayload, stepPayload, wirePayload } from './payload.ts';
import type { RunFacts } from './state.ts';

/** The step of a proposal that has arrived, with the record of it. The same proposal makes the same step. */
export function newStep(
  facts: RunFacts,
  event: Extract<RunEvent, { type: 'proposed' }>,
  isSecret: boolean,
  by?: 'person',
): OpenStep {
  const salted = isSecret ? { salt: saltOf(event) } : {};
  const payload = proposalPayload(event.bytes, facts.limits.proposalBytes, salted);
  const id = { step: event.step, step_id: stepId(facts.run_id, event.step, payload.ref.sha256) };
  const text = decodeUtf8(unsalted(payload.ref, payload.bytes)) ?? '(not UTF-8)';
  const goal = event.goal === undefined ? undefined : stepPayload(salted, 'goal', event.goal);
  const providerData = providerDataIn(event, salted);
  const wire = wireIn(event, facts, salted);
  const open = {
    ...id,
    proposal: payload.ref,
    answer: event.answer ?? {},
    text,
    drafts: [],
    payloads: [
      payload,
      ...(goal ? [goal] : []),
      ...(providerData?.payload ?? []),
      ...(wire && 'bytes' in wire ? [wire] : []),
    ],
    ...(goal && { goal: goal.ref }),
    ...(providerData && { providerData: providerData.told }),
    ...(wire && { wire: wire.ref }),
    ...(event.window !== undefined && { window: event.window }),
    now: event.now,
    nonce: event.nonce,
    ...salted,
  };
  return { ...open, drafts: [draft.proposal(open, by)] };
}

interface ProviderData {
  readonly told: NonNullable<OpenStep['providerData']>;
  readonly payload?: readonly Payload[];
}

/** A replay has the reference alone, which is enough: nothing is decided by this text. */
function providerDataIn(
  { providerData: data }: Extract<RunEvent, { type: 'proposed' }>,
  salted: { readonly salt?: string },
): ProviderData | undefined {
  if (data === undefined) return undefined;
  if (typeof data !== 'string') return { told: { ref: data } };
  const payload = stepPayload(salted, 'provider data', data);
  return { told: { ref: payload.ref, text: data }, payload: [payload] };
}

/** A replay has the reference alone, as above. */
function wireIn(
  { wire }: Extract<RunEvent, { type: 'proposed' }>,
  { limits }: RunFacts,
  salted: { readonly salt?: string },
): Payload | { readonly ref: PayloadRef } | undefined {
  if (wire === undefined) return undefined;
  return wire instanceof Uint8Array ? wirePayload(wire, limits.proposalBytes, salted) : { ref: wire };
}

function saltOf({ salt }: Extract<RunEvent, { type: 'proposed' }>): string {
  assert(salt !== undefined, 'a proposal to a run with secrets comes with a salt');
  return salt;
}

/** UUID v8 (RFC 9562) of run, index and proposal: a replay gives the same step the same name. */
export function stepId(run_id: string, step: number, proposal: string): string {
  const hex = sha256Text(`sallyport/step/1\n${run_id}:${step}:${proposal}`);
  const variant = (8 | (Number.parseInt(hex.charAt(16), 16) & 3)).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
