import { isObject, type JsonObject, type JsonValue } from '../../core/json/value.ts';

/** Name of the member that holds the proposal, because strict mode wants an object with fixed members at the root. */
export const WRAPPER = 'proposal';

/** Objects with more optional members are not spelled out: their alternatives double with each. */
const OPTIONAL_MAX = 4;

/**
 * Bounds of OpenAI's strict mode: nested objects, members of all objects, values of all enumerations. Ten levels are
 * permitted; here the values in the innermost object count as one.
 */
const MOST = { levels: 9, members: 5000, values: 1000 } as const;

/**
 * A schema in the form of OpenAI's strict mode: an object at the root, every member required, no further members, no
 * `oneOf`. `strict` is false where strict mode cannot say what the schema accepts; the server then takes the form as a
 * hint. What the form leaves out is decided by the gate.
 */
export function strictForm(schema: JsonObject): { readonly schema: JsonObject; readonly strict: boolean } {
  const { $defs = {}, ...root } = schema;
  const proposal = strictOf(root);
  const definitions = entries($defs).map(([name, each]) => [name, strictOf(each)] as const);
  if (proposal !== undefined && definitions.every(([, each]) => each !== undefined)) {
    const all = Object.fromEntries(definitions) as JsonObject;
    const form = { ...closed({ [WRAPPER]: proposal }), ...(definitions.length > 0 && { $defs: all }) };
    if (isWithin(form)) return { schema: form, strict: true };
  }
  const form = closed({ [WRAPPER]: loosened(root) as JsonObject });
  return { schema: { ...form, ...(entries($defs).length > 0 && { $defs: loosened($defs) }) }, strict: false };
}

/**
 * The arguments of a tool in the form that servers take outside of strict mode: an object at the root, without
 * alternatives there.
 */
export function parametersOf(args: JsonObject): JsonObject {
  const schema = loosened(args) as JsonObject;
  const left = Object.entries(schema).filter(([keyword]) => !ROOTLESS.has(keyword));
  return { properties: {}, ...Object.fromEntries(left), type: 'object' };
}

const ROOTLESS: ReadonlySet<string> = new Set(['anyOf', 'allOf', 'not', 'enum', 'const', '$ref', 'if', 'then', 'else']);

/** Keywords whose value is data, or a map of names to schemas, and not a schema. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required']);
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);

/** The schema with `anyOf` for `oneOf`, which servers refuse at any place. */
function loosened(schema: JsonValue, isMap = false): JsonValue {
  if (Array.isArray(schema)) return (schema as readonly JsonValue[]).map((each) => loosened(each));
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    entries(schema).map(([name, value]) => {
      if (isMap) return [name, loosened(value)];
      return [name === 'oneOf' ? 'anyOf' : name, DATA.has(name) ? value : loosened(value, MAPS.has(name))];
    }),
  );
}

/** The schema as strict mode says it; undefined where it cannot. */
function strictOf(schema: JsonValue): JsonObject | undefined {
  if (!isObject(schema)) return undefined;
  const { $ref, oneOf, anyOf = oneOf, enum: values, type } = schema;
  const constant = Object.hasOwn(schema, 'const') ? [schema['const'] as JsonValue] : undefined;
  if (typeof $ref === 'string') return { $ref };
  if (constant !== undefined || Array.isArray(values)) return enumeration(constant ?? (values as JsonValue[]));
  if (Array.isArray(anyOf)) return alternatives((anyOf as readonly JsonValue[]).map(strictOf));
  if (Array.isArray(type)) return alternatives(type.map((each: JsonValue) => strictOf({ ...schema, type: each })));
  switch (type) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return arrayOf(schema);
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
    case 'null':
      return described(schema, { type });
    default:
      return undefined;
  }
}

function described({ description }: JsonObject, schema: JsonObject): JsonObject {
  return typeof description === 'string' ? { ...schema, description } : schema;
}

function alternatives(all: readonly (JsonObject | undefined)[]): JsonObject | undefined {
  const anyOf = all.filter((each) => each !== undefined);
  if (anyOf.length < all.length) return undefined;
  const [only] = anyOf;
  return anyOf.length === 1 ? only : { anyOf };
}

function enumeration(values: readonly JsonValue[]): JsonObject | undefined {
  const types = new Set(values.map((value) => (value === null ? 'null' : typeof value)));
  const [type = 'object'] = types;
  return types.size === 1 && type !== 'object' ? { type, enum: values } : undefined;
}

/** A closed object. An optional member is there in some of the alternatives, because `null` is another value. */
function objectOf(schema: JsonObject): JsonObject | undefined {
  const { properties = {}, required = [], additionalProperties } = schema;
  const members = entries(properties).map(([name, each]) => [name, strictOf(each)] as const);
  if (additionalProperties !== false || members.some(([, each]) => each === undefined)) return undefined;
  const isOptional = (name: string): boolean => !(required as readonly JsonValue[]).includes(name);
  const optional = members.flatMap(([name]) => (isOptional(name) ? name : []));
  if (optional.length > OPTIONAL_MAX) return undefined;
  const variants = Array.from({ length: 2 ** optional.length }, (_, bits) => {
    const left = members.filter(([name]) => !isOptional(name) || (bits >> optional.indexOf(name)) % 2 === 0);
    return described(schema, closed(Object.fromEntries(left) as JsonObject));
  });
  return alternatives(variants);
}

function arrayOf(schema: JsonObject): JsonObject | undefined {
  const { items, prefixItems, minItems, maxItems } = schema;
  const each = items === undefined && maxItems === 0 ? { type: 'string' } : strictOf(items ?? true);
  if (each === undefined || prefixItems !== undefined) return undefined;
  const bounds = { ...(minItems !== undefined && { minItems }), ...(maxItems !== undefined && { maxItems }) };
  return described(schema, { type: 'array', items: each, ...bounds });
}

function closed(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function isWithin(schema: JsonObject): boolean {
  const used = { members: 0, values: 0 };
  const levelsOf = (value: JsonValue): number => {
    if (Array.isArray(value)) return Math.max(0, ...(value as readonly JsonValue[]).map(levelsOf));
    if (!isObject(value)) return 0;
    const { properties, enum: values } = value;
    if (Array.isArray(values)) used.values += values.length;
    used.members += entries(properties ?? {}).length;
    return Math.max(0, ...Object.values(value).map(levelsOf)) + (value['type'] === 'object' ? 1 : 0);
  };
  return levelsOf(schema) <= MOST.levels && used.members <= MOST.members && used.values <= MOST.values;
}

function entries(value: JsonValue): [string, JsonValue][] {
  return isObject(value) ? Object.entries(value) : [];
}
