import { isList, isObject, type JsonObject, type JsonValue, pointerTo } from '../json/value.ts';
import { type Outcome, pass, type Refused } from '../outcome.ts';
import { KEYWORDS, type Shape } from './keywords.ts';
import { checkBranches, checkUnevaluated, type References, resolveReferences } from './references.ts';
import { collectSubschemas, refusal, type Schema, type Subschemas } from './subschemas.ts';

/**
 * Decides whether a schema may be compiled, and returns its plain form for the compiler. The schema comes from
 * canonical JSON of bounded size, and no part of it is evaluated. Runs in the compile realm, and also for a check
 * without compiling.
 */
export function judge(schema: JsonValue): Outcome<Schema> {
  const found: Subschemas = { locations: new Map(), anchors: new Map(), properties: 0 };
  const fault = protoMember(schema, '') ?? collectSubschemas(found, schema, '', 1);
  if (fault !== undefined) return fault;
  const resolved = resolveReferences(found);
  if (!('references' in resolved)) return resolved;
  return checkBranches(found) ?? checkUnevaluated(found) ?? pass(plainSchema(found, resolved.references));
}

/** Anywhere, data included: ajv writes data into its code as object literals, where `__proto__` is no member. */
function protoMember(value: JsonValue, pointer: string): Refused | undefined {
  if (!Array.isArray(value) && !isObject(value)) return undefined;
  for (const [name, one] of Object.entries(value) as [string, JsonValue][]) {
    const at = pointerTo(pointer, name);
    const fault = name === '__proto__' ? refusal('proto_member', at) : protoMember(one, at);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const DROPPED: ReadonlySet<Shape> = new Set(['note', 'anchor', 'dialect', 'id', 'ref']);

/**
 * The schema in the form for compilers: only assertions, names sorted, and every referenced subschema moved to
 * `/$defs/r0`, `r1`, … so that no name of a stranger ever takes part in resolving a reference.
 */
function plainSchema(subschemas: Subschemas, references: References): Schema {
  const plain = new Plain(subschemas, references);
  const root = plain.body('');
  const moved = plain.moved();
  return typeof root === 'boolean' || moved.length === 0 ? root : { ...root, $defs: Object.fromEntries(moved) };
}

/** Rewrites a schema. */
class Plain {
  readonly #subschemas: Subschemas;
  readonly #references: References;
  readonly #targets: ReadonlySet<string>;
  /** Pointer to new name, in the order in which they are met. */
  readonly #names = new Map<string, string>();

  constructor(subschemas: Subschemas, references: References) {
    this.#subschemas = subschemas;
    this.#references = references;
    this.#targets = new Set(references.values());
  }

  /** All moved subschemas, with the subschemas that they refer to in turn. */
  moved(): readonly (readonly [name: string, Schema])[] {
    const bodies: [string, Schema][] = [];
    for (const [pointer, name] of this.#names) bodies.push([name, this.body(pointer)]);
    return bodies;
  }

  #ref(pointer: string): string {
    if (pointer === '') return '#';
    const name = this.#names.get(pointer) ?? `r${this.#names.size}`;
    this.#names.set(pointer, name);
    return `#/$defs/${name}`;
  }

  /** A subschema in its place: moved away if a reference leads to it. */
  #at(pointer: string): Schema {
    return this.#targets.has(pointer) ? { $ref: this.#ref(pointer) } : this.body(pointer);
  }

  body(pointer: string): Schema {
    const schema = this.#subschemas.locations.get(pointer)?.schema ?? false;
    if (typeof schema === 'boolean') return schema;
    const kept = Object.keys(schema).filter(
      (name) => name !== '$defs' && !DROPPED.has(KEYWORDS.get(name)?.shape ?? 'note'),
    );
    const members = kept.toSorted().map((name) => [name, this.#value(name, schema, pointerTo(pointer, name))] as const);
    const target = this.#references.get(pointer);
    const ref = target === undefined ? {} : { $ref: this.#ref(target) };
    return { ...ref, ...Object.fromEntries(members) };
  }

  #value(name: string, schema: JsonObject, pointer: string): JsonValue {
    const value = schema[name] as JsonValue;
    const shape = KEYWORDS.get(name)?.shape;
    if (shape === 'schema') return this.#at(pointer);
    if (shape === 'schemas' && isList(value)) return value.map((_, at) => this.#at(pointerTo(pointer, at)));
    if ((shape !== 'schemaMap' && shape !== 'patternMap') || !isObject(value)) return value;
    return Object.fromEntries(
      Object.keys(value)
        .toSorted()
        .map((key) => [key, this.#at(pointerTo(pointer, key))]),
    );
  }
}
