import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { KEYWORDS } from './keywords.ts';
import { OPERATIONS } from './operations.ts';
import { isList } from './subschemas.ts';

/** Whether a value meets a schema. */
type Predicate = (value: JsonValue) => boolean;

type Make = (keyword: JsonValue) => Predicate | undefined;

const known = new WeakMap<JsonObject, { readonly predicate: Predicate | undefined }>();

/**
 * The predicate of an admitted schema that only compares: `type`, `const`, `enum`, ranges of numbers, `properties`,
 * `required` and `allOf`. Undefined for a schema with any other assertion: its validator runs in the schema realm, and
 * gives the same answers as this predicate would.
 */
export function predicateOf(schema: JsonObject): Predicate | undefined {
  const before = known.get(schema);
  if (before !== undefined) return before.predicate;
  const predicate = ofSchema(schema);
  known.set(schema, { predicate });
  return predicate;
}

function ofSchema(schema: JsonValue): Predicate | undefined {
  if (typeof schema === 'boolean') return () => schema;
  if (!isObject(schema)) return undefined;
  const asserting = Object.entries(schema).filter(([name]) => KEYWORDS.get(name)?.shape !== 'note');
  return every(asserting.map(([name, value]) => MAKERS.get(name)?.(value)));
}

function every(parts: readonly (Predicate | undefined)[]): Predicate | undefined {
  const all = parts.filter((part) => part !== undefined);
  return all.length === parts.length ? (value) => all.every((part) => part(value)) : undefined;
}

/** A comparison of numbers: every other value meets it. */
const range =
  (meets: (value: number, limit: number) => boolean): Make =>
  (limit) =>
    typeof limit === 'number' ? (value) => typeof value !== 'number' || meets(value, limit) : undefined;

const MAKERS: ReadonlyMap<string, Make> = new Map<string, Make>([
  ['type', (types) => (isList(types) ? oneOfTypes(types) : oneOfTypes([types]))],
  ['const', (wanted) => (value) => OPERATIONS.equal(value, wanted)],
  ['enum', (all) => (isList(all) ? (value) => all.some((wanted) => OPERATIONS.equal(value, wanted)) : undefined)],
  ['minimum', range((value, limit) => value >= limit)],
  ['maximum', range((value, limit) => value <= limit)],
  ['exclusiveMinimum', range((value, limit) => value > limit)],
  ['exclusiveMaximum', range((value, limit) => value < limit)],
  ['required', required],
  ['properties', properties],
  ['allOf', (schemas) => (isList(schemas) ? every(schemas.map(ofSchema)) : undefined)],
]);

function required(names: JsonValue): Predicate | undefined {
  if (!isList(names)) return undefined;
  return (value) => !isObject(value) || names.every((name) => Object.hasOwn(value, name as string));
}

function properties(schemas: JsonValue): Predicate | undefined {
  if (!isObject(schemas)) return undefined;
  const members = Object.entries(schemas).map(([name, schema]) => memberMeets(name, ofSchema(schema)));
  return every(members);
}

function memberMeets(name: string, predicate: Predicate | undefined): Predicate | undefined {
  if (predicate === undefined) return undefined;
  return (value) => !isObject(value) || !Object.hasOwn(value, name) || predicate(value[name] as JsonValue);
}

const TYPES: ReadonlyMap<JsonValue, Predicate> = new Map<JsonValue, Predicate>([
  ['null', (value) => value === null],
  ['boolean', (value) => typeof value === 'boolean'],
  ['number', (value) => typeof value === 'number'],
  ['integer', (value) => Number.isInteger(value)],
  ['string', (value) => typeof value === 'string'],
  ['array', (value) => Array.isArray(value)],
  ['object', isObject],
]);

function oneOfTypes(types: readonly JsonValue[]): Predicate | undefined {
  const all = types.map((type) => TYPES.get(type));
  return all.includes(undefined) ? undefined : (value) => all.some((is) => is?.(value));
}
