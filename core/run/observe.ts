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

export function observeResult(result: JsonValue): JsonObject {
  return { status: 'success', result };
}
