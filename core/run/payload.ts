import { concatBytes, sha256Hex, structureHash } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';
import { decodeUtf8, encodeText } from '../json/utf8.ts';
import { isPayloadRef, type Test } from '../ledger/form.ts';
import { parseJson } from '../ledger/line.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import { SALT_BYTES, unsalted } from '../ledger/salt.ts';
import { PROPOSAL_KEPT_BYTES } from '../limits.ts';
import type { Payload } from './effect.ts';
import type { OpenStep } from './open-step.ts';

function payload(bytes: Uint8Array): Payload {
  return { ref: { sha256: sha256Hex(bytes), bytes: bytes.byteLength }, bytes };
}

export function textPayload(text: string): Payload {
  return payload(encodeText(text));
}

/** The salt of a step, where it is secret. */
type Salted = Pick<OpenStep, 'salt'>;

/**
 * A payload of a step. In a secret step a salt of its own stands before the text, made from the step's by `role`: what
 * the payload is to the step, the same for no two of its payloads. So equal texts have hashes that tell nothing of it,
 * one payload that is handed on tells the salt of no other, and whoever has the proposal can make them all again.
 */
export function stepPayload({ salt }: Salted, role: string, text: string): Payload {
  return salt === undefined ? textPayload(text) : saltedPayload(structureHash('salt', `${salt}\n${role}`), text);
}

/** What a record tells by itself, or in a secret step, where it can be guessed from, by a payload. */
export interface Hidden<T> {
  readonly told: T | PayloadRef;
  readonly payload?: Payload;
}

/** A value that holds hashes of what a step worked on: those of a secret step are kept beside its records. */
export function hidden<T>(open: Salted, role: string, value: T): Hidden<T> {
  if (open.salt === undefined) return { told: value };
  const payload = stepPayload(open, role, canonicalText(value));
  return { told: payload.ref, payload };
}

/** Reads back what a record tells by itself or by a payload; undefined where the payload is not there, or is no such value. */
export function shown<T>(
  told: T | PayloadRef,
  test: Test,
  find: (ref: PayloadRef) => Uint8Array | undefined,
): T | undefined {
  if (!isPayloadRef(told)) return told as T;
  const ref = told as PayloadRef;
  const bytes = find(ref);
  const value = bytes && parseJson(decodeUtf8(unsalted(ref, bytes)) ?? '');
  return test(value) ? (value as T) : undefined;
}

/** Which operation of its message a step is at, counted from zero; a call of its own is like the first. */
export function operationIn({ work }: Pick<OpenStep, 'work'>): number {
  return work?.done.length ?? 0;
}

/** What a call returned, or an operation of a message. */
export function resultPayload(open: OpenStep, text: string): Payload {
  return stepPayload(open, `yields ${operationIn(open)}`, text);
}

/** Arguments of a call, or of an operation of a message, counted from zero. */
export function argsPayload(open: Salted, operation: number | undefined, text: string): Payload {
  return stepPayload(open, `args ${operation ?? 0}`, text);
}

/** What a power was asked by a call, or answered it, under this ticket. */
export function powerPayload(open: OpenStep, ticket: number, event: 'asked' | 'answered', text: string): Payload {
  return stepPayload(open, powerRole(open, ticket, event), text);
}

export function powerRole(open: OpenStep, ticket: number, event: 'asked' | 'answered'): string {
  return `power ${operationIn(open)} ${ticket} ${event}`;
}

/** Why a person said no to the question with this digest. */
export function reasonRole(digest: string): string {
  return `reason ${digest}`;
}

/** Sections that a call which waits has touched. */
export function touchedRole(open: OpenStep): string {
  return `parked touched ${operationIn(open)}`;
}

/** Digest of the heap of a call that waits. */
export function parkedRole(open: OpenStep): string {
  return `parked ${operationIn(open)}`;
}

/** The text with this very salt before it. */
export function saltedPayload(salt: string, text: string): Payload {
  const { ref, bytes } = textPayload(salt + text);
  return { ref: { ...ref, salt: SALT_BYTES }, bytes };
}

/** The proposal. The hash is over all of it, however little is kept; of a secret one the step's salt comes first. */
export function proposalPayload(proposed: Uint8Array, bytesMax: number, { salt }: Salted): Payload {
  const bytes = salt === undefined ? proposed : concatBytes(encodeText(salt), proposed);
  const more = salt === undefined ? {} : ({ salt: SALT_BYTES } as const);
  const { ref } = payload(bytes);
  if (proposed.byteLength <= bytesMax) return { ref: { ...ref, ...more }, bytes };
  const kept = bytes.slice(0, PROPOSAL_KEPT_BYTES + (more.salt ?? 0));
  return { ref: { ...ref, kept: kept.byteLength, ...more }, bytes: kept };
}
