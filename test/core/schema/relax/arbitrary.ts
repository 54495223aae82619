import fc from 'fast-check';

const name = fc.constantFrom('a', 'b');
const count = fc.integer({ min: 0, max: 3 });
const optional = { requiredKeys: [] };

/** Schemas as tools have them: typed values, listed properties, definitions, combinations of objects. */
export const toolSchema: fc.Arbitrary<unknown> = fc.letrec<{ schema: unknown; object: object; root: object }>((tie) => {
  const some = fc.array(tie('schema'), { minLength: 1, maxLength: 3, depthIdentifier: 'schema' });
  const of = <T>(type: string, members: fc.Arbitrary<T>) => members.map((one) => ({ type, ...one }));
  const leaf = fc.oneof(
    of(
      'string',
      fc.record({ minLength: count, maxLength: count, pattern: fc.constantFrom('^a', '^[ab]+$', '(?=a)b') }, optional),
    ),
    of('string', fc.record({ format: fc.constantFrom('date', 'uri', 'email') }, optional)),
    of('number', fc.record({ exclusiveMinimum: count, maximum: fc.constantFrom(1, 0.5) }, optional)),
    of('integer', fc.record({ minimum: fc.constantFrom(0, 0.5), multipleOf: fc.constantFrom(1, 2) }, optional)),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom('a', 'b', 1, null, true), { minLength: 1, maxLength: 3 }) }),
    fc.record({ const: fc.constantFrom<unknown>('a', 1, null, [], {}) }),
    fc.constantFrom<object>({ type: 'boolean' }, { type: ['string', 'null'] }, {}),
  );
  const closing = fc.constantFrom({}, { additionalProperties: false }, { additionalProperties: true });
  const closingOfParts = fc.constantFrom({}, { unevaluatedProperties: false });
  const listed = fc.record({
    properties: fc.dictionary(name, tie('schema'), { maxKeys: 2 }).map((one) => ({ ...one })),
  });
  const required = fc.record({ required: fc.uniqueArray(name, { maxLength: 2 }) }, optional);
  const combined = fc.oneof(
    fc.record({ allOf: fc.array(tie('object'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ anyOf: some }),
    fc.record({ oneOf: some }),
    fc.record({ $ref: fc.constantFrom('#/$defs/a', '#/$defs/b', '#') }),
  );
  const array = fc.record(
    { items: fc.oneof(tie('schema'), fc.constant(false)), prefixItems: some, minItems: count, maxItems: count },
    optional,
  );
  const object = fc.tuple(listed, required, closing).map((all) => Object.assign({ type: 'object' }, ...all) as object);
  return {
    object,
    schema: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'schema' },
      leaf,
      object,
      of('array', array),
      combined,
      fc.tuple(combined, listed, closingOfParts).map((all) => Object.assign({}, ...all) as object),
    ),
    root: fc
      .tuple(object, fc.oneof(fc.constant({}), combined), closingOfParts, tie('schema'), tie('schema'))
      .map(([root, more, end, a, b]) => ({ ...root, ...more, ...end, $defs: { a, b } })),
  };
}).root;
