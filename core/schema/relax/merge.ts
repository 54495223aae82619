import { canonicalText } from '../../json/canonical.ts';
import { isList, isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../json/value.ts';
import { along, places } from '../import/places.ts';
import { DRAFT_2020_12, ReferenceTargets } from '../import/references.ts';
import { KEYWORDS } from '../keywords.ts';

/** A value of the given schema, with its pointer. */
export interface Given {
  readonly value: JsonValue;
  readonly at: string;
}

/** A schema and the parts of its `allOf`, as a single list of keywords. It accepts all values that the schema accepts. */
export interface Merged {
  readonly keywords: Map<string, Given>;
  readonly properties: Map<string, Given>;
  /** Names, each with the pointer of its `required`. */
  readonly required: Map<string, string>;
  types: readonly string[] | undefined;
  /** Number of parts that describe properties. */
  describing: number;
  /** True while `properties` has each name that a part describes. */
  listed: boolean;
}

/** Follows a reference; undefined if it cannot be followed from this place. */
export type Follow = (ref: string) => Given | undefined;

const OF_PROPERTIES: readonly string[] = ['properties', 'patternProperties', 'additionalProperties'];
/** Combinations that stay beside the list of keywords: they may describe further properties. */
const ALTERNATIVES: readonly string[] = ['anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'];
/** Keywords that mean something else beside the keywords of another part. */
const TOGETHER: readonly (readonly string[])[] = [
  ['prefixItems', 'items', 'contains', 'minContains', 'maxContains'],
  ['anyOf', 'oneOf'],
  ['const', 'enum'],
];

/** Joins a schema with its parts. What cannot be joined is left out, and `drop` is told its pointer. */
export function mergeParts(schema: Given, follow: Follow, drop: (at: string) => void): Merged {
  const merged: Merged = {
    keywords: new Map(),
    properties: new Map(),
    required: new Map(),
    types: undefined,
    describing: 0,
    listed: true,
  };
  new Merge(merged, follow, drop).add(schema, []);
  return merged;
}

class Merge {
  readonly #merged: Merged;
  readonly #follow: Follow;
  readonly #drop: (at: string) => void;

  constructor(merged: Merged, follow: Follow, drop: (at: string) => void) {
    this.#merged = merged;
    this.#follow = follow;
    this.#drop = drop;
  }

  /** `way` are the schemas around this part. */
  add({ value: schema, at }: Given, way: readonly string[]): void {
    if (schema === true) return;
    if (!isObject(schema) || way.includes(at)) return this.#leave(at);
    const taken = new Set(this.#merged.keywords.keys());
    if (OF_PROPERTIES.some((keyword) => Object.hasOwn(schema, keyword))) this.#merged.describing += 1;
    for (const [keyword, value] of Object.entries(schema) as [string, JsonValue][])
      this.#keyword(keyword, { value, at: pointerTo(at, keyword) }, taken);
    this.#parts(schema, at, [...way, at]);
  }

  #parts(schema: JsonObject, at: string, way: readonly string[]): void {
    const ref = member(schema, '$ref');
    const target = typeof ref === 'string' ? this.#follow(ref) : undefined;
    if (target !== undefined) this.add(target, way);
    else if (ref !== undefined) this.#leave(pointerTo(at, '$ref'));
    const parts = member(schema, 'allOf');
    if (!isList(parts)) return;
    for (const [nth, value] of parts.entries()) this.add({ value, at: pointerTo(`${at}/allOf`, nth) }, way);
  }

  #leave(at: string): void {
    this.#merged.listed = false;
    this.#drop(at);
  }

  #keyword(keyword: string, given: Given, taken: ReadonlySet<string>): void {
    if (ALTERNATIVES.includes(keyword)) this.#merged.listed = false;
    switch (keyword) {
      case '$ref':
      case 'allOf':
        return;
      case 'properties':
        return this.#properties(given);
      case 'required':
        return this.#required(given);
      case 'type':
        return this.#type(given);
      default:
        return this.#other(keyword, given, taken);
    }
  }

  #properties({ value, at }: Given): void {
    for (const [name, property] of Object.entries(isObject(value) ? value : {})) {
      if (this.#merged.properties.has(name)) this.#drop(pointerTo(at, name));
      else this.#merged.properties.set(name, { value: property, at: pointerTo(at, name) });
    }
  }

  #required({ value, at }: Given): void {
    for (const name of isList(value) ? value : []) this.#merged.required.set(name as string, at);
  }

  #type({ value, at }: Given): void {
    const types = (isList(value) ? value : [value]) as readonly string[];
    const both = this.#merged.types === undefined ? types : common(this.#merged.types, types);
    if (both.length === 0) this.#drop(at);
    else this.#merged.types = both;
  }

  /** A keyword of a part is left out where another part has it, or a keyword that would change its meaning. */
  #other(keyword: string, given: Given, taken: ReadonlySet<string>): void {
    const { keywords } = this.#merged;
    const known = keywords.get(keyword);
    const group = TOGETHER.find((names) => names.includes(keyword)) ?? [];
    if (known === undefined && !group.some((name) => taken.has(name))) keywords.set(keyword, given);
    else if (known !== undefined && canonicalText(known.value) === canonicalText(given.value)) return;
    else if (KEYWORDS.get(keyword)?.shape !== 'note') this.#drop(given.at);
  }
}

/** The types of both lists; `integer` is part of `number`. */
function common(first: readonly string[], second: readonly string[]): readonly string[] {
  const within = (type: string, types: readonly string[]): boolean =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  return [...new Set([...first.filter((one) => within(one, second)), ...second.filter((one) => within(one, first))])];
}

/** The references of a schema: their targets, and which of them lead back to themselves. */
export class SchemaReferences {
  readonly targets: ReferenceTargets;
  readonly #given: JsonObject;
  readonly #cyclic = new Map<string, boolean>();
  readonly #refs = new Map<string, readonly string[]>();

  constructor(given: JsonObject) {
    this.#given = given;
    this.targets = new ReferenceTargets(given, DRAFT_2020_12);
  }

  valueAt(pointer: string): JsonValue {
    return along(this.#given, pointer)?.at(-1) ?? true;
  }

  follow(ref: string): Given | undefined {
    const found = this.targets.target(ref);
    return 'rule' in found ? undefined : { value: this.valueAt(found.pointer), at: found.pointer };
  }

  /** A target that can be joined with the keywords beside its reference: it does not refer to itself. */
  joined(ref: string): Given | undefined {
    const target = this.follow(ref);
    return target === undefined || this.isCyclic(target.at) ? undefined : target;
  }

  isCyclic(pointer: string): boolean {
    const known = this.#cyclic.get(pointer);
    if (known !== undefined) return known;
    const met = new Set(this.#refsBelow(pointer));
    // the set grows while it is walked
    for (const at of met) for (const next of this.#refsBelow(at)) met.add(next);
    const cyclic = [...met].some((at) => `${pointer}/`.startsWith(`${at}/`));
    this.#cyclic.set(pointer, cyclic);
    return cyclic;
  }

  #refsBelow(pointer: string): readonly string[] {
    const known = this.#refs.get(pointer);
    if (known !== undefined) return known;
    const found = [...places(this.valueAt(pointer))].flatMap(({ schema }) => {
      const ref = isObject(schema) ? member(schema, '$ref') : undefined;
      return typeof ref === 'string' ? (this.follow(ref)?.at ?? []) : [];
    });
    this.#refs.set(pointer, found);
    return found;
  }
}
