import { isList, isObject, type JsonObject, type JsonValue, member, pointerTo } from '../json/value.ts';
import { areDisjoint } from './disjoint.ts';
import { KEYWORDS } from './keywords.ts';
import { type References, resolveReferences } from './references.ts';
import { collectSubschemas, type Subschemas } from './subschemas.ts';

/**
 * Closes objects: a schema that lists properties and does not say whether further properties are allowed gets
 * `additionalProperties: false`. Where the parts of a combination list the properties of one object, the combination
 * gets `unevaluatedProperties: false` and its parts stay as they are. The result never accepts a value that the schema
 * refuses, so no object is closed below `not` and `if`, in alternatives of a `oneOf` that may overlap, and below a
 * `contains` with `maxContains`. A schema that cannot be registered is returned as it is.
 */
export function closeObjects(schema: JsonObject): JsonObject {
  const found: Subschemas = { locations: new Map(), anchors: new Map(), properties: 0 };
  if (collectSubschemas(found, schema, '', 1) !== undefined) return schema;
  const resolved = resolveReferences(found);
  return 'references' in resolved ? new Closing(found, resolved.references).closed(schema) : schema;
}

/**
 * How a location is used: as the whole schema of a value, as a part of the schema of a value, or where a stricter
 * schema would accept more.
 */
type Use = 'whole' | 'part' | 'fixed';

/** Keywords whose subschemas list properties of the same object. `not` does not list, `if` only when it matches. */
const COMBINING: readonly string[] = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'];
/** With one of these a schema describes its object beyond its alternatives. */
const OF_THE_OBJECT: readonly string[] = ['properties', 'patternProperties', 'required'];
const SAYS: readonly string[] = ['additionalProperties', 'unevaluatedProperties'];

class Closing {
  readonly #found: Subschemas;
  readonly #references: References;
  readonly #uses: { readonly [U in Use]: Set<string> } = { whole: new Set(), part: new Set(), fixed: new Set() };
  readonly #disjoint = new Map<string, boolean>();

  constructor(found: Subschemas, references: References) {
    this.#found = found;
    this.#references = references;
  }

  closed(schema: JsonObject): JsonObject {
    this.#use('', 'whole');
    return this.#rewrite(schema, '') as JsonObject;
  }

  #schema(pointer: string): JsonObject | undefined {
    const schema = this.#found.locations.get(pointer)?.schema;
    return isObject(schema) ? schema : undefined;
  }

  /** Notes the use of a location and of the locations below it, each once. */
  #use(pointer: string, use: Use): void {
    if (this.#uses[use].has(pointer)) return;
    this.#uses[use].add(pointer);
    for (const [keyword, child] of this.#children(pointer)) this.#use(child, this.#useOf(pointer, keyword, use));
  }

  #useOf(pointer: string, keyword: string, use: Use): Use {
    const schema = this.#schema(pointer) ?? {};
    if (use === 'fixed' || keyword === 'not' || keyword === 'if') return 'fixed';
    if (keyword === 'oneOf' && !this.#areDisjoint(pointer)) return 'fixed';
    if (!COMBINING.includes(keyword))
      return keyword === 'contains' && Object.hasOwn(schema, 'maxContains') ? 'fixed' : 'whole';
    return use === 'whole' && this.#delegates(pointer) ? 'whole' : 'part';
  }

  /** Locations of the subschemas, and of the target of a reference, each with its keyword. */
  #children(pointer: string): readonly (readonly [keyword: string, pointer: string])[] {
    const target = this.#references.get(pointer);
    const below = Object.entries(this.#schema(pointer) ?? {}).flatMap(([keyword, value]) =>
      keyword === '$defs'
        ? []
        : childPointers(keyword, value, pointerTo(pointer, keyword)).map((at) => [keyword, at] as const),
    );
    return target === undefined ? below : [...below, ['$ref', target]];
  }

  #combined(pointer: string): readonly (readonly [keyword: string, pointer: string])[] {
    return this.#children(pointer).filter(([keyword]) => COMBINING.includes(keyword));
  }

  /** True if each alternative describes the whole object: they are closed, not the schema around them. */
  #delegates(pointer: string): boolean {
    const schema = this.#schema(pointer) ?? {};
    if ([...OF_THE_OBJECT, ...SAYS].some((keyword) => Object.hasOwn(schema, keyword))) return false;
    const combined = this.#combined(pointer);
    const keywords = new Set(combined.map(([keyword]) => keyword));
    if (keywords.size !== 1) return false;
    if (keywords.has('$ref') || keywords.has('anyOf') || (keywords.has('allOf') && combined.length === 1)) return true;
    return keywords.has('oneOf') && this.#areDisjoint(pointer);
  }

  #areDisjoint(pointer: string): boolean {
    const known = this.#disjoint.get(pointer);
    if (known !== undefined) return known;
    const alternatives = this.#combined(pointer).filter(([keyword]) => keyword === 'oneOf');
    const made = areDisjoint(alternatives.map(([, at]) => this.#schema(this.#references.get(at) ?? at)));
    this.#disjoint.set(pointer, made);
    return made;
  }

  /** The keyword that closes the location; undefined if it stays as it is. */
  #closing(pointer: string): 'additionalProperties' | 'unevaluatedProperties' | undefined {
    const { whole, part, fixed } = this.#uses;
    const schema = this.#schema(pointer);
    if (schema === undefined || !whole.has(pointer) || part.has(pointer) || fixed.has(pointer)) return undefined;
    if (SAYS.some((keyword) => Object.hasOwn(schema, keyword))) return undefined;
    if (this.#delegates(pointer) && this.#combined(pointer).every(([, at]) => !part.has(at) && !fixed.has(at)))
      return undefined;
    if (!this.#lists(pointer, new Set()) || !this.#listsRequired(pointer)) return undefined;
    return this.#combined(pointer).length === 0 ? 'additionalProperties' : 'unevaluatedProperties';
  }

  /** True if properties are listed however the alternatives are chosen. */
  #lists(pointer: string, seen: Set<string>): boolean {
    const schema = this.#schema(pointer);
    if (schema === undefined || seen.has(pointer)) return false;
    seen.add(pointer);
    if (Object.hasOwn(schema, 'properties')) return true;
    const combined = this.#combined(pointer);
    const of = (...keywords: readonly string[]): readonly string[] =>
      combined.filter(([keyword]) => keywords.includes(keyword)).map(([, at]) => at);
    if (of('allOf', '$ref').some((at) => this.#lists(at, seen))) return true;
    return ['anyOf', 'oneOf'].some((keyword) => {
      const objects = of(keyword).filter((at) => mayBeObject(this.#schema(at)));
      return objects.length > 0 && objects.every((at) => this.#lists(at, seen));
    });
  }

  /** An object with a required property that no part lists has further properties. */
  #listsRequired(pointer: string): boolean {
    const seen = new Set([pointer]);
    for (const at of seen) for (const [keyword, next] of this.#combined(at)) if (keyword !== 'if') seen.add(next);
    const schemas = [...seen].map((at): JsonObject => this.#schema(at) ?? {});
    if (schemas.some((schema) => Object.hasOwn(schema, 'patternProperties'))) return true;
    const listed = new Set(schemas.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : [])));
    return schemas.every(({ required }) => !isList(required) || required.every((name) => listed.has(name as string)));
  }

  #rewrite(schema: JsonValue, pointer: string): JsonValue {
    if (!isObject(schema)) return schema;
    const inside = Object.entries(schema).map(
      ([keyword, value]) => [keyword, this.#rewriteValue(keyword, value, pointerTo(pointer, keyword))] as const,
    );
    const closing = this.#closing(pointer);
    return Object.fromEntries(closing === undefined ? inside : [...inside, [closing, false] as const]);
  }

  #rewriteValue(keyword: string, value: JsonValue, pointer: string): JsonValue {
    switch (KEYWORDS.get(keyword)?.shape) {
      case 'schema':
        return this.#rewrite(value, pointer);
      case 'schemas':
        return isList(value) ? value.map((one, at) => this.#rewrite(one, pointerTo(pointer, at))) : value;
      case 'schemaMap':
      case 'patternMap':
        return Object.fromEntries(
          Object.entries(isObject(value) ? value : {}).map(([name, one]) => [
            name,
            this.#rewrite(one, pointerTo(pointer, name)),
          ]),
        );
      default:
        return value;
    }
  }
}

function childPointers(keyword: string, value: JsonValue, pointer: string): readonly string[] {
  switch (KEYWORDS.get(keyword)?.shape) {
    case 'schema':
      return [pointer];
    case 'schemas':
      return isList(value) ? value.map((_, at) => pointerTo(pointer, at)) : [];
    case 'schemaMap':
    case 'patternMap':
      return Object.keys(isObject(value) ? value : {}).map((name) => pointerTo(pointer, name));
    default:
      return [];
  }
}

function mayBeObject(schema: JsonObject | undefined): boolean {
  if (schema === undefined) return false;
  const type = member(schema, 'type');
  return type === undefined || (isList(type) ? type.includes('object') : type === 'object');
}
