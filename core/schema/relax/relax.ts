import type { JsonObject } from '../../json/value.ts';
import { DECODERS, type Decoder } from './decoders.ts';
import { Relaxation } from './relaxation.ts';

export interface RelaxedSchema {
  /** Accepts every value that the given schema accepts. */
  readonly schema: JsonObject;
  /** Pointers into the given schema: constraints that the decoder does not enforce. The gate enforces them. */
  readonly dropped: readonly string[];
  /**
   * False if the decoder has no form for the schema: strict mode of OpenAI has none for an optional property, an open
   * object or a value of any type. The schema then has to be sent with `strict: false`.
   */
  readonly fits: boolean;
}

/**
 * A schema for a decoder, which a model's answer is constrained with. It has only keywords that the decoder enforces as
 * JSON Schema means them, and accepts every value that the given schema accepts. The given schema is JSON Schema 2020-12
 * that `lint` accepts. A constraint of a decoder only helps the model; the gate decides by the given schema.
 *
 * @example relaxSchema({ type: 'string', pattern: '^\\d+$' }, 'llama.cpp');
 *   // { schema: { type: 'string' }, dropped: ['/pattern'], fits: true }
 */
export function relaxSchema(schema: JsonObject, decoder: Decoder): RelaxedSchema {
  return new Relaxation(schema, DECODERS[decoder]).relaxed();
}
