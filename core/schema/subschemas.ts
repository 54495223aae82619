import type { Exceeded } from '../errors/details.ts';
import { refuse } from '../errors/schema.ts';
import { isList, isObject, type JsonObject, type JsonValue, member, pointerTo } from '../json/value.ts';
import { CAPABILITY_LIMITS } from '../limits.ts';
import type { Refused } from '../outcome.ts';
import { FORMATS } from './formats.ts';
import { DIALECT, KEYWORDS, type Shape, TYPES } from './keywords.ts';
import { patternFault } from './pattern.ts';
import { REFUSALS, type RefusalRule } from './refusals.ts';
import { isUriReference } from './uri.ts';

/** A JSON Schema; `true` accepts and `false` refuses every value. */
export type Schema = JsonObject | boolean;

/** A subschema, by its pointer. `inPlace` are the subschemas that look at the same value. */
export interface Subschema {
  readonly pointer: string;
  readonly schema: Schema;
  readonly inPlace: string[];
}

/** All subschemas and anchors of a schema, and its number of properties, gathered in a single walk. */
export interface Subschemas {
  readonly locations: Map<string, Subschema>;
  readonly anchors: Map<string, string>;
  properties: number;
}

/** A keyword where it stands: `value` at `pointer`, inside `location`. */
interface Site {
  readonly survey: Subschemas;
  readonly location: Subschema;
  readonly keyword: string;
  readonly pointer: string;
  readonly value: JsonValue;
  readonly depth: number;
}

type SiteCheck = (site: Site) => Refused | undefined;

export function refusal(rule: RefusalRule, pointer: string, detail?: string): Refused {
  const text = REFUSALS[rule];
  const reason = detail === undefined ? text : `${text.replace(/\.$/, '')} (${detail}).`;
  return refuse('schema_refused', { rule, reason }, { pointer });
}

function tooLarge(what: string, bound: Exceeded, pointer: string): Refused {
  return refuse('schema_too_large', { what, ...bound }, { pointer });
}

/** Walks every subschema once; the first fault ends it. Depth is bounded before the walk goes deeper. */
export function collectSubschemas(
  found: Subschemas,
  schema: JsonValue,
  pointer: string,
  depth: number,
): Refused | undefined {
  if (typeof schema !== 'boolean' && !isObject(schema)) return refusal('not_schema', pointer);
  const limit = CAPABILITY_LIMITS.schemaDepth;
  if (depth > limit) return tooLarge('levels of subschemas', { limit, used: depth }, pointer);
  const location: Subschema = { pointer, schema, inPlace: [] };
  found.locations.set(pointer, location);
  if (typeof schema === 'boolean') return undefined;
  for (const [keyword, value] of Object.entries(schema)) {
    const fault = visit({
      survey: found,
      location,
      keyword,
      value,
      depth,
      pointer: pointerTo(pointer, keyword),
    });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const FORBIDDEN: ReadonlyMap<string, RefusalRule> = new Map([
  ['$async', 'async'],
  ['$data', 'data_ref'],
  ['$dynamicRef', 'dynamic_ref'],
  ['$dynamicAnchor', 'dynamic_ref'],
  ['$recursiveRef', 'dynamic_ref'],
  ['$recursiveAnchor', 'dynamic_ref'],
  ['$vocabulary', 'vocabulary'],
]);

function visit(site: Site): Refused | undefined {
  const keyword = KEYWORDS.get(site.keyword);
  if (keyword !== undefined) return CHECKS[keyword.shape](site);
  return refusal(FORBIDDEN.get(site.keyword) ?? 'unknown_keyword', site.pointer);
}

const unless = (valid: boolean, site: Site, pointer: string = site.pointer): Refused | undefined => {
  if (valid) return undefined;
  return refusal(isObject(site.value) && Object.hasOwn(site.value, '$data') ? 'data_ref' : 'keyword_value', pointer);
};

/** A check for each shape of value. Subschemas that look at the same value are noted at their parent. */
const CHECKS: { readonly [S in Shape]: SiteCheck } = {
  schema: (site) => child(site, site.value, site.pointer),
  schemas: (site) => {
    if (!isList(site.value) || site.value.length === 0) return unless(false, site);
    const bound = { limit: CAPABILITY_LIMITS.schemaAlternatives, used: site.value.length };
    if (site.keyword !== 'prefixItems' && bound.used > bound.limit)
      return tooLarge('alternatives', bound, site.pointer);
    return firstFault(site.value.entries(), ([at, schema]) => child(site, schema, pointerTo(site.pointer, at)));
  },
  schemaMap: (site) => (isObject(site.value) ? children(site, site.value) : unless(false, site)),
  patternMap: (site) => {
    if (!isObject(site.value)) return unless(false, site);
    const fault = firstFault(Object.keys(site.value), (source) => pattern(source, pointerTo(site.pointer, source)));
    return fault ?? children(site, site.value);
  },
  count: (site) => unless(Number.isSafeInteger(site.value) && Number(site.value) >= 0, site),
  number: (site) => unless(typeof site.value === 'number', site),
  positive: (site) => unless(typeof site.value === 'number' && site.value > 0, site),
  flag: (site) => unless(typeof site.value === 'boolean', site),
  type: (site) => {
    const listed = isList(site.value) ? site.value : [site.value];
    return unless(listed.length > 0 && isSet(listed) && listed.every((one) => TYPES.has(one)), site);
  },
  enum: (site) => {
    if (Array.isArray(site.value) && site.value.length === 0) return refusal('empty_enum', site.pointer);
    return unless(Array.isArray(site.value), site);
  },
  value: () => undefined,
  names: (site) => unless(isSet(site.value), site),
  nameLists: (site) => {
    if (!isObject(site.value)) return unless(false, site);
    return firstFault(Object.entries(site.value), ([name, names]) =>
      unless(isSet(names), site, pointerTo(site.pointer, name)),
    );
  },
  pattern: (site) => (typeof site.value === 'string' ? pattern(site.value, site.pointer) : unless(false, site)),
  format: (site) => {
    if (typeof site.value !== 'string') return unless(false, site);
    return Object.hasOwn(FORMATS, site.value) ? undefined : refusal('unknown_format', site.pointer);
  },
  ref: (site) => {
    if (typeof site.value !== 'string') return unless(false, site);
    return site.value.startsWith('#') ? undefined : refusal('remote_ref', site.pointer);
  },
  anchor: (site) => {
    if (typeof site.value !== 'string' || !/^[A-Za-z_][-A-Za-z0-9._]*$/.test(site.value)) return unless(false, site);
    if (site.survey.anchors.has(site.value)) return refusal('duplicate_anchor', site.pointer);
    site.survey.anchors.set(site.value, site.location.pointer);
    return undefined;
  },
  dialect: (site) => (site.depth === 1 && site.value === DIALECT ? undefined : refusal('dialect', site.pointer)),
  id: (site) => {
    if (site.depth > 1) return refusal('embedded_id', site.pointer);
    return unless(typeof site.value === 'string' && !site.value.includes('#') && isUriReference(site.value), site);
  },
  note: () => undefined,
};

function firstFault<T>(items: Iterable<T>, check: (item: T) => Refused | undefined): Refused | undefined {
  for (const item of items) {
    const fault = check(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function child(site: Site, schema: JsonValue, pointer: string): Refused | undefined {
  if (KEYWORDS.get(site.keyword)?.inPlace === true) site.location.inPlace.push(pointer);
  return collectSubschemas(site.survey, schema, pointer, site.depth + 1);
}

function children(site: Site, map: JsonObject): Refused | undefined {
  const names = Object.keys(map);
  site.survey.properties += names.length;
  const bound = { limit: CAPABILITY_LIMITS.schemaProperties, used: site.survey.properties };
  if (bound.used > bound.limit) return tooLarge('properties', bound, site.pointer);
  return firstFault(names, (name) => child(site, member(map, name) as JsonValue, pointerTo(site.pointer, name)));
}

function pattern(source: string, pointer: string): Refused | undefined {
  const fault = patternFault(source);
  return fault === undefined ? undefined : refusal('pattern', pointer, fault);
}

/** A list of strings, each once. */
function isSet(value: JsonValue | undefined): value is readonly string[] {
  return isList(value) && value.every((one) => typeof one === 'string') && new Set(value).size === value.length;
}
