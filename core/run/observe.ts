import { CODES } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import { utf8Length } from '../json/utf8.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import type { Refusal } from '../outcome.ts';

/**
 * The one place where what the model gets to see is made, in all dialects: XCT 4.1 and 4.2. Only what the table
 * of codes promises goes in: no exception, no stack, no one else's grants.
 */
export function observeRefusal(refusal: Refusal): JsonObject {
  const { class: kind, code, step, pointer, message, details } = refusal;
  const place = { ...(step === undefined ? {} : { step }), ...(pointer === undefined ? {} : { pointer }) };
  return { status: 'error', message, details: { ...details, class: kind, code, ...place } };
}

/** A message of which only what was not critical failed: never a success, but what it yielded is told. */
export function observePartial(refusal: Refusal, result: JsonValue): JsonObject {
  const { status, message, details } = observeRefusal(refusal);
  return { status: status ?? 'error', message: message ?? '', details: { ...(details as JsonObject), result } };
}

export function observeResult(result: JsonValue): JsonObject {
  return { status: 'success', result };
}

/**
 * Canonical text of a reply. Where that has more than `limit` UTF-8 bytes, `reply_omitted` stands in the place of its
 * result or details, and the rest stays: a success is told as one, so that nothing is done twice, with the reference by
 * which the ledger has its result; an error keeps its sentence, its code, its place and the guest's own words.
 */
export function replyText(reply: JsonObject, limit: number, result?: () => PayloadRef | undefined): string {
  const text = canonicalText(reply);
  const used = utf8Length(text);
  if (used <= limit) return text;
  const { status, message, details } = reply;
  const omitted = { class: CODES.reply_omitted.class, code: 'reply_omitted', limit };
  if (status !== 'error') return canonicalText(observeResult({ ...omitted, used, ...result?.() }));
  const short = Object.entries(isObject(details) ? details : {}).filter(([name]) => SHORT.has(name));
  return canonicalText({ status, message: message ?? '', details: { ...Object.fromEntries(short), omitted } });
}

/** Bounded, whatever a capability does: the sandbox cuts what a guest's error says. */
const SHORT: ReadonlySet<string> = new Set(['class', 'code', 'step', 'pointer', 'error']);

/**
 * A reply without our sentences: the `message` of a refusal, of each issue of a schema and of each operation that failed
 * becomes empty. Everything else of it is kept, also the words of a guest, so two replies that differ only in how this
 * build and another one word the same refusal become equal.
 */
export function withoutSentences(reply: JsonValue): JsonValue {
  if (!isObject(reply) || reply['status'] !== 'error') return reply;
  const { details } = reply;
  return unsaid(isObject(details) ? { ...reply, details: { ...details, ...unsaidIn(details) } } : reply);
}

function unsaidIn({ issues, result }: JsonObject): JsonObject {
  const operations = isObject(result) ? result['operations'] : undefined;
  const failed = (told: JsonValue) => (isObject(told) && told['status'] === 'FAILURE' ? unsaid(told) : told);
  return {
    ...(Array.isArray(issues) && { issues: issues.map(unsaid) }),
    ...(isObject(result) && Array.isArray(operations) && { result: { ...result, operations: operations.map(failed) } }),
  };
}

function unsaid(value: JsonValue): JsonValue {
  return isObject(value) && typeof value['message'] === 'string' ? { ...value, message: '' } : value;
}
