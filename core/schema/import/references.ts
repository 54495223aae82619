import { isObject, type JsonObject, type JsonValue, member } from '../../json/value.ts';
import { type Outcome, pass } from '../../outcome.ts';
import { decodeFragment } from '../fragment.ts';
import type { RefusalRule } from '../refusals.ts';
import { refusal } from '../subschemas.ts';
import { along, type Place, places, tokensOf } from './places.ts';

/** Pointer of the schema that a reference leads to, or the rule that refuses the reference. */
type FoundTarget = { readonly pointer: string } | { readonly rule: RefusalRule };

/** Finds the targets of references, and gives each target a name below `$defs`. */
export class ReferenceTargets {
  readonly #given: JsonObject;
  readonly #ids: readonly string[];
  /** URI of the whole schema, without a fragment. */
  readonly #base: string;
  readonly #anchors = new Map<string, string[]>();
  /** Pointer of a target to its name, in the order in which the references are found. */
  readonly names: Map<string, string> = new Map();
  readonly #taken = new Set<string>();

  constructor(given: JsonObject, draft: SchemaDraft) {
    this.#given = given;
    this.#ids = draft.ids;
    const id = draft.ids.map((keyword) => member(given, keyword)).find((one) => typeof one === 'string');
    this.#base = typeof id === 'string' ? (id.split('#')[0] ?? '') : '';
    for (const { pointer, schema } of places(given)) {
      const anchor = isObject(schema) ? anchorIn(schema, draft) : undefined;
      if (typeof anchor === 'string') this.#anchors.set(anchor, [...(this.#anchors.get(anchor) ?? []), pointer]);
    }
  }

  target(ref: string): FoundTarget {
    const fragment = this.#local(ref);
    if (fragment === undefined) return { rule: 'remote_ref' };
    const [pointer, second] =
      fragment === '' || fragment.startsWith('/') ? [fragment] : (this.#anchors.get(fragment) ?? []);
    if (second !== undefined) return { rule: 'duplicate_anchor' };
    const values = pointer === undefined ? undefined : along(this.#given, pointer);
    const target = values?.at(-1);
    if (pointer === undefined || (typeof target !== 'boolean' && !isObject(target))) return { rule: 'unresolved_ref' };
    // a reference below such a schema would lead to another place
    if (values?.slice(1).some((value) => isObject(value) && this.#embeds(value))) return { rule: 'embedded_id' };
    return { pointer };
  }

  /** The `$ref` to a target, which gets a name with its first reference. */
  refTo(pointer: string): string {
    return pointer === '' ? '#' : `#/$defs/${this.#name(pointer)}`;
  }

  /** True if a reference leads to this place or into it. */
  isUsed(pointer: string): boolean {
    return [...this.names.keys()].some((target) => `${target}/`.startsWith(`${pointer}/`));
  }

  #embeds(schema: JsonObject): boolean {
    const ids = this.#ids.map((keyword) => member(schema, keyword));
    return ids.some((id) => typeof id === 'string' && !id.startsWith('#'));
  }

  /** The fragment of a reference into the schema itself, decoded. */
  #local(ref: string): string | undefined {
    const [base = '', fragment = ''] = ref.split('#', 2);
    if (base !== '' && base !== this.#base) return undefined;
    return decodeFragment(fragment);
  }

  #name(pointer: string): string {
    const known = this.names.get(pointer);
    if (known !== undefined) return known;
    const wish = (tokensOf(pointer).at(-1) ?? '').replace(/[^A-Za-z0-9_-]/g, '_') || '_';
    let name = wish;
    for (let nth = 2; this.#taken.has(name); nth++) name = `${wish}_${nth}`;
    this.#taken.add(name);
    this.names.set(pointer, name);
    return name;
  }
}

/** Rules of a draft that decide how its keywords are translated. */
export interface SchemaDraft {
  readonly name: string;
  /** Place in the order of the drafts: 4, 6, 7, 8 for 2019-09, 9 for 2020-12. A keyword has the place of its first draft. */
  readonly age: number;
  /** Up to draft 7 a `$ref` stands alone: keywords beside it constrain nothing. */
  readonly refAlone: boolean;
  /** Keywords that name a schema. */
  readonly ids: readonly string[];
  /** OpenAPI 3.0: `nullable` adds `null` to `type`. */
  readonly nullable: boolean;
}

const draft = (name: string, age: number, ids: readonly string[] = ['$id']): SchemaDraft => {
  return { name, age, refAlone: age < 8, ids, nullable: false };
};

export const DRAFT_2020_12: SchemaDraft = draft('draft 2020-12', 9);

/** Not a dialect of its own there, but named like that of 3.1: the schemas of a document, whose version is known. */
const OPENAPI_3_0: SchemaDraft = { ...draft('OpenAPI 3.0', 9, []), nullable: true };

const DECLARED: readonly (readonly [RegExp, SchemaDraft])[] = [
  [/^https?:\/\/json-schema\.org\/draft-04\/schema#?$/, draft('draft 4', 4, ['id'])],
  [/^https?:\/\/json-schema\.org\/draft-06\/schema#?$/, draft('draft 6', 6)],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, draft('draft 7', 7)],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, draft('draft 2019-09', 8)],
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, DRAFT_2020_12],
  [/^https:\/\/spec\.openapis\.org\/oas\/3\.0\//, OPENAPI_3_0],
  [/^https:\/\/spec\.openapis\.org\/oas\/3\.1\//, draft('OpenAPI 3.1', 9)],
];

/**
 * The draft that `$schema` names. Without `$schema` the rules of several drafts hold, each in the stricter reading:
 * keywords of all drafts constrain, keywords beside `$ref` constrain too, and `id` and `$id` both name a schema.
 * `nullable` is then read as in OpenAPI 3.0 only if no subschema has a keyword or value that OpenAPI 3.0 lacks; otherwise
 * it is an annotation, and `null` stays refused. Refuses another `$schema` with rule `dialect`.
 */
export function draftOf(schema: JsonObject): Outcome<SchemaDraft> {
  const declared = member(schema, '$schema');
  if (declared === undefined)
    return pass({ ...draft('', 9, ['id', '$id']), nullable: [...places(schema)].every(isOfOpenApi) });
  const known = DECLARED.find(([form]) => typeof declared === 'string' && form.test(declared));
  return known === undefined ? refusal('dialect', '/$schema') : pass(known[1]);
}

const NOT_OF_OPENAPI: readonly string[] = [
  ['$id', 'id', '$anchor', '$defs', 'definitions', 'const', 'contains', 'propertyNames', 'patternProperties'],
  ['if', 'then', 'else', 'dependencies', 'dependentRequired', 'dependentSchemas', 'prefixItems', 'additionalItems'],
  [
    'unevaluatedProperties',
    'unevaluatedItems',
    'minContains',
    'maxContains',
    'examples',
    '$recursiveRef',
    '$dynamicRef',
  ],
].flat();

function isOfOpenApi({ schema }: Place): boolean {
  if (!isObject(schema)) return true;
  const numeric = (keyword: string): boolean => typeof member(schema, keyword) === 'number';
  return !(
    NOT_OF_OPENAPI.some((keyword) => Object.hasOwn(schema, keyword)) ||
    Array.isArray(member(schema, 'type')) ||
    numeric('exclusiveMinimum') ||
    numeric('exclusiveMaximum')
  );
}

/** First draft of the keywords that constrain and are not in every draft. */
export const SINCE: { readonly [keyword: string]: number } = {
  const: 6,
  contains: 6,
  propertyNames: 6,
  if: 7,
  then: 7,
  else: 7,
  dependentRequired: 8,
  dependentSchemas: 8,
  minContains: 8,
  maxContains: 8,
  unevaluatedItems: 8,
  unevaluatedProperties: 8,
  prefixItems: 9,
};

/** Keywords of draft 3 that constrain. Later drafts do not have them; they are refused, not ignored. */
export const OF_DRAFT_3: ReadonlySet<string> = new Set(['divisibleBy', 'disallow', 'extends']);

/** A name that a reference may use instead of a pointer: `$anchor`, and before 2019-09 an id that is only a fragment. */
function anchorIn(schema: JsonObject, { age, ids, refAlone }: SchemaDraft): JsonValue | undefined {
  if (refAlone && Object.hasOwn(schema, '$ref')) return undefined;
  const anchor = age >= 8 ? member(schema, '$anchor') : undefined;
  if (anchor !== undefined) return anchor;
  const id = ids.map((keyword) => member(schema, keyword)).find((value) => typeof value === 'string');
  return typeof id === 'string' && /^#[^/]/.test(id) ? id.slice(1) : undefined;
}
