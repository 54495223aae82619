import { isList, isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { FORMATS } from './formats.ts';
import { KEYWORDS } from './keywords.ts';
import { OPERATIONS } from './operations.ts';

/** Whether a value meets a schema. */
export type Predicate = (value: JsonValue) => boolean;

/** Makes the predicate of a keyword; `schema` is the schema that has it. */
type Make = (keyword: JsonValue, schema: JsonObject) => Predicate | undefined;

/** The predicate of a schema or a subschema. */
type OfSchema = (schema: JsonValue) => Predicate | undefined;

type Makers = (ofSchema: OfSchema) => readonly (readonly [keyword: string, make: Make])[];

/** Subschemas of a stranger's schema with a predicate, at most: a predicate has no fuel. */
const SUBSCHEMAS_MAX = 256;
/** Characters of JSON text that are accepted here. No validator reaches a limit of its realm with so short a text. */
const TEXT_MAX = 16_384;

/** Shapes of keywords that assert nothing by themselves. A schema with a reference has no predicate. */
const SILENT: ReadonlySet<string | undefined> = new Set(['note', 'dialect', 'id', 'anchor']);

/** Makes predicates of the schemas whose keywords all have a maker. */
function makePredicates(makers: Makers, most = SUBSCHEMAS_MAX): (schema: JsonObject) => Predicate | undefined {
  const known = new WeakMap<JsonObject, { readonly predicate: Predicate | undefined }>();
  const ofSchema: OfSchema = (schema) => {
    if (typeof schema === 'boolean') return () => schema;
    if (!isObject(schema)) return undefined;
    const asserting = Object.entries(schema).filter(([name]) => !SILENT.has(KEYWORDS.get(name)?.shape));
    return every(asserting.map(([name, value]) => byKeyword.get(name)?.(value, schema)));
  };
  const byKeyword = new Map(makers(ofSchema));
  return (schema) => {
    const before = known.get(schema);
    if (before !== undefined) return before.predicate;
    const predicate = countOf(schema) > most ? undefined : ofSchema(schema);
    known.set(schema, { predicate });
    return predicate;
  };
}

/** Number of objects and lists in a schema, which is at least the number of its subschemas. */
function countOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + countOf(each as JsonValue), 1);
}

function every(parts: readonly (Predicate | undefined)[]): Predicate | undefined {
  const all = parts.filter((part) => part !== undefined);
  if (all.length < parts.length) return undefined;
  const [first] = all;
  return first !== undefined && all.length === 1 ? first : (value) => all.every((part) => part(value));
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

const constraints: Makers = (ofSchema) => [
  ['type', (types) => (isList(types) ? oneOfTypes(types) : oneOfTypes([types]))],
  ['const', (wanted) => (value) => OPERATIONS.equal(value, wanted)],
  ['enum', (all) => (isList(all) ? (value) => all.some((wanted) => OPERATIONS.equal(value, wanted)) : undefined)],
  ['minimum', range((value, limit) => value >= limit)],
  ['maximum', range((value, limit) => value <= limit)],
  ['exclusiveMinimum', range((value, limit) => value > limit)],
  ['exclusiveMaximum', range((value, limit) => value < limit)],
  ['required', required],
  ['properties', (schemas) => properties(schemas, ofSchema)],
  ['allOf', (schemas) => (isList(schemas) ? every(schemas.map(ofSchema)) : undefined)],
];

const comparisons: Makers = (ofSchema) => [
  ...constraints(ofSchema),
  ['additionalProperties', (schema, beside) => otherMembers(ofSchema(schema), beside)],
  ['items', (schema) => allItems(ofSchema(schema))],
  ['minLength', size(lengthOf, atLeast)],
  ['maxLength', size(lengthOf, atMost)],
  ['minItems', size(itemsOf, atLeast)],
  ['maxItems', size(itemsOf, atMost)],
  ['minProperties', size(membersOf, atLeast)],
  ['maxProperties', size(membersOf, atMost)],
  ['anyOf', (schemas) => counted(schemas, ofSchema, (met) => met > 0)],
  ['oneOf', (schemas) => counted(schemas, ofSchema, (met) => met === 1)],
  ['not', (schema) => negated(ofSchema(schema))],
];

/**
 * The predicate of a grant's constraint that only compares: `type`, `const`, `enum`, ranges of numbers, `properties`,
 * `required` and `allOf`. Undefined for a schema with any other assertion: its validator runs in the schema realm, and
 * gives the same answers as this predicate would.
 */
export const predicateOf: (schema: JsonObject) => Predicate | undefined = makePredicates(constraints);

/**
 * The predicate of an admitted schema without references, patterns, formats, multiples and unique items. Undefined for
 * any other schema. The validator gives the same answers.
 */
export const comparisonOf: (schema: JsonObject) => Predicate | undefined = makePredicates(comparisons);

/** A pattern or a format: every value but a text meets it. */
const ofText =
  (testOf: (keyword: JsonValue) => ((text: string) => boolean) | undefined): Make =>
  (keyword) => {
    const meets = testOf(keyword);
    return meets && ((value) => typeof value !== 'string' || meets(value));
  };

const rules: Makers = (ofSchema) => [
  ...comparisons(ofSchema),
  ['pattern', ofText(patternTest)],
  ['format', ofText((name) => (typeof name === 'string' ? FORMATS[name] : undefined))],
];

function patternTest(source: JsonValue): ((text: string) => boolean) | undefined {
  if (typeof source !== 'string') return undefined;
  const pattern = new RegExp(source, 'u');
  return (text) => pattern.test(text);
}

/**
 * The predicate of a constraint that this build has made itself: its patterns are linear. Never for the schema of a
 * stranger, whose patterns have no fuel here.
 */
export const ownRuleOf: (schema: JsonObject) => Predicate | undefined = makePredicates(rules, Number.POSITIVE_INFINITY);

/**
 * True for a short JSON text whose value a predicate accepts: the validator would find no issue. False says nothing
 * about the value, because only the validator can name its issues.
 */
export function isAcceptedHere(predicate: Predicate | undefined, text: string): boolean {
  return predicate !== undefined && text.length <= TEXT_MAX && predicate(JSON.parse(text) as JsonValue);
}

function required(names: JsonValue): Predicate | undefined {
  if (!isList(names)) return undefined;
  return (value) => !isObject(value) || names.every((name) => Object.hasOwn(value, name as string));
}

function properties(schemas: JsonValue, ofSchema: OfSchema): Predicate | undefined {
  if (!isObject(schemas)) return undefined;
  const members = Object.entries(schemas).map(([name, schema]) => memberMeets(name, ofSchema(schema)));
  return every(members);
}

function memberMeets(name: string, predicate: Predicate | undefined): Predicate | undefined {
  if (predicate === undefined) return undefined;
  return (value) => !isObject(value) || !Object.hasOwn(value, name) || predicate(value[name] as JsonValue);
}

/** The members that the `properties` beside it do not name. */
function otherMembers(
  predicate: Predicate | undefined,
  { properties: named, patternProperties }: JsonObject,
): Predicate | undefined {
  if (predicate === undefined || patternProperties !== undefined) return undefined;
  const names = new Set(named !== undefined && isObject(named) ? Object.keys(named) : []);
  return (value) =>
    !isObject(value) || Object.entries(value).every(([name, member]) => names.has(name) || predicate(member));
}

/** All items: a schema with `prefixItems` has no predicate. */
function allItems(predicate: Predicate | undefined): Predicate | undefined {
  return predicate && ((value) => !isList(value) || value.every((item) => predicate(item)));
}

function counted(schemas: JsonValue, ofSchema: OfSchema, isMet: (met: number) => boolean): Predicate | undefined {
  const all = isList(schemas) ? schemas.map(ofSchema) : [undefined];
  const made = all.filter((part) => part !== undefined);
  return made.length === all.length ? (value) => isMet(made.filter((part) => part(value)).length) : undefined;
}

function negated(predicate: Predicate | undefined): Predicate | undefined {
  return predicate && ((value) => !predicate(value));
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
