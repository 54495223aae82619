import fc from 'fast-check';

const name = fc.constantFrom('a', 'b', 'a/b~c');
const scalar = fc.constantFrom<unknown>(null, true, 0, 1, 2, -1, 0.5, '', 'a', 'ab');
const count = fc.integer({ min: 0, max: 3 });
const type = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'string', 'integer');
const pattern = fc.constantFrom('^a', 'b$', '^[ab]+$');
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 2 });

/** First draft with the keyword, and the last: 4, 6, 7 or 8 for 2019-09. */
const AGES: { readonly [keyword: string]: readonly [first: number, last: number] } = {
  bounds4: [4, 4],
  bounds6: [6, 8],
  const: [6, 8],
  contains: [6, 8],
  propertyNames: [6, 8],
  if: [7, 8],
  then: [7, 8],
  else: [7, 8],
  dependentRequired: [8, 8],
  dependentSchemas: [8, 8],
  minContains: [8, 8],
  maxContains: [8, 8],
};

/** Schemas in the keywords of one draft. References lead to the root, to definitions and into other keywords. */
export function olderSchema(age: number): fc.Arbitrary<object> {
  const id = age === 4 ? { id: '#here' } : age < 8 ? { $id: '#here' } : { $anchor: 'here' };
  const container = age < 8 ? 'definitions' : '$defs';
  const targets = ['#', `#/${container}/one`, `#/${container}/a~1b`, '#here', '#/properties/a', '#/items/0'];
  return fc.letrec<{ schema: unknown; root: object }>((tie) => {
    const list = fc.array(tie('schema'), { minLength: 1, maxLength: 3, depthIdentifier: 'schema' });
    const map = (of: fc.Arbitrary<unknown>, key: fc.Arbitrary<string> = name): fc.Arbitrary<unknown> =>
      fc.dictionary(key, of, { maxKeys: 3 }).map((one) => ({ ...one }));
    const keywords: { readonly [keyword: string]: fc.Arbitrary<unknown> } = {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
      const: scalar,
      multipleOf: fc.constantFrom(1, 2, 3),
      bounds4: fc.record(
        { minimum: count, exclusiveMinimum: fc.boolean(), maximum: count, exclusiveMaximum: fc.boolean() },
        { requiredKeys: ['minimum', 'maximum'] },
      ),
      bounds6: fc.record({ minimum: count, exclusiveMaximum: count }, { requiredKeys: [] }),
      minLength: count,
      maxLength: count,
      pattern,
      minItems: count,
      maxItems: count,
      uniqueItems: fc.boolean(),
      minProperties: count,
      maxProperties: count,
      minContains: count,
      maxContains: count,
      required: names,
      $ref: fc.constantFrom(...targets),
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: tie('schema'),
      if: tie('schema'),
      then: tie('schema'),
      else: tie('schema'),
      properties: map(tie('schema')),
      patternProperties: map(tie('schema'), pattern),
      additionalProperties: tie('schema'),
      propertyNames: tie('schema'),
      dependencies: map(fc.oneof(names, tie('schema'))),
      dependentRequired: map(names),
      dependentSchemas: map(tie('schema')),
      items: fc.oneof(tie('schema'), list),
      additionalItems: tie('schema'),
      contains: tie('schema'),
      title: fc.constant('a title'),
      'x-order': fc.constant(1),
    };
    const known = Object.keys(keywords).filter((keyword) => {
      const [first, last] = AGES[keyword] ?? [4, 8];
      return first <= age && age <= last;
    });
    const object = fc
      .subarray(known, { minLength: 1, maxLength: 4 })
      .chain((chosen) =>
        fc.record(Object.fromEntries(chosen.map((key) => [key, keywords[key] as fc.Arbitrary<unknown>]))),
      )
      .map(({ bounds4, bounds6, ...one }) => ({ ...one, ...(bounds4 as object), ...(bounds6 as object) }))
      .filter((one) => !isWrongInAjv(one));
    const leaf = age === 4 ? fc.constant({}) : fc.boolean();
    return {
      schema: fc.oneof({ maxDepth: 3, depthIdentifier: 'schema' }, leaf, object, object, object),
      root: fc.tuple(object, object, object, object).map(([root, one, two, { $ref: _ref, ...here }]) => {
        return { ...root, [container]: { one, 'a/b': two, x: { ...here, ...id } } };
      }),
    };
  }).root;
}

/** ajv checks `type` beside a `$ref` that stands alone, and accepts [] for `contains` beside a list of items. */
function isWrongInAjv(one: { readonly [keyword: string]: unknown }): boolean {
  return (
    (Object.hasOwn(one, '$ref') && Object.hasOwn(one, 'type')) ||
    (Array.isArray(one['items']) && Object.hasOwn(one, 'contains'))
  );
}
