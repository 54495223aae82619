import type { JsonObject } from '../../json/value.ts';
import { demand, OBJECT, oneOf } from '../../option.ts';
import { DECODERS, type Decoder } from './decoders.ts';
import { Relaxation, type RelaxedSchema } from './relaxation.ts';

/**
 * A schema for a decoder, which a model's answer is constrained with. It has only keywords that the decoder enforces as
 * JSON Schema means them, and accepts every value that the given schema accepts. The given schema is JSON Schema 2020-12
 * that `lint` accepts. A constraint of a decoder only helps the model; the gate decides by the given schema.
 *
 * @example relaxSchema({ type: 'string', pattern: '^\\d+$' }, 'llama.cpp');
 *   // { schema: { type: 'string' }, dropped: ['/pattern'], fits: true }
 */
export function relaxSchema(schema: JsonObject, decoder: Decoder): RelaxedSchema {
  demand('schema', schema, OBJECT);
  demand('decoder', decoder, oneOf(...Object.keys(DECODERS)));
  return new Relaxation(schema, DECODERS[decoder]).relaxed();
}
