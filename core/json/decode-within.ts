import { DECODE_LIMITS, type DecodeLimits } from '../limits.ts';
import { ANY, BYTES, demand, each, type OptionTypes, optionsOf } from '../option.ts';
import type { Outcome } from '../outcome.ts';
import { decode as decodeBytes } from './decode.ts';
import type { JsonValue } from './value.ts';

/** Only the names of limits are checked. A limit that is not a number refuses all bytes, as in `decode.ts`. */
const LIMITS: OptionTypes = each(Object.keys(DECODE_LIMITS), ANY);

/**
 * Decodes bytes to one JSON value, or refuses them: `decode.ts` gives the rules. A program's limits are options: a
 * misspelt limit throws `option_invalid`.
 */
export function decode(bytes: Uint8Array, limits?: Partial<DecodeLimits>): Outcome<JsonValue> {
  demand('bytes', bytes, BYTES);
  return decodeBytes(bytes, limits === undefined ? DECODE_LIMITS : optionsOf(limits, LIMITS));
}
