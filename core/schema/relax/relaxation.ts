import { isList, isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../json/value.ts';
import { areDisjoint } from '../disjoint.ts';
import { KEYWORDS } from '../keywords.ts';
import { type DecoderRules, JSON_TYPES } from './decoders.ts';
import { type Given, type Merged, mergeParts, SchemaReferences } from './merge.ts';

export interface RelaxedSchema {
  /** Accepts every value that the given schema accepts. */
  readonly schema: JsonObject;
  /** Pointers into the given schema: constraints that the decoder does not enforce. The gate enforces them. */
  readonly dropped: readonly string[];
  /**
   * False if the decoder has no form for the schema: strict mode of OpenAI has none for an optional property, an open
   * object or a value of any type. The schema then has to be sent with `strict: false`.
   */
  readonly fits: boolean;
}

/** Subschemas that are written. Definitions that are written out multiply; beyond this a value is not constrained. */
const SUBSCHEMAS_MOST = 5_000;
const DEPTH_MOST = 100;
const COUNTS: readonly string[] = ['minLength', 'maxLength', 'minItems', 'maxItems'];
const BOUNDS: readonly string[] = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
/** Keywords that are written by a rule of their own. */
const WRITTEN: readonly string[] = ['additionalProperties', 'prefixItems', 'items', 'const', 'enum', 'anyOf', 'oneOf'];
/** Keywords that tell the model the meaning of a value. Further annotations are refused by some decoders. */
const TEXTS: readonly string[] = ['title', 'description'];
const SILENT: readonly string[] = ['note', 'dialect', 'id', 'anchor'];

type Members = [keyword: string, value: JsonValue][];

/** Rewrites a schema for a decoder. Every rewriting accepts at least the values of the rewritten schema. */
export class Relaxation {
  readonly #given: JsonObject;
  readonly #rules: DecoderRules;
  readonly #references: SchemaReferences;
  readonly #dropped = new Set<string>();
  /** Targets that are written out around this place. */
  readonly #way: string[] = [''];
  #subschemas = 0;
  #depth = 0;
  #fits = true;

  constructor(given: JsonObject, rules: DecoderRules) {
    this.#given = given;
    this.#rules = rules;
    this.#references = new SchemaReferences(given);
  }

  relaxed(): RelaxedSchema {
    const root = this.#schema({ value: this.#given, at: '' });
    if (this.#rules.complete && root['type'] !== 'object') this.#fits = false;
    const definitions: Members = [];
    // names are added while definitions are written
    for (const [at, name] of this.#references.targets.names) {
      definitions.push([name, this.#schema({ value: this.#references.valueAt(at), at })]);
    }
    const $defs = Object.fromEntries(definitions);
    const schema = definitions.length === 0 ? root : { ...root, $defs };
    return { schema, dropped: [...this.#dropped].toSorted(), fits: this.#fits };
  }

  #drop(at: string): void {
    this.#dropped.add(at);
  }

  #any(): JsonObject {
    this.#fits &&= this.#rules.complete !== true;
    return this.#rules.any;
  }

  #schema(given: Given): JsonObject {
    const { value, at } = given;
    this.#subschemas += 1;
    if (value === true) return this.#any();
    if (!isObject(value) || this.#subschemas > SUBSCHEMAS_MOST || this.#depth > DEPTH_MOST) {
      this.#drop(at);
      return this.#any();
    }
    this.#depth += 1;
    const made = this.#object(value, at);
    this.#depth -= 1;
    return made;
  }

  #object(schema: JsonObject, at: string): JsonObject {
    const [asserted = '', ...others] = assertions(schema);
    const only = others.length === 0 ? schema[asserted] : undefined;
    if (asserted === 'allOf' && isList(only) && only.length === 1)
      return this.#schema({ value: only[0] as JsonValue, at: `${at}/allOf/0` });
    const ref = member(schema, '$ref');
    if (typeof ref === 'string' && (only === ref || this.#references.joined(ref) === undefined)) {
      for (const other of assertions(schema)) if (other !== '$ref') this.#drop(pointerTo(at, other));
      return this.#reference(ref, pointerTo(at, '$ref'));
    }
    const merged = mergeParts(
      { value: schema, at },
      (to) => this.#references.joined(to),
      (part) => this.#drop(part),
    );
    return this.#merged(merged);
  }

  /** A reference to a definition, or the definition written out. Inside itself it accepts every value. */
  #reference(ref: string, at: string): JsonObject {
    const target = this.#references.follow(ref);
    const { references } = this.#rules;
    if (
      target !== undefined &&
      (references === 'all' || (references === 'acyclic' && !this.#references.isCyclic(target.at)))
    )
      return { $ref: this.#references.targets.refTo(target.at) };
    if (target === undefined || this.#way.includes(target.at)) {
      this.#drop(at);
      return this.#any();
    }
    this.#way.push(target.at);
    const written = this.#schema(target);
    this.#way.pop();
    return written;
  }

  #merged(merged: Merged): JsonObject {
    const texts = TEXTS.flatMap((keyword): Members => {
      const text = merged.keywords.get(keyword)?.value;
      return typeof text === 'string' ? [[keyword, text]] : [];
    });
    const own = this.#own(merged);
    const [any, one] = [merged.keywords.get('anyOf'), merged.keywords.get('oneOf')];
    const alternatives = any ?? one;
    if (one !== undefined && (any !== undefined || !areDisjointIn(one))) this.#drop(one.at);
    if (alternatives !== undefined && own.length === 0)
      return Object.fromEntries([...texts, ['anyOf', this.#alternatives(alternatives, merged)]]);
    if (alternatives !== undefined) this.#drop(alternatives.at);
    if (own.length === 0 && merged.types === undefined) return { ...this.#any(), ...Object.fromEntries(texts) };
    return Object.fromEntries([...this.#typed(merged, own), ...texts, ...own]);
  }

  /** A schema without types has all of them: some decoders would read `properties` alone as an object. */
  #typed({ types }: Merged, own: Members): Members {
    const names = new Set(own.map(([keyword]) => keyword));
    if (types === undefined && ['enum', 'const', 'type'].some((name) => names.has(name))) return [];
    const all = types ?? JSON_TYPES;
    if (types === undefined && this.#rules.complete) this.#fits = false;
    const open: Members = [];
    if (all.includes('object') && !names.has('enum') && !names.has('const')) open.push(...this.#openObject(own));
    if (all.includes('array') && !names.has('items') && this.#rules.closes) open.push(['items', this.#any()]);
    if (all.includes('array') && !names.has('items')) this.#fits &&= this.#rules.complete !== true;
    return [['type', all.length === 1 ? (all[0] as string) : all], ...open];
  }

  #openObject(own: Members): Members {
    const written = Object.fromEntries(own);
    const closed = written['additionalProperties'] === false;
    const names = Object.keys(isObject(written['properties']) ? written['properties'] : {});
    const required = isList(written['required']) ? written['required'] : [];
    if (this.#rules.complete && !(closed && names.every((name) => required.includes(name)))) this.#fits = false;
    return this.#rules.closes && !Object.hasOwn(written, 'additionalProperties')
      ? [['additionalProperties', true]]
      : [];
  }

  /** The assertions of the schema except its types and alternatives. */
  #own(merged: Merged): Members {
    const { keywords, types } = merged;
    const closing = this.#closing(merged);
    const rest = [...keywords].flatMap(([keyword, given]): Members => {
      if (WRITTEN.includes(keyword) || isSilent(keyword) || given === closing) return [];
      if (this.#enforces(keyword, given.value, types)) return [[keyword, given.value]];
      this.#drop(given.at);
      return this.#rounded(keyword, given);
    });
    return [...this.#constants(merged), ...this.#properties(merged), ...rest, ...this.#array(merged)];
  }

  /** A decoder without exclusive bounds gets the bound itself. */
  #rounded(keyword: string, { value }: Given): Members {
    const wide = keyword === 'exclusiveMinimum' ? 'minimum' : keyword === 'exclusiveMaximum' ? 'maximum' : undefined;
    if (wide === undefined || this.#rules.keywords.has(keyword) || !this.#rules.keywords.has(wide)) return [];
    return [[wide, value]];
  }

  #enforces(keyword: string, value: JsonValue, types: readonly string[] | undefined): boolean {
    const { keywords, formats, patterns, boundsOf, countMost = Number.MAX_SAFE_INTEGER } = this.#rules;
    if (!keywords.has(keyword)) return false;
    if (keyword === 'format') return formats.includes(value as string);
    if (keyword === 'pattern')
      return patterns === 'whole' ? isWholePattern(value as string) : isPlainPattern(value as string);
    if (COUNTS.includes(keyword)) return Number(value) <= countMost;
    return !BOUNDS.includes(keyword) || boundsOf === undefined || boundsOf(types, value);
  }

  #constants({ keywords, types }: Merged): Members {
    const [one, many] = [keywords.get('const'), keywords.get('enum')];
    const given = one ?? many;
    if (given === undefined) return [];
    const values = one === undefined ? (isList(given.value) ? given.value : []) : [one.value];
    if (one !== undefined && many !== undefined) this.#drop(many.at);
    const { isConstant } = this.#rules;
    if (isConstant === undefined || values.every(isConstant))
      return one !== undefined && this.#rules.keywords.has('const') ? [['const', one.value]] : [['enum', values]];
    this.#drop(given.at);
    return types === undefined ? [['type', [...new Set(values.map(typeOf))]]] : [];
  }

  #properties(merged: Merged): Members {
    if (!mayBe('object', merged)) return [];
    const made: Members = [];
    const properties = [...merged.properties].map(([name, given]) => [name, this.#schema(given)] as const);
    if (properties.length > 0 || merged.describing > 0) made.push(['properties', Object.fromEntries(properties)]);
    const required = [...merged.required.keys()].filter((name) => merged.properties.has(name));
    for (const [name, at] of merged.required) if (!merged.properties.has(name)) this.#drop(at);
    if (required.length > 0) made.push(['required', required]);
    const closing = this.#closing(merged);
    const additional = merged.keywords.get('additionalProperties');
    // of several parts: it also refused the properties that the other parts list
    const isWeaker = additional !== closing || merged.describing > 1;
    if (additional !== undefined && isWeaker && additional.value !== true) this.#drop(additional.at);
    if (closing === undefined) return made;
    return [...made, ['additionalProperties', closing.value === false ? false : this.#schema(closing)]];
  }

  /** The keyword that decides about the properties that no part lists. */
  #closing({ keywords, listed }: Merged): Given | undefined {
    if (keywords.has('patternProperties')) return undefined;
    const additional = keywords.get('additionalProperties');
    const unevaluated = keywords.get('unevaluatedProperties');
    if (additional === undefined) return listed && unevaluated?.value === false ? unevaluated : undefined;
    return additional.value === false || (additional.value !== true && !this.#rules.complete) ? additional : undefined;
  }

  #array(merged: Merged): Members {
    if (!mayBe('array', merged)) return [];
    const { keywords } = merged;
    const [prefix, items] = [keywords.get('prefixItems'), keywords.get('items')];
    const listed = prefix !== undefined && isList(prefix.value) ? prefix.value : [];
    const each = listed.map((value, nth) => ({ value, at: pointerTo(prefix?.at ?? '', nth) }));
    const most = Number(keywords.get('maxItems')?.value ?? each.length);
    if (prefix !== undefined && items?.value === false && each.length > 1) this.#drop(prefix.at);
    if (items?.value === false) return [...this.#alike(each), ['maxItems', Math.min(most, each.length)]];
    if (prefix === undefined) return items === undefined ? [] : [['items', this.#schema(items)]];
    const least = keywords.get('minItems')?.value;
    if (this.#rules.keywords.has('prefixItems') && typeof least === 'number' && least >= each.length) {
      const rest: Members = items === undefined ? [] : [['items', this.#schema(items)]];
      return [['prefixItems', each.map((one) => this.#schema(one))], ...rest];
    }
    this.#drop(prefix.at);
    return items === undefined ? [] : this.#alike([...each, items]);
  }

  /** Items of which each matches one of the schemas. */
  #alike(schemas: readonly Given[]): Members {
    if (schemas.length === 0) return [];
    const made = schemas.map((one) => this.#schema(one));
    return [['items', made.length === 1 ? (made[0] as JsonObject) : { anyOf: made }]];
  }

  /** `oneOf` becomes `anyOf`. An alternative without a type has the type of the schema around it. */
  #alternatives({ value, at }: Given, { types }: Merged): readonly JsonObject[] {
    const alternatives = isList(value) ? value : [];
    return alternatives.map((one, nth) => {
      const untyped =
        types !== undefined && isObject(one) && !['type', '$ref'].some((name) => Object.hasOwn(one, name));
      return this.#schema({ value: untyped ? { ...one, type: types } : one, at: pointerTo(at, nth) });
    });
  }
}

function areDisjointIn({ value }: Given): boolean {
  return isList(value) && areDisjoint(value.map((one) => (isObject(one) ? one : undefined)));
}

/** True if a value of the type can be valid, as far as types and constants tell. */
function mayBe(type: string, { types, keywords }: Merged): boolean {
  const [one, many] = [keywords.get('const'), keywords.get('enum')?.value];
  if (one !== undefined && typeOf(one.value) !== type) return false;
  if (isList(many) && !many.some((value) => typeOf(value) === type)) return false;
  return types === undefined || types.includes(type);
}

function assertions(schema: JsonObject): readonly string[] {
  return Object.keys(schema).filter((keyword) => !isSilent(keyword));
}

/** True for a keyword that no value is compared with. */
function isSilent(keyword: string): boolean {
  return keyword === '$defs' || SILENT.includes(KEYWORDS.get(keyword)?.shape ?? '');
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** True for a pattern without look-around, back references, word boundaries and character properties. */
function isPlainPattern(pattern: string): boolean {
  return !/\(\?(?!:)|\\[1-9bBkpP]/.test(pattern);
}

/** True for a plain pattern that spans the whole text: from `^` to `$`, without alternatives beside them. */
function isWholePattern(pattern: string): boolean {
  const bare = pattern.replace(/\\[^]/g, '_').replace(/\[[^\]]*\]/g, '_');
  return isPlainPattern(pattern) && /^\^[^^$]*\$$/.test(bare) && !hasOuterAlternatives(bare);
}

function hasOuterAlternatives(bare: string): boolean {
  let depth = 0;
  for (const char of bare) {
    if (char === '|' && depth === 0) return true;
    depth += char === '(' ? 1 : char === ')' ? -1 : 0;
  }
  return false;
}
