import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { KEYWORDS } from './keywords.ts';
import { OPERATIONS } from './operations.ts';
import { isList } from './subschemas.ts';

/** Whether a value meets a schema. */
export type Predicate = (value: JsonValue) => boolean;

/** Makes the predicate of a keyword; `schema` is the schema that has it. */
type Make = (keyword: JsonValue, schema: JsonObject) => Predicate | undefined;

const known = new WeakMap<JsonObject, { readonly predicate: Predicate | undefined }>();

/** Subschemas of a schema with a predicate, at most: a predicate has no fuel. */
const SUBSCHEMAS_MAX = 256;

/**
 * The predicate of an admitted schema that only compares: without references, patterns, formats, multiples and unique
 * items. Undefined for any other schema: its validator runs in the schema realm, and gives the same answers as this
 * predicate would.
 */
export function predicateOf(schema: JsonObject): Predicate | undefined {
  const before = known.get(schema);
  if (before !== undefined) return before.predicate;
  const predicate = countOf(schema) > SUBSCHEMAS_MAX ? undefined : ofSchema(schema);
  known.set(schema, { predicate });
  return predicate;
}

/** Characters of JSON text that a predicate may accept. No validator reaches a limit of its realm with so short a text. */
const TEXT_MAX = 16_384;

/**
 * True for a short JSON text whose value a predicate accepts: the validator would find no issue. False says nothing
 * about the value, because only the validator can name its issues.
 */
export function isAcceptedHere(predicate: Predicate | undefined, text: string): boolean {
  return predicate !== undefined && text.length <= TEXT_MAX && predicate(JSON.parse(text) as JsonValue);
}

/** Number of objects in a schema, which is at least the number of its subschemas. */
function countOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + countOf(each as JsonValue), 1);
}

function ofSchema(schema: JsonValue): Predicate | undefined {
  if (typeof schema === 'boolean') return () => schema;
  if (!isObject(schema)) return undefined;
  const asserting = Object.entries(schema).filter(([name]) => !SILENT.has(KEYWORDS.get(name)?.shape));
  return every(asserting.map(([name, value]) => MAKERS.get(name)?.(value, schema)));
}

/** Shapes of keywords that assert nothing by themselves; a schema with a reference has no predicate. */
const SILENT: ReadonlySet<string | undefined> = new Set(['note', 'dialect', 'id', 'anchor']);

function every(parts: readonly (Predicate | undefined)[]): Predicate | undefined {
  const all = parts.filter((part) => part !== undefined);
  return all.length === parts.length ? (value) => all.every((part) => part(value)) : undefined;
}

/** A comparison of numbers: every other value meets it. */
const range =
  (meets: (value: number, limit: number) => boolean): Make =>
  (limit) =>
    typeof limit === 'number' ? (value) => typeof value !== 'number' || meets(value, limit) : undefined;

/** A comparison of sizes: a value without this size meets it. */
const size =
  (sizeOf: (value: JsonValue) => number | undefined, meets: (size: number, limit: number) => boolean): Make =>
  (limit) => {
    if (typeof limit !== 'number') return undefined;
    return (value) => {
      const found = sizeOf(value);
      return found === undefined || meets(found, limit);
    };
  };
const lengthOf = (value: JsonValue) => (typeof value === 'string' ? OPERATIONS.length(value) : undefined);
const itemsOf = (value: JsonValue) => (isList(value) ? value.length : undefined);
const membersOf = (value: JsonValue) => (isObject(value) ? Object.keys(value).length : undefined);
const atLeast = (found: number, limit: number) => found >= limit;
const atMost = (found: number, limit: number) => found <= limit;

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
  ['additionalProperties', additionalProperties],
  ['items', items],
  ['minLength', size(lengthOf, atLeast)],
  ['maxLength', size(lengthOf, atMost)],
  ['minItems', size(itemsOf, atLeast)],
  ['maxItems', size(itemsOf, atMost)],
  ['minProperties', size(membersOf, atLeast)],
  ['maxProperties', size(membersOf, atMost)],
  ['allOf', (schemas) => (isList(schemas) ? every(schemas.map(ofSchema)) : undefined)],
  ['anyOf', counted((met) => met > 0)],
  ['oneOf', counted((met) => met === 1)],
  ['not', negated],
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

/** The members that the `properties` beside it do not name. */
function additionalProperties(
  schema: JsonValue,
  { properties: named, patternProperties }: JsonObject,
): Predicate | undefined {
  const predicate = ofSchema(schema);
  if (predicate === undefined || patternProperties !== undefined) return undefined;
  const names = new Set(isObject(named ?? null) ? Object.keys(named as JsonObject) : []);
  return (value) =>
    !isObject(value) || Object.entries(value).every(([name, member]) => names.has(name) || predicate(member));
}

/** The items behind those of `prefixItems`, which has no predicate: all items. */
function items(schema: JsonValue): Predicate | undefined {
  const predicate = ofSchema(schema);
  return predicate && ((value) => !isList(value) || value.every((item) => predicate(item)));
}

function counted(isMet: (met: number) => boolean): Make {
  return (schemas) => {
    const all = isList(schemas) ? schemas.map(ofSchema) : [undefined];
    const made = all.filter((part) => part !== undefined);
    return made.length === all.length ? (value) => isMet(made.filter((part) => part(value)).length) : undefined;
  };
}

function negated(schema: JsonValue): Predicate | undefined {
  const predicate = ofSchema(schema);
  return predicate && ((value) => !predicate(value));
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
