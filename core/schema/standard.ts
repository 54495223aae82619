import { refuse } from '../errors/schema.ts';
import { isList, isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { type Outcome, pass } from '../outcome.ts';
import { closeObjects } from './close.ts';
import { FORMATS } from './formats.ts';
import { refusal } from './subschemas.ts';
import { unsaidOf } from './unsaid.ts';
import { readZod } from './zod.ts';

const TARGET = 'draft-2020-12';

/**
 * Standard JSON Schema 1, as in zod 4.2 and later and in arktype 2.2. Its conversion is called; it never sees values.
 */
export interface StandardJsonSchema {
  readonly '~standard': {
    readonly jsonSchema: { readonly input: (options: { readonly target: typeof TARGET }) => unknown };
  };
}

/** A library's schema that turns itself into JSON Schema by a method. */
export interface ConvertibleSchema {
  readonly toJSONSchema: () => unknown;
}

/** JSON Schema whose type is an interface, as in TypeBox. A schema of a library that only validates has `~standard`. */
export interface PlainSchema {
  readonly '~standard'?: never;
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly anyOf?: unknown;
  readonly allOf?: unknown;
  readonly $ref?: unknown;
}

/** Forms of `args` and `result` in a definition. */
export type SchemaSource = JsonObject | StandardJsonSchema | ConvertibleSchema | PlainSchema;

/** The check of a library's schema, as the Standard Schema says it. `value` of a success is its output. */
export type Validate = (value: unknown) => Validated | Promise<Validated>;
type Validated =
  | { readonly issues?: undefined; readonly value: unknown }
  | { readonly issues: readonly ValidationIssue[] };

export interface ValidationIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The check of a source that is a Standard Schema, which says more than its JSON Schema can. */
export function validateOf(source: unknown): Validate | undefined {
  if ((typeof source !== 'object' && typeof source !== 'function') || source === null) return undefined;
  const { '~standard': standard } = source as { readonly '~standard'?: { readonly validate?: unknown } };
  const validate = standard?.validate;
  return typeof validate === 'function' ? (value) => validate.call(standard, value) as Validated : undefined;
}

/**
 * Plain JSON Schema of a source; a plain schema is passed through as it is. Objects of a library's schema are closed:
 * they leave unknown members open, and unnamed members are refused here. Only the schema is taken over, no
 * transformation, default or message. `isValidated`: whoever asks runs `validateOf` besides, so that a check outside of
 * JSON Schema counts; a format without a counterpart is then left out. Without it a schema whose public tree shows such
 * a check is refused. Refuses with `schema_refused`, rule `library` or `library_check`, and names the line to write for
 * a library that gives no JSON Schema by itself.
 */
export function toJsonSchema(source: unknown, isValidated = false): Outcome<JsonObject> {
  try {
    const converted = convert(source);
    const unsaid = isValidated ? undefined : shownUnsaid(source);
    if (unsaid !== undefined)
      return refuse('schema_refused', { rule: 'library_check', reason: `${UNSAID} (${unsaid}).` }, { pointer: '' });
    if (converted === undefined) return isObject(source) ? pass(source) : refusal('not_schema', '');
    const plain: unknown = JSON.parse(JSON.stringify(converted.made) ?? 'null');
    return isObject(plain)
      ? pass(closeObjects(withoutFormats(plain, isValidated) as JsonObject))
      : refusal('library', '');
  } catch (error) {
    return refusal('library', '', error instanceof Error ? error.message.slice(0, 200) : 'unknown');
  }
}

const UNSAID =
  'The schema checks or changes more than JSON Schema says, and here only its JSON Schema counts; write it with the keywords of JSON Schema';

function shownUnsaid(source: unknown): string | undefined {
  const isTree = (typeof source === 'object' || typeof source === 'function') && source !== null;
  return isTree ? unsaidOf(source) : undefined;
}

/**
 * A library's schema without the formats that only the library knows. Such a format stands beside the pattern that says
 * it; alone it is left out where the library's own check runs besides. The format of a file stays, and is refused.
 */
function withoutFormats(schema: JsonValue, isValidated: boolean): JsonValue {
  if (isList(schema)) return schema.map((one) => withoutFormats(one, isValidated));
  if (!isObject(schema)) return schema;
  const { format, pattern, allOf, contentEncoding } = schema;
  const isForeign = typeof format === 'string' && schema['type'] === 'string' && !Object.hasOwn(FORMATS, format);
  const isSaid = pattern !== undefined || (isList(allOf) && allOf.some((one) => isObject(one) && 'pattern' in one));
  const isLeftOut = isForeign && (isSaid || (isValidated && contentEncoding !== 'binary'));
  const kept = Object.entries(schema).filter(([name]) => !isLeftOut || name !== 'format');
  return Object.fromEntries(
    kept.map(([name, value]) => [name, DATA.has(name) ? value : withoutFormats(value, isValidated)]),
  );
}

/** Keywords whose values are data, which may look like a schema. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/**
 * The library's conversion of its schema; undefined when the source is not a library's schema. arktype's schemas are
 * functions. Schemas of zod 3, of `zod/v4` in zod 3.25 and of the mini form have no conversion of their own.
 */
function convert(source: unknown): { readonly made: unknown } | undefined {
  if ((typeof source !== 'object' && typeof source !== 'function') || source === null) return undefined;
  const { '~standard': standard, toJSONSchema } = source as Partial<StandardJsonSchema & ConvertibleSchema>;
  if (typeof standard?.jsonSchema?.input === 'function') {
    return { made: standard.jsonSchema.input({ target: TARGET }) };
  }
  if (typeof toJSONSchema === 'function') return { made: toJSONSchema.call(source) };
  const zod = readZod(source);
  if (zod !== undefined) return { made: zod.schema };
  const line = lineFor(source);
  if (standard !== undefined || line !== undefined) throw new Error(line ?? 'no ~standard.jsonSchema');
  return undefined;
}

/**
 * The line to write for a library's schema that gives no JSON Schema by itself; undefined for an unknown library. Old
 * versions of arktype only validate; valibot and Effect convert by a function beside the schema.
 */
function lineFor(source: object): string | undefined {
  const { '~standard': standard, ast } = source as { readonly [name: string]: unknown };
  switch (vendorOf(standard) ?? (hasTag(ast) ? 'effect' : undefined)) {
    case 'valibot':
      return 'write toStandardJsonSchema(schema) of @valibot/to-json-schema: a schema of valibot gives no JSON Schema';
    case 'effect':
      return 'write Schema.toStandardJSONSchemaV1(schema) of Effect 4, or importSchema(JSONSchema.make(schema)).value.schema with Effect 3';
    case 'arktype':
      return 'use arktype 2.2 or later, whose types are taken as they are';
    default:
      return undefined;
  }
}

function vendorOf(standard: unknown): unknown {
  return typeof standard === 'object' && standard !== null
    ? (standard as { readonly vendor?: unknown }).vendor
    : undefined;
}

/** The schemas of Effect have a syntax tree. */
function hasTag(ast: unknown): boolean {
  return typeof ast === 'object' && ast !== null && '_tag' in ast;
}
