import Ajv2020 from 'ajv/dist/2020.js';
import type { JsonObject, JsonValue, SchemaIssue } from '../../core/index.ts';
import { type RawValidator, validate } from '../../core/schema/issues.ts';

const ajv = new Ajv2020({ allErrors: true, ownProperties: true });

/** The checks of a test's own schemas: ajv as published, its complaints in the words of core. */
export function checker(schema: JsonObject): (value: JsonValue) => readonly SchemaIssue[] {
  const validator = ajv.compile(schema) as unknown as RawValidator;
  return (value) => validate(validator, value);
}
