/** Texts outside of the long list, for the kernel, which does not judge schemas itself. */
export const NOT_JSON = 'The schema is not plain JSON.';
export const NOT_COMPILED = 'The compiler did not finish, or not within its limits.';

/**
 * Rules that refuse a schema, with their reasons: the whole list, for `lint` and for the documentation. A schema that
 * ajv would get wrong is refused when it is registered, never approximated.
 */
export const REFUSALS = {
  not_schema: 'A schema is an object or a boolean.',
  not_json: NOT_JSON as string,
  keyword_value: 'The keyword does not take this value.',
  unknown_keyword: 'Not a keyword of JSON Schema 2020-12; a misspelt keyword would constrain nothing.',
  dialect: 'Only https://json-schema.org/draft/2020-12/schema is understood; importSchema translates older drafts.',
  async: '$async makes the validator answer with a promise, which reads as yes.',
  data_ref: '$data lets the arguments choose the pattern or the limit they are checked with.',
  dynamic_ref: '$dynamicRef, $dynamicAnchor and $recursiveRef: ajv resolves them wrongly.',
  vocabulary: '$vocabulary: ajv ignores it.',
  remote_ref: 'Only references into the same schema, `#…`: nothing is ever fetched.',
  unresolved_ref: 'The reference leads to no subschema.',
  embedded_id: '$id below the root: ajv overflows on relative references inside such a schema.',
  duplicate_anchor: 'The anchor is defined twice.',
  endless: 'The reference leads back to itself without entering the value: validation would never end.',
  branches: 'References and combinations multiply into too many schemas for one value.',
  proto_member: 'A member named __proto__: ajv skips it, so it would constrain nothing.',
  empty_enum: 'An empty enum accepts nothing; ajv does not compile it.',
  pattern: 'Not a regular expression of ECMAScript with the u flag.',
  unknown_format: 'Not a format that is checked exactly in every engine.',
  unevaluated_items: 'unevaluatedItems where `contains` looks at the same array: ajv takes all items for evaluated.',
  library: 'The schema library gives no JSON Schema 2020-12 for it.',
  compile: NOT_COMPILED as string,
} as const;

export type RefusalRule = keyof typeof REFUSALS;
