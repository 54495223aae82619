import { HANDLE_TEXT } from '../capability/handle.ts';
import { isList, isObject, type JsonObject, type JsonValue, member, tokensIn } from '../json/value.ts';
import { CAPABILITY_LIMITS } from '../limits.ts';
import { collectSchemas } from './embed.ts';
import { KEYWORDS } from './keywords.ts';
import { BRANCHES_MAX } from './references.ts';

/** Text of a handle: the number of a step, and in a message also the number of the operation. */
export const HANDLE: string = `^${HANDLE_TEXT}$`;

export const HANDLE_SCHEMA: JsonObject = {
  type: 'object',
  properties: { $held: { type: 'string', pattern: HANDLE }, at: { type: 'string' } },
  required: ['$held'],
  additionalProperties: false,
  description: 'A handle, in the place of the value that the model does not read.',
};

/**
 * A schema in which every place may also be a handle, for example `{"$held":"h12"}`. It accepts each value that the
 * schema accepts, with any of its places replaced by handles. Keywords that need the value at or below a place are left
 * out: the check of the resolved value has them. A schema that would become too large, too deep, or too much for one value
 * accepts every object.
 */
export function widened(schema: JsonObject): JsonObject {
  const { embed, definitions } = collectSchemas();
  const root = embed('args', schema);
  let name = 'handle';
  while (Object.hasOwn(definitions, name)) name += '_';
  const place = { $ref: `#/$defs/${name}` };
  const known = Object.entries(definitions).map(([each, value]): readonly [string, JsonValue] => [
    each,
    orHandle(value, place, 2),
  ]);
  const defs: JsonObject = Object.fromEntries([...known, [name, HANDLE_SCHEMA]]);
  const wide: JsonObject = { anyOf: [inPlace(root, place, 2), place], $defs: defs };
  return fits(wide) ? wide : { type: 'object' };
}

/** Levels of subschemas from which on every value is accepted. */
const DEEP = CAPABILITY_LIMITS.schemaDepth - 4;

function orHandle(schema: JsonValue, place: JsonObject, depth: number): JsonValue {
  if (!isObject(schema)) return schema;
  if (depth >= DEEP) return true;
  return { anyOf: [inPlace(schema, place, depth + 1), place] };
}

/** The schema for a value that is no handle itself and may hold handles. */
function inPlace(schema: JsonValue, place: JsonObject, depth: number): JsonValue {
  if (!isObject(schema)) return schema;
  if (depth >= DEEP) return true;
  const { oneOf, ...others } = schema;
  // with a handle, several of the alternatives may accept
  const all = isList(oneOf) ? { ...others, allOf: [...listed(others['allOf']), { anyOf: oneOf }] } : others;
  return Object.fromEntries(
    Object.entries(all).flatMap(([keyword, value]) => {
      const wide = keywordOf(keyword, value, place, depth + 1);
      return wide === undefined ? [] : [wide];
    }),
  );
}

function listed(list: JsonValue | undefined): readonly JsonValue[] {
  return isList(list) ? list : [];
}

/** Keywords that need the values at or below a place, and those that look at what other keywords have seen. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'not',
  'if',
  'then',
  'else',
  'uniqueItems',
  'contains',
  'minContains',
  'maxContains',
  'unevaluatedProperties',
  'unevaluatedItems',
]);

function keywordOf(
  keyword: string,
  value: JsonValue,
  place: JsonObject,
  depth: number,
): readonly [string, JsonValue] | undefined {
  if (LEFT_OUT.has(keyword)) return undefined;
  // a value that equals a scalar has no place below
  if (keyword === 'const') return isScalar(value) ? [keyword, value] : undefined;
  if (keyword === 'enum') return isList(value) && value.every(isScalar) ? [keyword, value] : undefined;
  // a name is no place
  if (keyword === 'propertyNames') return [keyword, value];
  const { shape, inPlace: isHere = false } = KEYWORDS.get(keyword) ?? {};
  const wide = (each: JsonValue): JsonValue => (isHere ? inPlace(each, place, depth) : orHandle(each, place, depth));
  switch (shape) {
    case 'schema':
      return [keyword, wide(value)];
    case 'schemas':
      return [keyword, listed(value).map(wide)];
    case 'schemaMap':
    case 'patternMap':
      return [
        keyword,
        isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, wide(each)])) : value,
      ];
    default:
      return [keyword, value];
  }
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}

/** True for a schema within the limits of a registered schema. */
function fits(schema: JsonObject): boolean {
  if (new TextEncoder().encode(JSON.stringify(schema)).length > CAPABILITY_LIMITS.schemaBytes) return false;
  return propertiesIn(schema) <= CAPABILITY_LIMITS.schemaProperties && heaviest(schema) <= BRANCHES_MAX;
}

/** The most schemas that evaluate a value at one place. References lead to definitions of the root. */
function heaviest(root: JsonObject): number {
  const { $defs } = root;
  const weights = new Map<JsonValue, number>();
  const weigh = (schema: JsonValue | undefined): number => {
    if (!isObject(schema)) return 1;
    const known = weights.get(schema);
    if (known !== undefined) return known;
    const { $ref } = schema;
    const target = typeof $ref === 'string' ? member($defs as JsonObject, $ref.slice('#/$defs/'.length)) : undefined;
    const here = partsOf(schema).flatMap(({ part, isHere }) => (isHere ? [part] : []));
    const weight = [...here, ...(target === undefined ? [] : [target])].reduce<number>(
      (sum, each) => sum + weigh(each),
      1,
    );
    weights.set(schema, weight);
    return weight;
  };
  const below = (schema: JsonValue): number =>
    partsOf(schema).reduce((most, { part }) => Math.max(most, below(part)), weigh(schema));
  return below(root);
}

interface Part {
  readonly part: JsonValue;
  /** The part evaluates the same value. */
  readonly isHere: boolean;
}

/** The subschemas of a schema, one level down. */
function partsOf(schema: JsonValue): readonly Part[] {
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const { shape, inPlace: isHere = false } = KEYWORDS.get(keyword) ?? {};
    const parts = shape === 'schema' ? [value] : shape === 'schemas' ? listed(value) : [];
    const named = (shape === 'schemaMap' || shape === 'patternMap') && isObject(value) ? Object.values(value) : [];
    return [...parts, ...named].map((part) => ({ part, isHere }));
  });
}

/** Members of all maps of subschemas. */
function propertiesIn(schema: JsonValue | undefined): number {
  if (!isObject(schema)) return 0;
  return Object.keys(schema).reduce((sum, keyword) => {
    const value = member(schema, keyword);
    const shape = KEYWORDS.get(keyword)?.shape;
    if (shape === 'schema') return sum + propertiesIn(value);
    if (shape === 'schemas') return sum + listed(value).reduce<number>((all, each) => all + propertiesIn(each), 0);
    if (shape !== 'schemaMap' && shape !== 'patternMap') return sum;
    const below = isObject(value) ? Object.values(value) : [];
    return sum + below.length + below.reduce<number>((all, each) => all + propertiesIn(each), 0);
  }, 0);
}

/**
 * True if a value that the schema accepts can have this place: a JSON pointer in which `*` stands for any member or index.
 * A part of the schema that says nothing about its members has every place.
 */
export function hasPlace(schema: JsonObject, place: string): boolean {
  const { embed, definitions } = collectSchemas();
  const root = embed('args', schema);
  return reaches(root, tokensIn(place), definitions);
}

type Definitions = { readonly [name: string]: JsonValue };

function reaches(schema: JsonValue | undefined, tokens: readonly string[], definitions: Definitions): boolean {
  const [token, ...rest] = tokens;
  if (token === undefined) return schema !== false;
  if (!isObject(schema)) return schema !== false;
  const { $ref: ref } = schema;
  const named = typeof ref === 'string' ? definitions[ref.slice('#/$defs/'.length)] : undefined;
  const beside = [named, ...listed(schema['allOf']), ...listed(schema['anyOf']), ...listed(schema['oneOf'])];
  const others = beside.filter((each) => each !== undefined);
  const below = membersAt(schema, token);
  if (below === undefined) return others.length === 0 || others.some((each) => reaches(each, tokens, definitions));
  return (
    below.some((each) => reaches(each, rest, definitions)) || others.some((each) => reaches(each, tokens, definitions))
  );
}

/** Schemas of the member or item; undefined where the schema says nothing about members. */
function membersAt(schema: JsonObject, token: string): readonly JsonValue[] | undefined {
  const { properties, patternProperties, additionalProperties, prefixItems, items, type } = schema;
  const isScalarType = typeof type === 'string' && type !== 'object' && type !== 'array';
  if (isScalarType) return [];
  const parts = [properties, patternProperties, additionalProperties, prefixItems, items];
  if (parts.every((part) => part === undefined)) return undefined;
  const named = isObject(properties) ? properties : {};
  const own = token === '*' ? Object.values(named) : Object.hasOwn(named, token) ? [named[token] as JsonValue] : [];
  const patterned = isObject(patternProperties) ? Object.values(patternProperties) : [];
  const isIndex = token === '*' || /^(?:0|[1-9][0-9]*)$/.test(token);
  const more = own.length > 0 && token !== '*' ? [] : [additionalProperties ?? properties !== undefined];
  return [...own, ...patterned, ...more, ...(isIndex ? [...listed(prefixItems), items ?? false] : [])];
}
