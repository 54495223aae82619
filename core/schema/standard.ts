import { isObject, type JsonObject } from '../json/value.ts';
import { type Outcome, pass } from '../outcome.ts';
import { closeObjects } from './close.ts';
import { refusal } from './subschemas.ts';

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

/**
 * Plain JSON Schema of a source; a plain schema is passed through as it is. Objects of a library's schema are closed:
 * they leave unknown members open, and unnamed members are refused here. Only the schema is taken over, no
 * transformation, default or message. Refuses with `schema_refused`, rule `library`, and names the line to write for a
 * library that gives no JSON Schema by itself.
 */
export function toJsonSchema(source: unknown): Outcome<JsonObject> {
  try {
    const converted = convert(source);
    if (converted === undefined) return isObject(source) ? pass(source) : refusal('not_schema', '');
    const plain: unknown = JSON.parse(JSON.stringify(converted.made) ?? 'null');
    return isObject(plain) ? pass(closeObjects(plain)) : refusal('library', '');
  } catch (error) {
    return refusal('library', '', error instanceof Error ? error.message.slice(0, 200) : 'unknown');
  }
}

/**
 * The library's conversion of its schema; undefined when the source is not a library's schema. arktype's schemas are
 * functions.
 */
function convert(source: unknown): { readonly made: unknown } | undefined {
  if ((typeof source !== 'object' && typeof source !== 'function') || source === null) return undefined;
  const { '~standard': standard, toJSONSchema } = source as Partial<StandardJsonSchema & ConvertibleSchema>;
  if (typeof standard?.jsonSchema?.input === 'function') {
    return { made: standard.jsonSchema.input({ target: TARGET }) };
  }
  if (typeof toJSONSchema === 'function') return { made: toJSONSchema.call(source) };
  const line = lineFor(source);
  if (standard !== undefined || line !== undefined) throw new Error(line ?? 'no ~standard.jsonSchema');
  return undefined;
}

/**
 * The line to write for a library's schema that gives no JSON Schema by itself; undefined for an unknown library. Old
 * versions of zod and arktype only validate; valibot and Effect convert by a function beside the schema.
 */
function lineFor(source: object): string | undefined {
  const { '~standard': standard, ast, _zod } = source as { readonly [name: string]: unknown };
  switch (vendorOf(standard) ?? (hasTag(ast) ? 'effect' : undefined)) {
    case 'zod':
      return _zod === undefined
        ? 'use zod 4.2 or later, whose schemas are taken as they are: a schema of zod 3 gives no JSON Schema'
        : 'write z.toJSONSchema(schema): only a schema of the full zod 4.2 or later is taken as it is';
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
