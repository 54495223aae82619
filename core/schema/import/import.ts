import { refuse, type SCHEMA_CODES } from '../../errors/schema.ts';
import { isList, isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../json/value.ts';
import { CAPABILITY_LIMITS } from '../../limits.ts';
import { FLAG, optionsOf } from '../../option.ts';
import { type Outcome, pass, type Refused } from '../../outcome.ts';
import { closeObjects } from '../close.ts';
import { FORMATS } from '../formats.ts';
import { KEYWORDS } from '../keywords.ts';
import { lint, schemaText } from '../lint.ts';
import { withFlagU } from '../pattern.ts';
import type { RefusalRule } from '../refusals.ts';
import { refusal } from '../subschemas.ts';
import { along } from './places.ts';
import { draftOf, OF_DRAFT_3, ReferenceTargets, type SchemaDraft, SINCE } from './references.ts';

export interface ImportOptions {
  /**
   * Whether objects are closed, by default true: `additionalProperties: false` where a schema lists properties and does
   * not say whether further properties are allowed, `unevaluatedProperties: false` where the list is spread over the
   * parts of a combination. The closed schema never accepts a value that the open schema refuses.
   */
  readonly close?: boolean;
}

export interface ImportedSchema {
  /** JSON Schema 2020-12 as `defineCapability` takes it. */
  readonly schema: JsonObject;
  /** Pointers into the given schema: annotations and unused definitions that the result does not have. */
  readonly dropped: readonly string[];
}

/**
 * Translates JSON Schema draft 4, 6, 7 or 2019-09 or a schema of OpenAPI 3.0 to JSON Schema 2020-12. The draft is the
 * one that `$schema` names. Without `$schema` keywords of all drafts are read, each so that no constraint is lost:
 * keywords beside `$ref` count, and `nullable` counts only where no other keyword speaks against OpenAPI 3.0.
 *
 * Every `$ref` leads into the schema itself, also to `#/components/schemas/…`; pass the components along as
 * `{ ...schema, components }`. Unknown keywords and formats constrain nothing in any draft; they are dropped and named.
 * A keyword that constrains and cannot be translated refuses the schema: `schema_refused` or `schema_too_large`, with a
 * pointer into the given schema. The schema may be a stranger's; it is read once.
 *
 * @example importSchema({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object',
 *   properties: { id: { $ref: '#/definitions/id' } }, definitions: { id: { type: 'integer', format: 'int64' } } });
 */
export function importSchema(schema: unknown, options?: ImportOptions): Outcome<ImportedSchema> {
  const { close = true } = optionsOf(options, { close: FLAG });
  const read = schemaText(schema);
  if (!read.ok) return read;
  const given = JSON.parse(read.value.text) as JsonValue;
  if (!isObject(given)) return refusal('not_schema', '');
  const draft = draftOf(given);
  if (!draft.ok) return draft;
  const translated = translate(given, draft.value);
  if (!translated.ok) return translated;
  const { schema: open, dropped } = translated.value;
  const made = close ? closeObjects(open) : open;
  const judged = lint(made);
  return judged.ok ? pass({ schema: made, dropped }) : blamed(judged, given, translated.value);
}

/** The refusal with the pointer into the given schema: the fault was found in its translation. */
function blamed(refused: Refused, given: JsonObject, { origins }: Translated): Refused {
  const { code, details, pointer = '' } = refused.refusal;
  const ends = [...pointer.matchAll(/\/|$/g)].map(({ index }) => index).toReversed();
  const end = ends.find((at) => origins.has(pointer.slice(0, at))) ?? 0;
  const origin = origins.get(pointer.slice(0, end)) ?? '';
  const exact = origin + pointer.slice(end);
  const at = along(given, exact) === undefined ? origin : exact;
  return refuse(code as keyof typeof SCHEMA_CODES, details as never, { pointer: at });
}

interface Translated {
  readonly schema: JsonObject;
  readonly dropped: readonly string[];
  /** Pointer of each subschema of the translation to its pointer in the given schema. */
  readonly origins: ReadonlyMap<string, string>;
}

/** The schema in the keywords of 2020-12, with each subschema that a reference names below `$defs`. */
function translate(given: JsonObject, draft: SchemaDraft): Outcome<Translated> {
  return new Translation(given, draft).whole();
}

/** A keyword of the given schema, and the pointers of its schema here and there. */
interface Site {
  readonly schema: JsonObject;
  readonly keyword: string;
  readonly value: JsonValue;
  readonly from: string;
  readonly to: string;
  readonly depth: number;
}

type Entries = readonly (readonly [keyword: string, value: JsonValue])[];

/** Keywords that the linter refuses with a reason of its own. */
const LEFT_TO_LINTER: ReadonlySet<string> = new Set(['$async', '$data', '$dynamicRef', '$dynamicAnchor']);
/** Keywords that count beside a `$ref` in every draft. Annotations are kept too. */
const BESIDE_REF: ReadonlySet<string> = new Set(['$ref', '$schema', 'definitions', '$defs']);

class Translation {
  readonly #given: JsonObject;
  readonly #draft: SchemaDraft;
  readonly #references: ReferenceTargets;
  readonly #dropped = new Set<string>();
  readonly #origins = new Map<string, string>();
  #fault: Refused | undefined;

  constructor(given: JsonObject, draft: SchemaDraft) {
    this.#given = given;
    this.#draft = draft;
    this.#references = new ReferenceTargets(given, draft);
  }

  whole(): Outcome<Translated> {
    const root = this.#schema(this.#given, '', '', 1) as JsonObject;
    const definitions: [string, JsonValue][] = [];
    // names are added while definitions are translated
    for (const [pointer, name] of this.#references.names)
      definitions.push([name, this.#schema(along(this.#given, pointer)?.at(-1) ?? true, pointer, `/$defs/${name}`, 2)]);
    if (this.#fault !== undefined) return this.#fault;
    const schema = definitions.length === 0 ? root : { ...root, $defs: Object.fromEntries(definitions) };
    const dropped = [...this.#dropped].filter((pointer) => !this.#references.isUsed(pointer));
    return pass({ schema, dropped, origins: this.#origins });
  }

  #schema(schema: JsonValue, from: string, to: string, depth: number): JsonValue {
    this.#origins.set(to, from);
    if (!isObject(schema)) return schema;
    const limit = CAPABILITY_LIMITS.schemaDepth;
    if (depth > limit)
      this.#fault ??= refuse(
        'schema_too_large',
        { what: 'levels of subschemas', limit, used: depth },
        { pointer: from },
      );
    if (this.#fault !== undefined) return true;
    const made = new Map<string, JsonValue>();
    for (const [keyword, value] of Object.entries(schema) as [string, JsonValue][]) {
      const site = { schema, keyword, value, from: pointerTo(from, keyword), to, depth };
      for (const [name, translated] of this.#keyword(site)) this.#add(made, name, translated, site);
    }
    return Object.fromEntries(made);
  }

  /** Two keywords that become the same keyword are joined where both are maps of different names. */
  #add(made: Map<string, JsonValue>, keyword: string, value: JsonValue, { from }: Site): void {
    const before = made.get(keyword);
    if (before === undefined) made.set(keyword, value);
    else if (isObject(before) && isObject(value) && Object.keys(value).every((name) => !Object.hasOwn(before, name)))
      made.set(keyword, { ...before, ...value });
    else this.#refuse('keyword_value', from, `${keyword} twice`);
  }

  #keyword(site: Site): Entries {
    const { schema, keyword, value, from, to } = site;
    const since = SINCE[keyword];
    const shape = KEYWORDS.get(keyword)?.shape;
    if (this.#draft.refAlone && typeof schema['$ref'] === 'string' && !BESIDE_REF.has(keyword) && shape !== 'note')
      return this.#drop(from);
    if (since !== undefined && since > this.#draft.age)
      return this.#refuse('unknown_keyword', from, `it constrains nothing in ${this.#draft.name}`);
    switch (keyword) {
      case '$schema':
        return value === this.#given['$schema'] ? [] : this.#refuse('dialect', from);
      case 'id':
      case '$id':
        return this.#draft.ids.includes(keyword) ? this.#id(site) : this.#drop(from);
      case '$anchor':
        return this.#draft.age >= 8 ? [] : this.#drop(from);
      case '$recursiveAnchor':
        return this.#draft.age >= 8 ? [] : this.#drop(from);
      case '$ref':
      case '$recursiveRef':
        return this.#reference(site);
      case 'definitions':
      case '$defs':
        return this.#definitions(site);
      case 'items':
        return isList(value) ? this.#prefix(site, value) : [[keyword, this.#child(site, 'items')]];
      case 'additionalItems':
        return isList(schema['items']) ? [['items', this.#child(site, 'items')]] : this.#drop(from);
      case 'dependencies':
        return this.#dependencies(site);
      case 'minimum':
      case 'maximum':
        return schema[exclusive(keyword)] === true && typeof value === 'number' ? [] : [[keyword, value]];
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        return exclusiveBound(site);
      case 'type':
        return [[keyword, this.#draft.nullable && schema['nullable'] === true ? withNull(value) : value]];
      case 'nullable':
        return this.#draft.nullable && (value === false || Object.hasOwn(schema, 'type')) ? [] : this.#drop(from);
      case 'example':
        return Object.hasOwn(schema, 'examples') ? this.#drop(from) : [['examples', [value]]];
      case 'format':
        return typeof value === 'string' && !Object.hasOwn(FORMATS, value) ? this.#drop(from) : [[keyword, value]];
      case 'contentSchema':
        return this.#drop(from);
      case 'pattern':
        return [[keyword, typeof value === 'string' ? withFlagU(value) : value]];
      default:
        if (OF_DRAFT_3.has(keyword) || LEFT_TO_LINTER.has(keyword)) return [[keyword, value]];
        return shape === undefined ? this.#drop(from) : [[keyword, this.#inside(site, to)]];
    }
  }

  /** The value of a keyword that older drafts have too, with its subschemas translated. */
  #inside(site: Site, to: string): JsonValue {
    const { keyword, value } = site;
    switch (KEYWORDS.get(keyword)?.shape) {
      case 'schema':
        return this.#child(site, keyword);
      case 'schemas':
        return isList(value) ? value.map((one, at) => this.#below(site, one, at, pointerTo(to, keyword))) : value;
      case 'schemaMap':
      case 'patternMap':
        return isObject(value) ? this.#map(site, value, keyword) : value;
      default:
        return value;
    }
  }

  #child({ value, from, to, depth }: Site, keyword: string): JsonValue {
    return this.#schema(value, from, pointerTo(to, keyword), depth + 1);
  }

  #below({ from, depth }: Site, schema: JsonValue, token: string | number, to: string): JsonValue {
    return this.#schema(schema, pointerTo(from, token), pointerTo(to, token), depth + 1);
  }

  #map(site: Site, map: JsonObject, keyword: string): JsonObject {
    const to = pointerTo(site.to, keyword);
    return Object.fromEntries(Object.entries(map).map(([name, one]) => [name, this.#below(site, one, name, to)]));
  }

  #prefix(site: Site, list: readonly JsonValue[]): Entries {
    const to = pointerTo(site.to, 'prefixItems');
    return list.length === 0 ? [] : [['prefixItems', list.map((one, at) => this.#below(site, one, at, to))]];
  }

  /** Lists of names become `dependentRequired`, schemas `dependentSchemas`. */
  #dependencies(site: Site): Entries {
    if (!isObject(site.value)) return this.#refuse('keyword_value', site.from);
    const all = Object.entries(site.value) as [string, JsonValue][];
    const lists = all.filter(([, one]) => isList(one));
    const schemas = this.#map(site, Object.fromEntries(all.filter(([, one]) => !isList(one))), 'dependentSchemas');
    return [
      ...(lists.length === 0 ? [] : [['dependentRequired', Object.fromEntries(lists)] as const]),
      ...(lists.length === all.length ? [] : [['dependentSchemas', schemas] as const]),
    ];
  }

  /** A fragment names a place for references; another id below the root would change where references lead. */
  #id({ value, from, depth, to }: Site): Entries {
    if (typeof value !== 'string') return this.#refuse('keyword_value', from);
    if (to === '' && depth === 1) return this.#drop(from);
    if (!value.startsWith('#')) return this.#refuse('embedded_id', from);
    return /^#[^/]/.test(value) ? [] : this.#drop(from);
  }

  #reference({ schema, keyword, value, from }: Site): Entries {
    const recursive = keyword === '$recursiveRef';
    if (recursive && (this.#draft.age < 8 || Object.hasOwn(schema, '$ref'))) return this.#refuse('dynamic_ref', from);
    if (typeof value !== 'string' || (recursive && value !== '#')) return this.#refuse('keyword_value', from);
    const found = this.#references.target(value);
    return 'rule' in found ? this.#refuse(found.rule, from) : [['$ref', this.#references.refTo(found.pointer)]];
  }

  /** Definitions are translated where a reference leads to them. */
  #definitions({ value, from }: Site): Entries {
    if (!isObject(value)) return this.#refuse('keyword_value', from);
    for (const name of Object.keys(value)) this.#dropped.add(pointerTo(from, name));
    return [];
  }

  #drop(pointer: string): Entries {
    this.#dropped.add(pointer);
    return [];
  }

  #refuse(rule: RefusalRule, pointer: string, detail?: string): Entries {
    this.#fault ??= refusal(rule, pointer, detail);
    return [];
  }
}

const exclusive = (keyword: 'minimum' | 'maximum'): string =>
  keyword === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';

/** SchemaDraft 4 and OpenAPI 3.0: `true` makes the bound beside it exclusive. */
function exclusiveBound({ schema, keyword, value }: Site): Entries {
  const bound = member(schema, keyword === 'exclusiveMinimum' ? 'minimum' : 'maximum');
  if (value === false) return [];
  return [[keyword, value === true && typeof bound === 'number' ? bound : value]];
}

function withNull(type: JsonValue): JsonValue {
  const types = isList(type) ? type : [type];
  return types.includes('null') ? type : [...types, 'null'];
}
