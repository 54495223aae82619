import type { JsonObject, JsonValue } from '../json/value.ts';
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
