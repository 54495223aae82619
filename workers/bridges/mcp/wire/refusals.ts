import { refuse } from '../../../../core/errors/decode.ts';
import type { Refusal } from '../../../../core/outcome.ts';
import { WIRE_LIMITS } from './message.ts';

/** The refusal of a message that was not kept, because it is longer than the wire's limit. */
export function tooLarge(bytes: number): Refusal {
  return refuse('limit_size', { limit: WIRE_LIMITS.bytes, used: bytes }, { step: 'parse' }).refusal;
}
