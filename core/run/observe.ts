import { CODES, refuse } from '../errors.ts';
import { canonicalText, sortedText } from '../json/canonical.ts';
import { utf8Length } from '../json/utf8.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { parseJson } from '../ledger/line.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import { REPLY_BYTES } from '../limits.ts';
import type { Refusal } from '../outcome.ts';

/**
 * Makes every reply that the model sees, in all dialects: XCT 4.1 and 4.2. A reply holds only the members that the
 * table of codes promises: no exception, no stack, no grant of another capability.
 */
export function observeRefusal(refusal: Refusal): JsonObject {
  const { class: kind, code, step, pointer, message, details } = refusal;
  const place = { ...(step === undefined ? {} : { step }), ...(pointer === undefined ? {} : { pointer }) };
  return { details: { ...details, class: kind, code, ...place }, message, status: 'error' };
}

/** The refusal in a reply that `observeRefusal` made; undefined for any other reply. */
export function refusalIn(reply: JsonValue | undefined): Refusal | undefined {
  if (!isObject(reply) || reply['status'] !== 'error' || !isObject(reply['details'])) return undefined;
  const { message } = reply;
  const { class: kind, code, step, pointer, ...details } = reply['details'];
  const place = { ...(step === undefined ? {} : { step }), ...(pointer === undefined ? {} : { pointer }) };
  return { class: kind, code, message, details, ...place } as Refusal;
}

/**
 * Reply to a message in which only non-critical operations failed: an error that still carries the results of the
 * successful operations.
 */
export function observePartial(refusal: Refusal, result: JsonValue): JsonObject {
  const { status, message, details } = observeRefusal(refusal);
  return { status: status ?? 'error', message: message ?? '', details: { ...(details as JsonObject), result } };
}

export function observeResult(result: JsonValue): JsonObject {
  return { result, status: 'success' };
}

/**
 * Canonical text of a reply. A reply of more than `limit` UTF-8 bytes gets `reply_omitted` in place of its result or
 * details, and keeps the rest. A success stays a success, so that the model does not repeat the call, and refers to the
 * result in the ledger. An error keeps its sentence, its code, its place and, where they fit, the guest's own words. A
 * reply to a message refers to the result of each operation, as far as the references fit. The text has at most
 * `REPLY_BYTES` bytes where the limit is smaller.
 */
export function replyText(reply: JsonObject, limit: number, leftOut: () => LeftOut = () => ({})): string {
  const text = sortedText(reply);
  const used = utf8Length(text);
  if (used <= limit) return text;
  const { status, message, details } = reply;
  const omitted = { class: CODES.reply_omitted.class, code: 'reply_omitted', limit };
  const { result, results = [], rest } = leftOut();
  if (status !== 'error') {
    const note = (some: LeftOut['results'] = []): string =>
      canonicalText(
        observeResult({ ...omitted, used, ...result, ...listed(some), ...(rest && { rest: { ...rest } }) }),
      );
    const fitting = results.findLastIndex((_, last) => utf8Length(note(results.slice(0, last + 1))) <= limit);
    return note(results.slice(0, fitting + 1));
  }
  const kept = (names: readonly string[]): JsonObject =>
    Object.fromEntries(Object.entries(isObject(details) ? details : {}).filter(([name]) => names.includes(name)));
  const error = (names: readonly string[], some: LeftOut['results'] = []) => ({
    status,
    message: message ?? '',
    details: { ...kept(names), omitted: { ...omitted, ...listed(some) } },
  });
  const forms = [results, []].flatMap((some) =>
    [[...NAMED, 'error'], NAMED].map((names) => canonicalText(error(names, some))),
  );
  return forms.find((each) => utf8Length(each) <= limit) ?? shortest(error(NAMED), Math.max(limit, REPLY_BYTES));
}

/** A changed place with its new value. Of a call with handles no value is told, only that the place was changed. */
export type ToldChange = { readonly pointer: string } & (
  | { readonly value: JsonValue }
  | { readonly removed: true }
  | { readonly changed: true }
);

/** A call that a person has put in the place of another: its step, and where its arguments differ. */
export interface ToldReplacement {
  readonly step: number;
  readonly changed: readonly ToldChange[];
}

/**
 * Canonical text of the reply to a call that a person has replaced: the error `replaced`, which carries the changed places
 * and the reply to the person's call. Where that is too long, first the results are left out, then the changed values.
 */
export function replacedText(
  { step, changed }: ToldReplacement,
  reply: JsonObject,
  limit: number,
  leftOut: () => LeftOut,
): string {
  const told = (changes: readonly JsonObject[], outcome: JsonValue): string =>
    sortedText(observeRefusal(refuse('replaced', { instead: { step, changed: changes, outcome } }, APPROVE).refusal));
  const places = changed.map(({ pointer }) => ({ pointer }));
  for (const changes of [changed.map((each) => ({ ...each })), places, places.slice(0, PLACES_TOLD), []]) {
    const room = limit - utf8Length(told(changes, null));
    const text = room <= 0 ? '' : told(changes, parseJson(replyText(reply, room, leftOut)) ?? null);
    if (text !== '' && utf8Length(text) <= limit) return text;
  }
  // of an error its code, in every window: a model that heard of no outcome would repeat the call
  const { class: kind, code } = isObject(reply['details']) ? reply['details'] : {};
  const shortOutcome = { status: reply['status'], message: '', details: { class: kind, code } } as JsonObject;
  return replyText(parseJson(told([], shortOutcome)) as JsonObject, limit);
}

const APPROVE = { step: 'approve' } as const;
const PLACES_TOLD = 8;

/** References of the results that a reply leaves out: of a call, or of the operations of a message. */
export interface LeftOut {
  readonly result?: PayloadRef;
  readonly results?: readonly (PayloadRef & { readonly operation: number })[];
  /** Handle of the operations that are held: a reply never leaves it out. */
  readonly rest?: { readonly $held: string };
}

function listed(results: NonNullable<LeftOut['results']>): JsonObject {
  return results.length === 0 ? {} : { results: results.map((each) => ({ ...each })) };
}

/** Members of an error that name it and its place. */
const NAMED: readonly string[] = ['class', 'code', 'step', 'pointer'];

/** Bytes of a pointer in the shortest form: it is the path of a stranger's own names. */
const POINTER_BYTES = 96;

/** An error with the beginning of its pointer and as much of its sentence as fits. */
function shortest(
  { details, ...reply }: { readonly message: JsonValue; readonly details: JsonObject },
  limit: number,
): string {
  const { pointer } = details;
  const place = typeof pointer === 'string' ? { pointer: cutTo(pointer, POINTER_BYTES) } : {};
  const told = (message: string) => canonicalText({ ...reply, message, details: { ...details, ...place } });
  const room = limit - utf8Length(told(''));
  return told(cutTo(typeof reply.message === 'string' ? reply.message : '', room));
}

/** The text, or its beginning and `…`, in at most this number of bytes as JSON. */
function cutTo(text: string, bytes: number): string {
  const sizeOf = (part: string): number => utf8Length(canonicalText(part)) - 2;
  if (sizeOf(text) <= bytes) return text;
  let used = sizeOf('…');
  let cut = '';
  for (const sign of text) {
    used += sizeOf(sign);
    if (used > bytes) break;
    cut += sign;
  }
  return `${cut}…`;
}

/**
 * A reply without our sentences: the `message` of a refusal, of each schema issue and of each failed operation becomes
 * empty. All other members stay, also the words of a guest. So two replies that differ only in how two builds word the
 * same refusal become equal.
 */
export function withoutSentences(reply: JsonValue): JsonValue {
  if (!isObject(reply) || reply['status'] !== 'error') return reply;
  const { details } = reply;
  return unsaid(isObject(details) ? { ...reply, details: { ...details, ...unsaidIn(details) } } : reply);
}

function unsaidIn({ issues, result, instead }: JsonObject): JsonObject {
  const outcome = isObject(instead) ? instead['outcome'] : undefined;
  const operations = isObject(result) ? result['operations'] : undefined;
  const failed = (told: JsonValue) => (isObject(told) && told['status'] === 'FAILURE' ? unsaid(told) : told);
  return {
    ...(Array.isArray(issues) && { issues: issues.map(unsaid) }),
    ...(isObject(instead) && outcome !== undefined && { instead: { ...instead, outcome: withoutSentences(outcome) } }),
    ...(isObject(result) && Array.isArray(operations) && { result: { ...result, operations: operations.map(failed) } }),
  };
}

function unsaid(value: JsonValue): JsonValue {
  return isObject(value) && typeof value['message'] === 'string' ? { ...value, message: '' } : value;
}

/** How handles are read and written, for every model. */
export const HANDLES =
  'A result {"$held":"h12"} is a handle: "success" there means that the call was decided, and the value stays unread, also where the call failed. In later arguments {"$held":"h12"} stands for the value, and {"$held":"h12","at":"/0/subject"} for a part of it; never inside a text.';

/** Instruction of a run whose results can be held, in the opening of every form. */
export const HELD: string = `${HANDLES} In your words to the person {{h12/0/subject}} shows that part to the person.`;
