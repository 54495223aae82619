import { DECODE_LIMITS, type DecodeLimits } from '../limits.ts';
import { ANY, BYTES, demand, each, type OptionTypes, optionsOf } from '../option.ts';
import type { Outcome } from '../outcome.ts';
import { decode as decodeBytes } from './decode.ts';
import type { JsonValue } from './value.ts';

/** A limit that is no number refuses everything, as it does inside: its name is all that is looked at. */
const LIMITS: OptionTypes = each(Object.keys(DECODE_LIMITS), ANY);

/**
 * Decodes bytes to one JSON value, or refuses them: `decode.ts` says how. A program's limits are options, so that one
 * that is misspelt is thrown back (`option_invalid`).
 */
export function decode(bytes: Uint8Array, limits?: Partial<DecodeLimits>): Outcome<JsonValue> {
  demand('bytes', bytes, BYTES);
  return decodeBytes(bytes, limits === undefined ? DECODE_LIMITS : optionsOf(limits, LIMITS));
}
