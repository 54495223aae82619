import Ajv2020 from 'ajv/dist/2020.js';
import type { JsonObject, JsonValue, SchemaIssue } from '../../core/index.ts';
import { type RawValidator, validate } from '../../core/schema/issues.ts';

const ajv = new Ajv2020({ allErrors: true, ownProperties: true });

/** Checks the schemas of a test with ajv as published. Its messages are turned into the issues of core. */
export function checker(schema: JsonObject): (value: JsonValue) => readonly SchemaIssue[] {
  const validator = ajv.compile(schema) as unknown as RawValidator;
  return (value) => validate(validator, value);
}
