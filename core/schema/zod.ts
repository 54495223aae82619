import { type JsonObject, type JsonValue, pointerTo } from '../json/value.ts';
import { patternFault } from './pattern.ts';

/** JSON Schema of a schema of zod, and the first of its checks that the JSON Schema does not carry. */
interface ZodReading {
  readonly schema: JsonObject;
  /** For example `refine at /properties/path`. Absent: the JSON Schema says all that the schema checks. */
  readonly unsaid?: string;
}

/**
 * Reads the public tree of a schema of zod: `_zod.def` of zod 4, of its mini form and of `zod/v4` in zod 3.25, and
 * `_def` of zod 3. Undefined for another library. Throws for a type without a counterpart in JSON, for example a date.
 */
export function readZod(source: unknown): ZodReading | undefined {
  if (nodeOf(source) === undefined) return undefined;
  return new Reading().read(source);
}

type Members = { readonly [name: string]: unknown };

/** A node of either tree, in the words of zod 4. `pattern` is that of a template. */
interface Node {
  readonly type: string;
  readonly def: Members;
  readonly checks: readonly Members[];
  readonly pattern?: unknown;
  readonly description?: unknown;
}

function nodeOf(source: unknown): Node | undefined {
  if (typeof source !== 'object' || source === null) return undefined;
  const { _zod: zod, _def: old, description } = source as Members;
  if (isMembers(zod) && isMembers(zod['def'])) {
    const { def } = zod;
    const checks = listOf(def['checks']).map((check) => (check as { _zod: { def: Members } })._zod.def);
    // a format such as z.email() is a check of its own
    const own = typeof def['check'] === 'string' ? [def] : [];
    return { type: String(def['type']), def, checks: [...own, ...checks], pattern: zod['pattern'], description };
  }
  if (isMembers(old) && typeof old['typeName'] === 'string') return { ...oldNode(old), description };
  return undefined;
}

class Reading {
  readonly #open = new Map<object, string | undefined>();
  readonly #defs: { [name: string]: JsonValue } = {};
  #unsaid: string | undefined;

  read(source: unknown): ZodReading {
    const root = this.#schema(source, '');
    const schema = Object.keys(this.#defs).length === 0 ? root : { ...root, $defs: this.#defs };
    return { schema, ...(this.#unsaid === undefined ? {} : { unsaid: this.#unsaid }) };
  }

  /** A schema that is met inside of itself becomes a definition. */
  #schema(source: unknown, at: string): JsonObject {
    const node = nodeOf(source);
    if (node === undefined) throw new Error(`no schema of zod at ${at || 'the top level'}`);
    const key = source as object;
    if (this.#open.has(key)) {
      const name = this.#open.get(key) ?? `type${[...this.#open.values()].filter((one) => one).length + 1}`;
      this.#open.set(key, name);
      return { $ref: `#/$defs/${name}` };
    }
    this.#open.set(key, undefined);
    const made = this.#made(node, at);
    const told = typeof node.description === 'string' ? { ...made, description: node.description } : made;
    const name = this.#open.get(key);
    if (name === undefined) {
      this.#open.delete(key);
      return told;
    }
    this.#defs[name] = told;
    return { $ref: `#/$defs/${name}` };
  }

  #made(node: Node, at: string): JsonObject {
    const { type, def } = node;
    const inner = (): JsonObject => this.#schema(def['innerType'], at);
    switch (type) {
      case 'string':
        return withPatterns({ type }, this.#checks(node, at));
      case 'number':
        return merged({ type }, this.#checks(node, at));
      case 'array':
        return merged({ type, items: this.#schema(def['element'], `${at}/items`) }, this.#checks(node, at));
      case 'object':
        this.#checks(node, at);
        return this.#object(def, at);
      case 'template_literal':
        return { type: 'string', ...this.#pattern(node.pattern, at) };
      default:
        this.#checks(node, at);
    }
    switch (type) {
      case 'boolean':
      case 'null':
        return { type };
      case 'any':
      case 'unknown':
        return {};
      case 'never':
        return { not: {} };
      case 'literal':
        return { enum: listOf(def['values']).map((value) => plain(value, at)) };
      case 'enum':
        return { enum: valuesOf(def['entries'] as Members).map((value) => plain(value, at)) };
      case 'union':
        return { anyOf: listOf(def['options']).map((one, i) => this.#schema(one, `${at}/anyOf/${i}`)) };
      case 'intersection':
        return { allOf: ['left', 'right'].map((side, i) => this.#schema(def[side], `${at}/allOf/${i}`)) };
      case 'tuple':
        return this.#tuple(def, at);
      case 'record':
        return this.#record(def, at);
      case 'nullable':
        return { anyOf: [inner(), { type: 'null' }] };
      case 'optional':
      case 'nonoptional':
      case 'readonly':
      case 'default':
      case 'prefault':
      case 'catch':
        return inner();
      case 'lazy':
        return this.#schema((def['getter'] as () => unknown)(), at);
      case 'pipe':
        return this.#piped(def, at);
      default:
        throw new Error(`${type} has no counterpart in JSON, at ${at || 'the top level'}`);
    }
  }

  #object(def: Members, at: string): JsonObject {
    const shape = def['shape'] as Members;
    const names = Object.keys(shape);
    const properties: { [name: string]: JsonValue } = {};
    for (const name of names) {
      const schema = this.#schema(shape[name], pointerTo(`${at}/properties`, name));
      Object.defineProperty(properties, name, { value: schema, enumerable: true, configurable: true, writable: true });
    }
    const required = names.filter((name) => !isOptional(shape[name]));
    const others =
      def['catchall'] === undefined ? undefined : this.#schema(def['catchall'], `${at}/additionalProperties`);
    const closed = others !== undefined && Object.hasOwn(others, 'not');
    return {
      type: 'object',
      properties,
      ...(required.length === 0 ? {} : { required }),
      ...(others === undefined ? {} : { additionalProperties: closed ? false : others }),
    };
  }

  #tuple(def: Members, at: string): JsonObject {
    const prefixItems = listOf(def['items']).map((item, i) => this.#schema(item, `${at}/prefixItems/${i}`));
    const given = def['rest'];
    const items = given === null || given === undefined ? false : this.#schema(given, `${at}/items`);
    return { type: 'array', ...(prefixItems.length === 0 ? {} : { prefixItems }), items, minItems: prefixItems.length };
  }

  #record(def: Members, at: string): JsonObject {
    const propertyNames = this.#schema(def['keyType'], `${at}/propertyNames`);
    const additionalProperties = this.#schema(def['valueType'], `${at}/additionalProperties`);
    return { type: 'object', propertyNames, additionalProperties };
  }

  /** The arguments are the input of a pipe; a transformation in front of a schema takes any input. */
  #piped(def: Members, at: string): JsonObject {
    this.#miss(typeof def['does'] === 'string' ? def['does'] : 'transform', at);
    return nodeOf(def['in'])?.type === 'transform' ? this.#schema(def['out'], at) : this.#schema(def['in'], at);
  }

  /** JSON Schema of each check that has one. The first other check is noted. */
  #checks({ type, checks }: Node, at: string): JsonObject[] {
    return checks.flatMap((check) => {
      const made = check['check'] === 'string_format' ? this.#format(check, at) : boundOf(check, type);
      if (made === undefined) this.#miss(nameOf(check), at);
      return made === undefined ? [] : [made];
    });
  }

  /** A format is carried by its pattern, or by a format of JSON Schema that says the same. */
  #format(check: Members, at: string): JsonObject | undefined {
    const { format, pattern, hostname, protocol } = check;
    if (pattern !== undefined) return this.#pattern(pattern, at);
    const same = hostname === undefined && protocol === undefined ? FORMATS_OF_ZOD.get(format) : undefined;
    return same === undefined ? undefined : { format: same };
  }

  #pattern(pattern: unknown, at: string): JsonObject {
    if (pattern instanceof RegExp && !/[im]/.test(pattern.flags) && patternFault(pattern.source) === undefined)
      return { pattern: pattern.source };
    this.#miss(`the pattern ${String(pattern).slice(0, 60)}`, at);
    return {};
  }

  #miss(what: string, at: string): void {
    this.#unsaid ??= `${what} at ${at || 'the top level'}`;
  }
}

/** Formats of zod without a pattern, by the format of JSON Schema that says the same. */
const FORMATS_OF_ZOD: ReadonlyMap<unknown, string> = new Map([
  ['email', 'email'],
  ['url', 'uri'],
  ['uuid', 'uuid'],
  ['date', 'date'],
]);

const INTEGER = { type: 'integer' } as const;
const NUMBER_FORMATS: { readonly [format: string]: JsonObject } = {
  safeint: { ...INTEGER, minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  int32: { ...INTEGER, minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  uint32: { ...INTEGER, minimum: 0, maximum: 2 ** 32 - 1 },
  float32: { minimum: -3.4028234663852886e38, maximum: 3.4028234663852886e38 },
  float64: {},
};

/** The bounds that a check of a value of this type sets. */
function boundOf(check: Members, type: string): JsonObject | undefined {
  const { value = null, inclusive, minimum, maximum, length } = check as { readonly [name: string]: JsonValue };
  const [min, max] = type === 'array' ? (['minItems', 'maxItems'] as const) : (['minLength', 'maxLength'] as const);
  switch (check['check']) {
    case 'greater_than':
      return inclusive === true ? { minimum: value } : { exclusiveMinimum: value };
    case 'less_than':
      return inclusive === true ? { maximum: value } : { exclusiveMaximum: value };
    case 'multiple_of':
      return { multipleOf: value };
    case 'number_format':
      return NUMBER_FORMATS[String(check['format'])];
    case 'min_length':
      return { [min]: minimum ?? null };
    case 'max_length':
      return { [max]: maximum ?? null };
    case 'length_equals':
      return { [min]: length ?? null, [max]: length ?? null };
    default:
      return undefined;
  }
}

/** The word by which the author knows a check. */
function nameOf({ check, format }: Members): string {
  if (check === 'string_format') return `the format ${String(format)}`;
  return check === 'custom' ? 'refine' : String(check);
}

function merged(schema: JsonObject, parts: readonly JsonObject[]): JsonObject {
  return parts.reduce((all, part) => ({ ...all, ...part }), schema);
}

/** Each pattern of a text counts; a schema has one keyword for it. */
function withPatterns(schema: JsonObject, parts: readonly JsonObject[]): JsonObject {
  const patterns = parts.filter((part) => part['pattern'] !== undefined);
  const others = parts.filter((part) => part['pattern'] === undefined);
  if (patterns.length < 2) return merged(schema, parts);
  return merged({ ...schema, allOf: patterns }, others);
}

/** True if an object may lack a member of this schema. */
function isOptional(source: unknown, depth = 0): boolean {
  const node = nodeOf(source);
  if (node === undefined || depth > 64) return false;
  const { type, def } = node;
  switch (type) {
    case 'optional':
    case 'default':
    case 'prefault':
    case 'catch':
      return true;
    case 'nullable':
    case 'readonly':
      return isOptional(def['innerType'], depth + 1);
    case 'pipe':
      return isOptional(def['in'], depth + 1);
    case 'union':
      return listOf(def['options']).some((one) => isOptional(one, depth + 1));
    default:
      return false;
  }
}

/** The values of an enum; the reverse entries of a numeric enum of TypeScript name no values. */
function valuesOf(entries: Members): unknown[] {
  const numbers = new Set(Object.values(entries).filter((value) => typeof value === 'number'));
  return Object.entries(entries).flatMap(([name, value]) => (numbers.has(Number(name)) ? [] : [value]));
}

function plain(value: unknown, at: string): JsonValue {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as JsonValue;
  throw new Error(`${typeof value} has no counterpart in JSON, at ${at || 'the top level'}`);
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Any value, as a schema of zod 3. */
const ANY = { _def: { typeName: 'ZodAny' } };

/** A node of zod 3 in the words of zod 4. */
function oldNode(def: Members): Node {
  const type = String(def['typeName']).slice('Zod'.length).toLowerCase();
  const made = (type: string, members: Members = def, checks: readonly Members[] = []): Node => ({
    type,
    def: members,
    checks,
  });
  switch (type) {
    case 'string':
    case 'number':
      return made(type, def, listOf(def['checks']).map(oldCheck));
    case 'array': {
      const bound = (check: string, name: string, given: unknown): Members[] =>
        isMembers(given) ? [{ check, [name]: given['value'] }] : [];
      return made(type, { element: def['type'] }, [
        ...bound('min_length', 'minimum', def['minLength']),
        ...bound('max_length', 'maximum', def['maxLength']),
        ...bound('length_equals', 'length', def['exactLength']),
      ]);
    }
    case 'object': {
      const never = nodeOf(def['catchall'])?.type === 'never';
      const others = def['unknownKeys'] === 'passthrough' ? ANY : never ? undefined : def['catchall'];
      return made(type, { shape: (def['shape'] as () => unknown)(), catchall: others });
    }
    case 'literal':
      return made(type, { values: [def['value']] });
    case 'enum':
      return made(type, {
        entries: Object.fromEntries(listOf(def['values']).map((value) => [`=${String(value)}`, value])),
      });
    case 'nativeenum':
      return made('enum', { entries: def['values'] });
    case 'discriminatedunion':
      return made('union');
    case 'branded':
      return made('readonly', { innerType: def['type'] });
    case 'effects': {
      const effect = isMembers(def['effect']) ? def['effect']['type'] : undefined;
      return made('pipe', { in: def['schema'], does: effect === 'refinement' ? 'refine' : String(effect) });
    }
    case 'pipeline':
      return made('pipe');
    default:
      return made(type);
  }
}

function oldCheck(given: unknown): Members {
  const { kind, value, inclusive, regex, ...rest } = given as Members;
  const format = (pattern?: RegExp): Members => ({ check: 'string_format', format: kind, pattern });
  switch (kind) {
    case 'min':
      return inclusive === undefined
        ? { check: 'min_length', minimum: value }
        : { check: 'greater_than', value, inclusive };
    case 'max':
      return inclusive === undefined
        ? { check: 'max_length', maximum: value }
        : { check: 'less_than', value, inclusive };
    case 'length':
      return { check: 'length_equals', length: value };
    case 'multipleOf':
      return { check: 'multiple_of', value };
    case 'int':
      return { check: 'number_format', format: 'safeint' };
    case 'finite':
      return { check: 'number_format', format: 'float64' };
    case 'regex':
      return format(regex as RegExp);
    case 'startsWith':
      return format(new RegExp(`^${literally(value)}`));
    case 'endsWith':
      return format(new RegExp(`${literally(value)}$`));
    case 'includes':
      return rest['position'] === undefined ? format(new RegExp(literally(value))) : format();
    default:
      return kind === 'trim' || kind === 'toLowerCase' || kind === 'toUpperCase' ? { check: 'overwrite' } : format();
  }
}

function literally(text: unknown): string {
  return String(text).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
