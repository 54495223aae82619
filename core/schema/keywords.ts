/**
 * Shape of a keyword's value. `note` is an annotation: not checked and not shown to ajv. `inPlace` says that its
 * subschemas look at the same value as the schema they stand in.
 */
export type Shape =
  | 'schema'
  | 'schemas'
  | 'schemaMap'
  | 'patternMap'
  | 'count'
  | 'number'
  | 'positive'
  | 'flag'
  | 'type'
  | 'enum'
  | 'value'
  | 'names'
  | 'nameLists'
  | 'pattern'
  | 'format'
  | 'ref'
  | 'anchor'
  | 'dialect'
  | 'id'
  | 'note';

export interface Keyword {
  readonly shape: Shape;
  readonly inPlace?: true;
}

const place = (shape: Shape): Keyword => ({ shape, inPlace: true });

/** The vocabulary: JSON Schema 2020-12 without the keywords in `REFUSALS`. Any other keyword is refused. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['$schema', { shape: 'dialect' }],
  ['$id', { shape: 'id' }],
  ['$anchor', { shape: 'anchor' }],
  ['$ref', place('ref')],
  ['$defs', { shape: 'schemaMap' }],
  ['allOf', place('schemas')],
  ['anyOf', place('schemas')],
  ['oneOf', place('schemas')],
  ['not', place('schema')],
  ['if', place('schema')],
  ['then', place('schema')],
  ['else', place('schema')],
  ['dependentSchemas', place('schemaMap')],
  ['properties', { shape: 'schemaMap' }],
  ['patternProperties', { shape: 'patternMap' }],
  ['additionalProperties', { shape: 'schema' }],
  ['propertyNames', { shape: 'schema' }],
  ['unevaluatedProperties', { shape: 'schema' }],
  ['prefixItems', { shape: 'schemas' }],
  ['items', { shape: 'schema' }],
  ['contains', { shape: 'schema' }],
  ['unevaluatedItems', { shape: 'schema' }],
  ['type', { shape: 'type' }],
  ['enum', { shape: 'enum' }],
  ['const', { shape: 'value' }],
  ['multipleOf', { shape: 'positive' }],
  ['maximum', { shape: 'number' }],
  ['exclusiveMaximum', { shape: 'number' }],
  ['minimum', { shape: 'number' }],
  ['exclusiveMinimum', { shape: 'number' }],
  ['maxLength', { shape: 'count' }],
  ['minLength', { shape: 'count' }],
  ['pattern', { shape: 'pattern' }],
  ['format', { shape: 'format' }],
  ['maxItems', { shape: 'count' }],
  ['minItems', { shape: 'count' }],
  ['uniqueItems', { shape: 'flag' }],
  ['maxContains', { shape: 'count' }],
  ['minContains', { shape: 'count' }],
  ['maxProperties', { shape: 'count' }],
  ['minProperties', { shape: 'count' }],
  ['required', { shape: 'names' }],
  ['dependentRequired', { shape: 'nameLists' }],
  ['$comment', { shape: 'note' }],
  ['title', { shape: 'note' }],
  ['description', { shape: 'note' }],
  ['default', { shape: 'note' }],
  ['examples', { shape: 'note' }],
  ['deprecated', { shape: 'note' }],
  ['readOnly', { shape: 'note' }],
  ['writeOnly', { shape: 'note' }],
  ['contentEncoding', { shape: 'note' }],
  ['contentMediaType', { shape: 'note' }],
  ['contentSchema', { shape: 'note' }],
]);

export const TYPES: ReadonlySet<string> = new Set([
  'null',
  'boolean',
  'object',
  'array',
  'number',
  'string',
  'integer',
]);

export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
