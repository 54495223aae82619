import { isObject, type JsonObject, type JsonValue } from '../../core/json/value.ts';

type Random = () => number;

/** Values that often break programs, for any schema. */
const NAUGHTY: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  2 ** 53 - 1,
  5e-324,
  '',
  ' ',
  '__proto__',
  'constructor',
  '\u0000',
  '\u202e',
  '\u{1f9ff}',
  "'; --",
  'a'.repeat(4096),
  [],
  {},
  JSON.parse('{"__proto__": {"x": 1}}') as JsonValue,
];

/** A value near a schema: mostly accepted, now and then refused. The validator decides which. */
export function sample(schema: JsonValue | undefined, random: Random, root: JsonValue = schema ?? {}): JsonValue {
  if (random() < 0.08) return pick(NAUGHTY, random);
  if (!isObject(schema)) return pick(NAUGHTY, random);
  const chosen = follow(schema, random, root);
  if (chosen['const'] !== undefined) return chosen['const'];
  if (Array.isArray(chosen['enum']) && chosen['enum'].length > 0) return pick(chosen['enum'] as JsonValue[], random);
  return ofType(typeOf(chosen, random), chosen, random, root);
}

/** A branch of the alternatives, or the target of a local `$ref`; a loop of references ends unresolved. */
function follow(schema: JsonObject, random: Random, root: JsonValue, hops = 0): JsonObject {
  const branches = [schema['anyOf'], schema['oneOf']].find(Array.isArray) as JsonValue[] | undefined;
  const next = typeof schema['$ref'] === 'string' ? resolve(schema['$ref'], root) : branches && pick(branches, random);
  return isObject(next) && hops < 8 ? follow({ ...schema, $ref: '', ...next }, random, root, hops + 1) : schema;
}

function resolve(ref: string, root: JsonValue): JsonValue | undefined {
  if (!ref.startsWith('#')) return undefined;
  const names = ref.slice(1).split('/').slice(1);
  return names.reduce<JsonValue | undefined>((at, name) => (isObject(at) ? at[name] : undefined), root);
}

function typeOf(schema: JsonObject, random: Random): JsonValue {
  const { type } = schema;
  if (Array.isArray(type)) return pick(type as JsonValue[], random);
  return type ?? (schema['properties'] === undefined ? 'string' : 'object');
}

function ofType(type: JsonValue, schema: JsonObject, random: Random, root: JsonValue): JsonValue {
  if (type === 'object') return objectOf(schema, random, root);
  if (type === 'array') return arrayOf(schema, random, root);
  if (type === 'integer' || type === 'number') return numberOf(type, schema, random);
  if (type === 'boolean') return random() < 0.5;
  return type === 'null' ? null : textOf(schema, random);
}

function objectOf(schema: JsonObject, random: Random, root: JsonValue): JsonValue {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as JsonValue[]) : []);
  const kept = Object.entries(properties).filter(([name]) => required.has(name) || random() < 0.6);
  return Object.fromEntries(kept.map(([name, inner]) => [name, sample(inner, random, root)]));
}

function arrayOf(schema: JsonObject, random: Random, root: JsonValue): JsonValue {
  const count = between(bound(schema['minItems'], 0), bound(schema['maxItems'], 5), random);
  return Array.from({ length: count }, () => sample(schema['items'] ?? {}, random, root));
}

/** A number for the schema; every second number is an edge, because edges break programs. */
function numberOf(type: string, schema: JsonObject, random: Random): number {
  const low = bound(schema['minimum'], -1000);
  const high = Math.max(low, bound(schema['maximum'], 1000));
  if (random() < 0.5) return pick([low, high], random);
  const number = low + random() * (high - low);
  return type === 'integer' ? Math.round(number) : number;
}

const LETTERS = 'abc XYZ019_-.,\u00e9\u4e2d\n';

function textOf(schema: JsonObject, random: Random): string {
  const length = between(bound(schema['minLength'], 0), bound(schema['maxLength'], 20), random);
  return Array.from({ length }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('');
}

function between(low: number, high: number, random: Random): number {
  // A schema may allow a million; a test case needs at most fifty more than the minimum.
  const top = Math.min(Math.max(low, high), low + 50);
  return low + Math.floor(random() * (top - low + 1));
}

function bound(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[Math.floor(random() * from.length)] as T;
}
