import { refuse } from '../../../core/errors/decode.ts';
import type { Refusal } from '../../../core/outcome.ts';
import { WIRE_LIMITS } from './message.ts';

/** The refusal of a message that was not kept, because it is longer than the wire's limit. */
export function tooLarge(bytes: number): Refusal {
  return refuse('limit_size', { limit: WIRE_LIMITS.bytes, used: bytes }, { step: 'parse' }).refusal;
}

/** The refusal of an answer that ended before its message was complete. */
export function cutOff(): Refusal {
  const at = { offset: 0, line: 1, column: 1, found: 'the end' };
  return refuse('json_syntax', at, { step: 'parse' }).refusal;
}
