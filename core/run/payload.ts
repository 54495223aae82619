import { sha256Hex, structureHash } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';
import { concatBytes, decodeUtf8, encodeText } from '../json/utf8.ts';
import { isPayloadRef, type Test } from '../ledger/form.ts';
import { parseJson } from '../ledger/line.ts';
import { lengthOf, type PayloadRef, SALT_BYTES, unsalted } from '../ledger/payload-ref.ts';
import { ANSWER_KEPT_BYTES, PROPOSAL_KEPT_BYTES } from '../limits.ts';
import type { Payload } from './effect.ts';
import type { OpenStep } from './open-step.ts';

function payload(bytes: Uint8Array): Payload {
  // in canonical order, like the bodies that name it
  return { ref: { bytes: bytes.byteLength, sha256: sha256Hex(bytes) }, bytes };
}

export function textPayload(text: string): Payload {
  return payload(encodeText(text));
}

/** The salt of a step, if the step is secret. */
type SaltSource = Pick<OpenStep, 'salt'>;

/**
 * A payload of a step. In a secret step a salt stands before the text, derived from the step's salt and `role`: the
 * payload's part in the step, unique among its payloads. So the hashes of equal texts differ, the salt of a disclosed
 * payload reveals no other salt, and a reader of the proposal can derive all of them again.
 */
export function stepPayload({ salt }: SaltSource, role: string, text: string): Payload {
  return salt === undefined ? textPayload(text) : saltedPayload(structureHash('salt', `${salt}\n${role}`), text);
}

/** A value as a record holds it: inline, or, in a secret step where the value could be guessed, by a payload. */
export interface HiddenValue<T> {
  readonly told: T | PayloadRef;
  readonly payload?: Payload;
}

/** Holds a value with hashes of a step's data: inline, or in a secret step as a payload beside the records. */
export function hidden<T>(open: SaltSource, role: string, value: T): HiddenValue<T> {
  if (open.salt === undefined) return { told: value };
  const payload = stepPayload(open, role, canonicalText(value));
  return { told: payload.ref, payload };
}

/** Reads back a hidden value. Undefined if its payload is missing or fails the test. */
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

/** Index of the operation that a step is at, counted from zero; 0 for a step with a single call. */
export function operationIn({ work }: Pick<OpenStep, 'work'>): number {
  return work?.done.length ?? 0;
}

/** The result of a call, or of an operation of a message. */
export function resultPayload(open: OpenStep, text: string): Payload {
  return stepPayload(open, `yields ${operationIn(open)}`, text);
}

/**
 * The whole answer of a tool, or of the tool of an operation. The hash covers all of it; over the limit no byte is kept. A
 * replay has the reference alone, which is enough: nothing is decided by these bytes.
 */
export function answerPayload(
  open: OpenStep,
  answer: string | PayloadRef,
): { readonly ref: PayloadRef; readonly payload?: Payload } {
  if (typeof answer !== 'string') return { ref: answer };
  const made = stepPayload(open, `answer ${operationIn(open)}`, answer);
  if (lengthOf(made.ref) <= ANSWER_KEPT_BYTES) return { ref: made.ref, payload: made };
  const { salt, ...ref } = made.ref;
  return { ref: { ...ref, kept: 0, ...(salt && { salt }) } };
}

/** Arguments of a call, or of an operation of a message, counted from zero. */
export function argsPayload(open: SaltSource, operation: number | undefined, text: string): Payload {
  return stepPayload(open, `args ${operation ?? 0}`, text);
}

/** A power call's arguments (`asked`) or its answer (`answered`), under this ticket. */
export function powerPayload(open: OpenStep, ticket: number, event: 'asked' | 'answered', text: string): Payload {
  return stepPayload(open, powerRole(open, ticket, event), text);
}

export function powerRole(open: OpenStep, ticket: number, event: 'asked' | 'answered'): string {
  return `power ${operationIn(open)} ${ticket} ${event}`;
}

/** Role of the reason that a person gave for refusing the question with this digest. */
export function reasonRole(digest: string): string {
  return `reason ${digest}`;
}

/** Role of the list of sections that a parked call has touched. */
export function touchedRole(open: OpenStep): string {
  return `parked touched ${operationIn(open)}`;
}

/** Role of the digest of a parked call's heap. */
export function parkedRole(open: OpenStep): string {
  return `parked ${operationIn(open)}`;
}

/** Role of the list of reads that begins with the call of this ticket. */
export function readsRole(open: OpenStep, ticket = 0): string {
  return `reads ${operationIn(open)} ${ticket}`;
}

/** The text behind exactly this salt. */
export function saltedPayload(salt: string, text: string): Payload {
  const { ref, bytes } = textPayload(salt + text);
  return { ref: { ...ref, salt: SALT_BYTES }, bytes };
}

/**
 * The proposal. The hash covers all of its bytes, however few are kept. In a secret step the step's salt comes first.
 */
export function proposalPayload(proposed: Uint8Array, bytesMax: number, { salt }: SaltSource): Payload {
  const bytes = salt === undefined ? proposed : concatBytes([encodeText(salt), proposed]);
  const more = salt === undefined ? {} : ({ salt: SALT_BYTES } as const);
  const { ref } = payload(bytes);
  if (proposed.byteLength <= bytesMax) return { ref: { ...ref, ...more }, bytes };
  const kept = bytes.slice(0, PROPOSAL_KEPT_BYTES + (more.salt ?? 0));
  return { ref: { ...ref, kept: kept.byteLength, ...more }, bytes: kept };
}

/**
 * The message of a host that held a call, or that was turned away. In a secret step its salt is derived from the step's
 * salt, as those of the step's other payloads are.
 */
export function wirePayload(bytes: Uint8Array, bytesMax: number, { salt }: SaltSource): Payload {
  return proposalPayload(bytes, bytesMax, salt === undefined ? {} : { salt: structureHash('salt', `${salt}\nwire`) });
}
