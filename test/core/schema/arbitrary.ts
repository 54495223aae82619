import fc from 'fast-check';

/** Ordinary names, and names that plain JavaScript treats wrongly. */
const NAMES = [
  'a',
  'a',
  'a',
  'b',
  'b',
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '$id',
  'a/b~c',
] as const;
const name = fc.constantFrom(...NAMES);
/** `__proto__` may stand in data and in lists of names, not among the members of a schema. */
const dataName = fc.constantFrom(...NAMES, '__proto__');
const scalar = fc.constantFrom<unknown>(
  null,
  true,
  false,
  0,
  1,
  2,
  -1,
  0.1,
  0.3,
  1e22,
  '',
  'a',
  'b',
  '__proto__',
  'ab',
  '😀',
);

/** JSON as `JSON.parse` makes it: a `__proto__` member is an own member. */
export const value: fc.Arbitrary<unknown> = fc
  .letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'value' },
      scalar,
      fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'value' }),
      fc.array(fc.tuple(dataName, tie('value')), { maxLength: 4, depthIdentifier: 'value' }).map(textOfObject),
    ),
  }))
  .value.map((one) => JSON.parse(textOf(one)) as unknown);

/** Members are kept as pairs until they are text: an object literal would lose `__proto__`. */
class Pairs {
  readonly pairs: readonly (readonly [string, unknown])[];
  constructor(pairs: readonly (readonly [string, unknown])[]) {
    this.pairs = [...new Map(pairs)];
  }
}

function textOfObject(pairs: readonly (readonly [string, unknown])[]): unknown {
  return new Pairs(pairs);
}

function textOf(one: unknown): string {
  if (one instanceof Pairs)
    return `{${one.pairs.map(([key, inner]) => `${JSON.stringify(key)}:${textOf(inner)}`).join()}}`;
  return Array.isArray(one) ? `[${one.map(textOf).join()}]` : JSON.stringify(one);
}

const safeValue = value.filter((one) => !JSON.stringify(one).includes('"__proto__":'));
const count = fc.integer({ min: 0, max: 3 });
const type = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'string', 'integer');
const pattern = fc.constantFrom('^a', 'b$', '^[ab]+$', '^con', '.', '^$');
const names = fc.uniqueArray(dataName, { maxLength: 2 });
const map = (schema: fc.Arbitrary<unknown>, key: fc.Arbitrary<string> = name): fc.Arbitrary<unknown> =>
  fc.dictionary(key, schema, { maxKeys: 3 }).map((one) => ({ ...one }));

/** Mostly keywords that decide which members `unevaluated…` sees, where ajv had most of its faults. */
const EVALUATING = [
  ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'unevaluatedProperties'],
  ['properties', 'patternProperties', 'additionalProperties', 'required', 'maxProperties', 'unevaluatedItems'],
  ['prefixItems', 'items', 'maxItems', 'const'],
].flat();

/** `$ref` leads to `#`, to a definition or to an anchor. */
const schemasOf = (chooses: (keyword: string) => boolean): fc.Arbitrary<unknown> =>
  fc.letrec<{ schema: unknown; root: unknown }>((tie) => {
    const some = fc.array(tie('schema'), { minLength: 1, maxLength: 3, depthIdentifier: 'schema' });
    const keywords = {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      enum: fc.array(safeValue, { minLength: 1, maxLength: 3 }),
      const: safeValue,
      multipleOf: fc.constantFrom(1, 2, 0.1, 0.5, 3),
      minimum: count,
      exclusiveMaximum: count,
      minLength: count,
      maxLength: count,
      pattern,
      format: fc.constantFrom('date', 'uri', 'regex', 'json-pointer'),
      minItems: count,
      maxItems: count,
      uniqueItems: fc.boolean(),
      minContains: count,
      maxContains: count,
      maxProperties: count,
      minProperties: count,
      required: names,
      dependentRequired: fc.dictionary(name, names, { maxKeys: 2 }).map((one) => ({ ...one })),
      $ref: fc.constantFrom('#', '#/$defs/one', '#/$defs/a~1b', '#here'),
      allOf: some,
      anyOf: some,
      oneOf: some,
      not: tie('schema'),
      if: tie('schema'),
      then: tie('schema'),
      else: tie('schema'),
      dependentSchemas: map(tie('schema')),
      properties: map(tie('schema')),
      patternProperties: map(tie('schema'), pattern),
      additionalProperties: tie('schema'),
      propertyNames: tie('schema'),
      unevaluatedProperties: tie('schema'),
      prefixItems: some,
      items: tie('schema'),
      contains: tie('schema'),
      unevaluatedItems: tie('schema'),
    };
    const object = fc
      .subarray(Object.keys(keywords).filter(chooses), { minLength: 1, maxLength: 4 })
      .chain((chosen) =>
        fc.record(Object.fromEntries(chosen.map((key) => [key, keywords[key as keyof typeof keywords]]))),
      )
      .map((one) => ({ ...one }));
    return {
      schema: fc.oneof({ maxDepth: 3, depthIdentifier: 'schema' }, fc.boolean(), object, object, object),
      root: fc
        .tuple(object, object, object, object)
        .map(([root, one, two, here]) => ({ ...root, $defs: { one, 'a/b': two, x: { ...here, $anchor: 'here' } } })),
    };
  }).root;

/** Schemas from the whole vocabulary. */
export const schema: fc.Arbitrary<unknown> = schemasOf(() => true);
export const evaluating: fc.Arbitrary<unknown> = schemasOf((keyword) => EVALUATING.includes(keyword));
