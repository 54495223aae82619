import { refuse } from '../../../core/errors.ts';
import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../core/json/value.ts';
import { CAPABILITY_LIMITS } from '../../../core/limits.ts';
import { type Outcome, pass, type Refused } from '../../../core/outcome.ts';
import { importSchema } from '../../../core/schema/import/import.ts';
import { along } from '../../../core/schema/import/places.ts';
import { KEYWORDS } from '../../../core/schema/keywords.ts';
import { type OpenApiDocument, targetOf } from './document.ts';

/** Direction of the values: a request has no member that is only read, a response no member that is only written. */
type SchemaDirection = 'request' | 'response';

/** Members that constrain no value and are not shown to a model. */
const NOTES: ReadonlySet<string> = new Set([
  'example',
  'examples',
  'externalDocs',
  'xml',
  'discriminator',
  'deprecated',
]);
/** Members that only the schema of a request keeps, for the model that writes it. */
const FOR_WRITERS: ReadonlySet<string> = new Set(['title', 'description', 'default', '$comment']);

/** UTF-16 units of a description in a schema. */
const DESCRIPTION_MAX = 300;

const SUBSCHEMAS_MAX = 10_000;
const { schemaDepth, schemaProperties } = CAPABILITY_LIMITS;

/**
 * Gathers the schemas of one operation, with all schemas that they refer to, for `importSchema`. Each target of a
 * reference is copied once, so that a cycle stays a reference; work ends at the bounds of a capability's schema.
 */
export class SchemaGathering {
  readonly #document: OpenApiDocument;
  readonly #direction: SchemaDirection;
  /** Name of each target by its pointer. */
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #targets: { readonly name: string; readonly value: JsonValue; readonly at: string }[] = [];
  /** Pointer in the made schema to the pointer in the document. */
  readonly #origins = new Map<string, string>();
  #fault: Refused | undefined;
  #subschemas = 0;
  #properties = 0;

  constructor(document: OpenApiDocument, direction: SchemaDirection) {
    this.#document = document;
    this.#direction = direction;
  }

  /** A schema of the document at `from`, for the place `to` of the schema that will be made. */
  take(schema: JsonValue, from: string, to: string): JsonValue {
    this.#origins.set(to, from);
    return this.#schema(schema, from, 1);
  }

  /** The strict schema of a root that holds taken schemas, or the refusal with its pointer into the document. */
  imported(root: JsonObject): Outcome<JsonObject> {
    const schemas: [string, JsonValue][] = [];
    // gathering a target may add targets
    for (const { name, value, at } of this.#targets) {
      if (this.#fault !== undefined) break;
      schemas.push([name, this.take(value, at, pointerTo('/components/schemas', name))]);
    }
    if (this.#fault !== undefined) return this.#fault;
    const components = schemas.length === 0 ? {} : { components: { schemas: Object.fromEntries(schemas) } };
    const whole = { $schema: this.#document.dialect, ...root, ...components };
    const made = importSchema(whole, { close: this.#direction === 'request' });
    if (made.ok) return pass(made.value.schema);
    const { code, details, pointer = '' } = made.refusal;
    return refuse(code, details as never, { pointer: this.#originOf(pointer) });
  }

  #originOf(pointer: string): string {
    const ends = [...pointer.matchAll(/\/|$/g)].map(({ index }) => index).toReversed();
    const end = ends.find((at) => this.#origins.has(pointer.slice(0, at)));
    if (end === undefined) return '';
    const origin = this.#origins.get(pointer.slice(0, end)) ?? '';
    const exact = origin + pointer.slice(end);
    return along(this.#document.root, exact) === undefined ? origin : exact;
  }

  #schema(schema: JsonValue, from: string, depth: number): JsonValue {
    if (!isObject(schema) || this.#fault !== undefined) return schema;
    if (depth > schemaDepth) return this.#tooLarge('levels of subschemas', schemaDepth, depth, from);
    if (++this.#subschemas > SUBSCHEMAS_MAX)
      return this.#tooLarge('subschemas', SUBSCHEMAS_MAX, this.#subschemas, from);
    const kept = this.#direction === 'request' ? schema : withoutNullable(schema, this.#document.version);
    const hidden = this.#hiddenIn(kept, from);
    const entries = (Object.entries(kept) as [string, JsonValue][])
      .filter(([keyword]) => this.#keeps(keyword))
      .map(([keyword, value]) => [keyword, this.#keyword(keyword, value, { from, depth, hidden })] as const);
    const made = Object.fromEntries(entries);
    return kept === schema ? made : { anyOf: [made, { type: 'null' }] };
  }

  #keeps(keyword: string): boolean {
    if (NOTES.has(keyword) || keyword.startsWith('x-')) return false;
    return this.#direction === 'request' || !FOR_WRITERS.has(keyword);
  }

  #keyword(keyword: string, value: JsonValue, { from, depth, hidden }: Site): JsonValue {
    const at = pointerTo(from, keyword);
    if (keyword === '$ref') return this.#reference(value, at);
    if (keyword === 'description' && typeof value === 'string') return bounded(value, DESCRIPTION_MAX);
    if (keyword === 'required' && Array.isArray(value))
      return (value as readonly JsonValue[]).filter((name) => !hidden.has(name as string));
    switch (KEYWORDS.get(keyword)?.shape) {
      case 'schema':
      case 'schemas':
        return Array.isArray(value)
          ? (value as readonly JsonValue[]).map((each, nth) => this.#schema(each, pointerTo(at, nth), depth + 1))
          : this.#schema(value, at, depth + 1);
      case 'schemaMap':
      case 'patternMap':
        return isObject(value) ? this.#map(value, at, depth, keyword === 'properties' ? hidden : NONE) : value;
      default:
        return value;
    }
  }

  #map(map: JsonObject, at: string, depth: number, hidden: ReadonlySet<string>): JsonObject {
    const entries = (Object.entries(map) as [string, JsonValue][]).filter(([name]) => !hidden.has(name));
    this.#properties += entries.length;
    if (this.#properties > schemaProperties) this.#tooLarge('properties', schemaProperties, this.#properties, at);
    return Object.fromEntries(
      entries.map(([name, each]) => [name, this.#schema(each, pointerTo(at, name), depth + 1)]),
    );
  }

  /** Properties that values of this direction do not have. */
  #hiddenIn(schema: JsonObject, from: string): ReadonlySet<string> {
    const properties = member(schema, 'properties');
    if (!isObject(properties)) return NONE;
    const mark = this.#direction === 'request' ? 'readOnly' : 'writeOnly';
    const marked = (Object.entries(properties) as [string, JsonValue][]).filter(([, each]) => {
      const ref = isObject(each) ? member(each, '$ref') : undefined;
      const target = ref === undefined ? undefined : targetOf(this.#document.root, ref, from);
      const meant = target?.ok ? target.value.value : each;
      return isObject(meant) && member(meant, mark) === true;
    });
    return new Set(marked.map(([name]) => name));
  }

  #reference(ref: JsonValue, at: string): JsonValue {
    const found = targetOf(this.#document.root, ref, at);
    if (!found.ok) {
      this.#fault ??= found;
      return true;
    }
    const { value, pointer } = found.value;
    const known = this.#names.get(pointer);
    if (known !== undefined) return `#/components/schemas/${known}`;
    const name = this.#nameOf(pointer);
    this.#names.set(pointer, name);
    this.#targets.push({ name, value, at: pointer });
    return `#/components/schemas/${name}`;
  }

  #nameOf(pointer: string): string {
    const wish = pointer.slice(pointer.lastIndexOf('/') + 1).replace(/[^A-Za-z0-9_-]/g, '_') || '_';
    let name = wish;
    for (let nth = 2; this.#taken.has(name); nth++) name = `${wish}_${nth}`;
    this.#taken.add(name);
    return name;
  }

  #tooLarge(what: string, limit: number, used: number, pointer: string): JsonValue {
    this.#fault ??= refuse('schema_too_large', { what, limit, used }, { pointer });
    return true;
  }
}

interface Site {
  readonly from: string;
  readonly depth: number;
  readonly hidden: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** The schema without a `nullable` that is true; the same schema where it has none. */
function withoutNullable(schema: JsonObject, version: OpenApiDocument['version']): JsonObject {
  if (version !== '3.0' || member(schema, 'nullable') !== true) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== 'nullable')) as JsonObject;
}

/** The beginning of a text of the document. */
export function bounded(text: string, lengthMax: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= lengthMax ? line.toWellFormed() : `${line.slice(0, lengthMax - 1).toWellFormed()}…`;
}
