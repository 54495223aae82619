import type { JsonObject } from '../../../core/index.ts';

type Hint = (limit: string) => string;

/** Keywords that a form names beside a field, in this order. */
const HINTS: readonly (readonly [keyword: string, hint: Hint])[] = [
  ['minimum', (limit) => `at least ${limit}`],
  ['exclusiveMinimum', (limit) => `more than ${limit}`],
  ['maximum', (limit) => `at most ${limit}`],
  ['exclusiveMaximum', (limit) => `less than ${limit}`],
  ['multipleOf', (limit) => `a multiple of ${limit}`],
  ['minLength', (limit) => `${limit} or more characters`],
  ['maxLength', (limit) => `at most ${limit} characters`],
  ['format', (format) => `in the format ${format}`],
  ['pattern', (pattern) => `matches ${pattern}`],
  ['minItems', (limit) => `${limit} or more items`],
  ['maxItems', (limit) => `at most ${limit} items`],
  ['uniqueItems', (isUnique) => (isUnique === 'true' ? 'each item once' : '')],
];

/** The constraints of a schema as short texts. They are a stranger's words where the schema is. */
export function hintsOf(schema: JsonObject): readonly string[] {
  const type = schema['type'] === 'integer' ? ['a whole number'] : [];
  const named = HINTS.flatMap(([keyword, hint]) => {
    const limit = schema[keyword];
    return limit === undefined || typeof limit === 'object' ? [] : [hint(String(limit))];
  });
  return [...type, ...named.filter((text) => text !== '')];
}
