import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { decodeFragment } from './fragment.ts';

/** A TypeScript type for the values of a schema, and the aliases that its references need. */
export interface TypeText {
  readonly type: string;
  /** Declarations by name, for example `A_Node` to `{ next?: A_Node }`. */
  readonly aliases: ReadonlyMap<string, string>;
}

/**
 * Writes the values of a JSON Schema as a TypeScript type. Each value that the schema accepts has the type; the type may
 * accept more, because it has no bounds and no patterns. `prefix` begins the names of the aliases.
 */
export function typeOf(schema: JsonValue, prefix: string): TypeText {
  const writer = new TypeWriter(isObject(schema) ? schema : {}, prefix);
  const type = writer.write(schema);
  return { type, aliases: writer.aliases };
}

class TypeWriter {
  readonly aliases = new Map<string, string>();
  readonly #root: JsonObject;
  readonly #prefix: string;
  readonly #names = new Map<string, string>();

  constructor(root: JsonObject, prefix: string) {
    this.#root = root;
    this.#prefix = prefix;
  }

  write(schema: JsonValue | undefined): string {
    if (schema === false) return 'never';
    if (!isObject(schema)) return 'unknown';
    const parts = [this.#own(schema), ...this.#combined(schema)].filter((part) => part !== 'unknown');
    return parts.length === 0 ? 'unknown' : parts.map((part) => grouped(part, parts.length > 1)).join(' & ');
  }

  #combined({ anyOf, oneOf, allOf, $ref }: JsonObject): readonly string[] {
    return [
      ...[anyOf, oneOf].flatMap((list) =>
        Array.isArray(list) ? union(listed(list).map((each) => this.write(each))) : [],
      ),
      ...listed(allOf).map((each) => this.write(each)),
      ...(typeof $ref === 'string' ? [this.#reference($ref)] : []),
    ];
  }

  /** The type of the keywords of the schema itself. */
  #own(schema: JsonObject): string {
    const { type, enum: values } = schema;
    if ('const' in schema) return JSON.stringify(schema['const']);
    if (Array.isArray(values)) return union(listed(values).map((value) => JSON.stringify(value)));
    if (Array.isArray(type)) return union(texts(type).map((each) => this.#named(each, schema)));
    if (typeof type === 'string') return this.#named(type, schema);
    // keywords for objects or lists say nothing about values of other types
    return 'unknown';
  }

  #named(type: string, schema: JsonObject): string {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
        return type;
      case 'number':
      case 'integer':
        return 'number';
      case 'array':
        return this.#list(schema);
      case 'object':
        return this.#object(schema);
      default:
        return 'unknown';
    }
  }

  #list({ items, prefixItems }: JsonObject): string {
    const rest = `readonly ${grouped(this.write(items ?? true), true)}[]`;
    if (!Array.isArray(prefixItems)) return rest;
    const first = listed(prefixItems).map((each) => `(${this.write(each)})?`);
    return items === false
      ? `readonly [${first.join(', ')}]`
      : `readonly [${[...first, `...${rest.slice(9)}`].join(', ')}]`;
  }

  #object({ properties, required, additionalProperties, patternProperties }: JsonObject): string {
    const needed = new Set(texts(required));
    const known = isObject(properties) ? Object.entries(properties) : [];
    const members = known.map(([name, each]) => {
      const note = isObject(each) && typeof each['description'] === 'string' ? comment(each['description']) : '';
      return `${note}readonly ${memberName(name)}${needed.has(name) ? '' : '?'}: ${this.write(each)}`;
    });
    const others = [...needed].filter((name) => !known.some(([each]) => each === name));
    const more = others.map((name) => `readonly ${memberName(name)}: unknown`);
    const isOpen = additionalProperties !== false || patternProperties !== undefined;
    // an index signature covers the named members, too
    const index = !isOpen
      ? []
      : [
          `readonly [name: string]: ${known.length + more.length > 0 ? 'unknown' : this.write(additionalProperties ?? true)}`,
        ];
    const all = [...members, ...more, ...index];
    return all.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${all.join('; ')} }`;
  }

  /** An alias for a local reference, which may refer to itself. */
  #reference(ref: string): string {
    const known = this.#names.get(ref);
    if (known !== undefined) return known;
    const target = resolve(this.#root, ref);
    if (target === undefined) return 'unknown';
    const name = `${this.#prefix}_${this.#names.size + 1}`;
    this.#names.set(ref, name);
    this.aliases.set(name, this.write(target));
    return name;
  }
}

function resolve(root: JsonObject, ref: string): JsonValue | undefined {
  const pointer = ref.startsWith('#') ? decodeFragment(ref.slice(1)) : undefined;
  if (pointer === undefined || !/^(?:\/|$)/.test(pointer)) return undefined;
  const path = pointer.split('/').slice(1);
  return path.reduce<JsonValue | undefined>((at, part) => {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) return (at as readonly JsonValue[])[Number(key)];
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, root);
}

function listed(list: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(list) ? (list as readonly JsonValue[]) : [];
}

function texts(list: JsonValue | undefined): readonly string[] {
  return listed(list).filter((each) => typeof each === 'string');
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  if (distinct.length === 0) return 'never';
  return distinct.includes('unknown')
    ? 'unknown'
    : distinct.map((type) => grouped(type, distinct.length > 1)).join(' | ');
}

/** The type in brackets where it stands beside another one. */
function grouped(type: string, isBeside: boolean): string {
  return isBeside && /[ |&]/.test(type) && !/^\{[^{}]*\}$/.test(type) ? `(${type})` : type;
}

export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A description is a stranger's text: it stays inside its comment, on one line. */
export function comment(text: string): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  return line === '' ? '' : `/** ${line} */ `;
}
