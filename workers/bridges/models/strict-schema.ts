import { isObject, type JsonObject, type JsonValue } from '../../../core/json/value.ts';
import { relaxSchema } from '../../../core/schema/relax/relax.ts';

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
export function strictForm({ $defs, ...proposal }: JsonObject): {
  readonly schema: JsonObject;
  readonly strict: boolean;
} {
  const properties = { [WRAPPER]: proposal };
  const wrapped = { type: 'object', properties, required: [WRAPPER], additionalProperties: false };
  const spelled = mapped($defs === undefined ? wrapped : { ...wrapped, $defs }, (each) =>
    withAlternatives(withType(each)),
  );
  const { schema: relaxed, fits } = relaxSchema(spelled, 'openai-strict');
  const schema = mapped(relaxed, withRequired);
  return { schema, strict: fits && isWithin(schema) };
}

/**
 * The arguments of a tool in the form that servers take outside of strict mode: an object at the root, without
 * alternatives there.
 */
export function parametersOf(args: JsonObject): JsonObject {
  const { schema } = relaxSchema(args, 'openai-strict');
  const left = Object.entries(schema).filter(([keyword]) => !ROOTLESS.has(keyword));
  return { properties: {}, ...Object.fromEntries(left), type: 'object' };
}

const ROOTLESS: ReadonlySet<string> = new Set(['anyOf', 'enum', '$ref']);

/** Keywords whose value is data, or a map of names to schemas, and not a schema. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required']);
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);

type Rewriting = (schema: JsonObject) => JsonObject;

/** The schema with each of its subschemas, and then itself, rewritten. */
function mapped(schema: JsonObject, rewrite: Rewriting): JsonObject {
  const all = Object.entries(schema).map(([name, value]) => [
    name,
    DATA.has(name) ? value : inside(name, value, rewrite),
  ]);
  return rewrite(Object.fromEntries(all) as JsonObject);
}

function inside(keyword: string, value: JsonValue, rewrite: Rewriting): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((each) => inside('', each, rewrite));
  if (!isObject(value)) return value;
  if (!MAPS.has(keyword)) return mapped(value, rewrite);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inside('', each, rewrite)]));
}

/** Strict mode wants the list of required members also where there is none. */
function withRequired(schema: JsonObject): JsonObject {
  return schema['type'] === 'object' && schema['required'] === undefined ? { ...schema, required: [] } : schema;
}

/** The schema with a type beside constants and for an empty list. */
function withType(schema: JsonObject): JsonObject {
  const { type, enum: values, items, maxItems } = schema;
  const listed = Object.hasOwn(schema, 'const') ? [schema['const'] as JsonValue] : values;
  if (type === undefined && Array.isArray(listed)) return { ...schema, type: [...new Set(listed.map(typeOf))] };
  return type === 'array' && items === undefined && maxItems === 0 ? { ...schema, items: { type: 'string' } } : schema;
}

function typeOf(value: JsonValue): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

/** Keywords of an object that can be spelled out. */
const PLAIN: ReadonlySet<string> = new Set(['type', 'properties', 'required', 'additionalProperties', 'description']);

/** An optional member is there in some of the alternatives: in strict mode it would be `null`, which is another value. */
function withAlternatives(schema: JsonObject): JsonObject {
  const { type, properties = {}, required = [], description } = schema;
  const names = Object.keys(properties as JsonObject);
  const optional = names.filter((name) => !(required as readonly JsonValue[]).includes(name));
  const isPlain = type === 'object' && Object.keys(schema).every((keyword) => PLAIN.has(keyword));
  if (!isPlain || optional.length === 0 || optional.length > OPTIONAL_MAX) return schema;
  const anyOf = Array.from({ length: 2 ** optional.length }, (_, bits) => {
    const left = names.filter((name) => !optional.includes(name) || (bits >> optional.indexOf(name)) % 2 === 0);
    const members = Object.fromEntries(left.map((name) => [name, (properties as JsonObject)[name] as JsonValue]));
    return { type, properties: members, required: left, additionalProperties: schema['additionalProperties'] ?? true };
  });
  return description === undefined ? { anyOf } : { description, anyOf };
}

function isWithin(schema: JsonObject): boolean {
  const used = { members: 0, values: 0 };
  const levelsOf = (value: JsonValue): number => {
    if (Array.isArray(value)) return Math.max(0, ...(value as readonly JsonValue[]).map(levelsOf));
    if (!isObject(value)) return 0;
    const { properties, enum: values } = value;
    if (Array.isArray(values)) used.values += values.length;
    used.members += isObject(properties) ? Object.keys(properties).length : 0;
    return Math.max(0, ...Object.values(value).map(levelsOf)) + (value['type'] === 'object' ? 1 : 0);
  };
  return levelsOf(schema) <= MOST.levels && used.members <= MOST.members && used.values <= MOST.values;
}
