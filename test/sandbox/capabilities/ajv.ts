import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonObject } from '../../../core/index.ts';

const ajv = new Ajv2020({ strict: true, allErrors: true, ownProperties: true });

/** Compiles a schema under ajv's own strict mode: an unknown keyword or a type left open throws. */
export function validator(schema: JsonObject): ValidateFunction {
  return ajv.compile(schema);
}
