import { type Decoder, isObject, type JsonObject, type JsonValue } from '../../../../core/index.ts';

/** The keywords of each decoder, from its own documentation. */
const COMMON =
  '$ref $defs type title description enum anyOf properties required additionalProperties items minItems maxItems format';
const KEYWORDS: { readonly [D in Decoder]: string } = {
  'openai-strict': `${COMMON} pattern multipleOf minimum maximum exclusiveMinimum exclusiveMaximum`,
  'llama.cpp': `${COMMON} const minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum`,
  xgrammar: `${COMMON} const prefixItems minLength maxLength pattern multipleOf minimum maximum exclusiveMinimum exclusiveMaximum`,
  'prompt-api': `${COMMON} const prefixItems minLength maxLength pattern multipleOf minimum maximum exclusiveMinimum exclusiveMaximum`,
  gemini: `${COMMON} prefixItems minimum maximum`,
};

/** What the decoder refuses or reads as another constraint than JSON Schema, as texts. */
export function refusedBy(decoder: Decoder, root: JsonObject, fits: boolean): readonly string[] {
  const known = KEYWORDS[decoder].split(' ');
  const found: string[] = [];
  const refuse = (when: boolean, what: string): void => void (when && found.push(what));
  const strict = decoder === 'openai-strict' && fits;
  refuse(strict && root['type'] !== 'object', 'a root that is no object');
  visit(root);
  return found;

  function visit(schema: JsonValue): void {
    if (!isObject(schema)) return refuse(true, `the schema ${JSON.stringify(schema)}`);
    const names = Object.keys(schema);
    const others = names.filter((name) => !['title', 'description', '$defs'].includes(name));
    for (const name of names) refuse(!known.includes(name), name);
    const types = [schema['type'] ?? []].flat() as readonly string[];
    refuse(names.includes('$ref') && others.length > 1, 'keywords beside $ref');
    const constant = names.includes('enum') || names.includes('const');
    refuse(names.includes('properties') && !types.includes('object') && !constant, 'properties without a type');
    refuse(names.includes('anyOf') && others.length > 1, 'keywords beside anyOf');
    refuse(names.includes('$ref') && decoder === 'llama.cpp', '$ref');
    refuse(decoder === 'llama.cpp' && others.length === 0, 'an empty schema');
    refuse(strict && others.length === 0, 'a schema without a type');
    if (strict && types.includes('object') && !names.includes('enum')) {
      refuse(schema['additionalProperties'] !== false, 'an open object');
      const required = schema['required'] ?? [];
      const properties = Object.keys(schema['properties'] ?? {});
      refuse((required as readonly string[]).length !== properties.length, 'an optional property');
    }
    const open = constant || names.includes('additionalProperties');
    refuse(decoder === 'llama.cpp' && names.includes('properties') && !open, 'an object closed by default');
    refuse(decoder === 'xgrammar' && types.includes('object') && !open, 'an object closed by default');
    refuse(decoder === 'xgrammar' && types.includes('array') && !names.includes('items'), 'an array closed by default');
    for (const map of [schema['properties'], schema['$defs']]) if (isObject(map)) Object.values(map).forEach(visit);
    for (const list of [schema['anyOf'], schema['prefixItems']]) if (Array.isArray(list)) list.forEach(visit);
    for (const one of [schema['items'], schema['additionalProperties']]) if (isObject(one)) visit(one);
  }
}
