import { isSlice as isSliceText } from '../content/slice-form.ts';
import { isSymbol as isSymbolText } from '../content/target.ts';
import { isHash } from '../hash.ts';
import { isCount, isObject, type JsonObject } from '../json/value.ts';
import { ANSWER_KEPT_BYTES, PROPOSAL_KEPT_BYTES } from '../limits.ts';
import { lengthOf, type PayloadRef, SALT_BYTES } from './payload-ref.ts';

/** Test of a member. A closed object is described by a test for each member. */
export type Test = (value: unknown) => boolean;

/** A test for every member of T; a missing test does not compile. `optional` marks a member that may be absent. */
export type Form<T> = { readonly [K in keyof T]-?: Test };

/** The form of each body. A body that differs by its event has a form for each event. */
export type Forms<T> = { readonly [K in keyof T]: true extends IsUnion<T[K]> ? EventForms<T[K]> : Form<T[K]> };

type IsUnion<B, Whole = B> = B extends unknown ? ([Whole] extends [B] ? false : true) : never;

type EventForms<B> = [B] extends [{ readonly event: infer E extends string }]
  ? { readonly byEvent: { readonly [K in E]: Form<Extract<B, { readonly event: K }>> } }
  : never;

const OPTIONAL = new WeakSet<Test>();

export function optional(test: Test): Test {
  const marked: Test = (value) => test(value);
  OPTIONAL.add(marked);
  return marked;
}

type AnyForm = { readonly [name: string]: Test };
type AnyForms = { readonly byEvent: { readonly [event: string]: AnyForm } };

/** First violation of its form by a body. A body without a known event is compared with the first form of its kind. */
export function bodyViolation(body: object, form: AnyForm | AnyForms): string | undefined {
  if (typeof form.byEvent !== 'object') return violation(body, form as AnyForm);
  const { byEvent } = form;
  const event = String((body as { readonly event?: unknown }).event);
  return violation(body, (Object.hasOwn(byEvent, event) ? byEvent[event] : Object.values(byEvent)[0]) as AnyForm);
}

/** First violation of the form by the value, in a few words of ours; undefined for a valid value. */
export function violation(value: unknown, form: AnyForm): string | undefined {
  if (!isObject(value)) return 'not an object';
  if (isInOrder(value, form)) return undefined;
  for (const name of Object.keys(form)) {
    const test = form[name] as Test;
    if (!Object.hasOwn(value, name)) {
      if (!OPTIONAL.has(test)) return `${name} is missing`;
    } else if (!test(value[name])) return `${name} is not valid`;
  }
  return Object.keys(value).every((name) => Object.hasOwn(form, name)) ? undefined : 'an unknown member';
}

/** The members of a form in the order of canonical JSON. */
const SORTED = new WeakMap<
  AnyForm,
  readonly { readonly name: string; readonly test: Test; readonly isOptional: boolean }[]
>();

function sortedOf(form: AnyForm) {
  const made = Object.keys(form)
    .sort()
    .map((name) => ({ name, test: form[name] as Test, isOptional: OPTIONAL.has(form[name] as Test) }));
  SORTED.set(form, made);
  return made;
}

/** True for a valid value with sorted members, as nearly every value is: a single pass, without a lookup by name. */
function isInOrder(value: JsonObject, form: AnyForm): boolean {
  const members = SORTED.get(form) ?? sortedOf(form);
  let at = 0;
  for (const name of Object.keys(value)) {
    while (members[at]?.name !== name) if (members[at++]?.isOptional !== true) return false;
    if (members[at++]?.test(value[name]) !== true) return false;
  }
  while (at < members.length) if (members[at++]?.isOptional !== true) return false;
  return true;
}

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UUID_V8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const WORD = /^[a-z][a-z0-9_]{0,63}$/;

export const isText: Test = (value) => typeof value === 'string';
/** A code, a class, a gate: the words of our tables, which later versions may add to. */
export const isWord: Test = (value) => typeof value === 'string' && WORD.test(value);
export const isUuid4: Test = (value) => typeof value === 'string' && UUID_V4.test(value);
export const isUuid8: Test = (value) => typeof value === 'string' && UUID_V8.test(value);
export const isHex: Test = (value) => typeof value === 'string' && value.length % 2 === 0 && /^[0-9a-f]*$/.test(value);
export const isSymbol: Test = (value) => typeof value === 'string' && isSymbolText(value);
export const isSlice: Test = (value) => typeof value === 'string' && isSliceText(value);
/** The run `system` holds the records that belong to no run. */
export const isRunId: Test = (value) => value === 'system' || isUuid4(value);

export function oneOf(...values: readonly unknown[]): Test {
  return (value) => values.includes(value);
}

export function arrayOf(test: Test): Test {
  return (value) => Array.isArray(value) && value.every(test);
}

export function shaped(form: AnyForm): Test {
  return (value) => violation(value, form) === undefined;
}

const isRef: Test = shaped({ sha256: isHash, bytes: isCount, salt: optional(oneOf(SALT_BYTES)) });
const isAnyRef: Test = shaped({
  sha256: isHash,
  bytes: isCount,
  kept: optional(isCount),
  salt: optional(oneOf(SALT_BYTES)),
});

export const isPayloadRef: Test = (value) => isAnyRef(value) && holdsSalt(value as PayloadRef);
/** A reference to a payload that is stored whole, unless it has been erased. */
export const isWholeRef: Test = (value) => isRef(value) && holdsSalt(value as PayloadRef);
/** A whole reference without a salt, for records that belong to no secret step. */
export const isPlainRef: Test = shaped({ sha256: isHash, bytes: isCount });

function holdsSalt(ref: PayloadRef): boolean {
  return lengthOf(ref) >= 0;
}
/** A reference to a proposal. Of a proposal over the size limit only the beginning is stored, with a fixed length. */
export const isProposalRef: Test = (value) => {
  const { bytes = 0, kept, salt } = Object(value) as Partial<PayloadRef>;
  return isPayloadRef(value) && (kept === undefined || kept === Math.min(bytes, PROPOSAL_KEPT_BYTES + (salt ?? 0)));
};
/** A reference to the whole answer of a tool. It is stored whole, and of an answer over the limit no byte is stored. */
export const isAnswerRef: Test = (value) =>
  isPayloadRef(value) &&
  (value as PayloadRef).kept === (lengthOf(value as PayloadRef) > ANSWER_KEPT_BYTES ? 0 : undefined);
