import { canonicalText } from '../json/canonical.ts';
import { isList, isObject, type JsonObject, type JsonValue, pointerTo, tokensIn } from '../json/value.ts';
import { FORMATS } from '../schema/formats.ts';
import { OPERATIONS } from '../schema/operations.ts';
import { ownRuleOf } from '../schema/predicate.ts';

/** The forms of a rule for a value, from the narrowest to the widest. */
export const FORM_NAMES = [
  'constant',
  'values',
  'range',
  'folder',
  'origin',
  'prefix',
  'format',
  'length',
  'list',
  'object',
  'either',
  'any',
] as const;
export type FormName = (typeof FORM_NAMES)[number];

/** A form that covers all values that were seen at a place, as a schema. */
export interface FittedForm {
  /** JSON pointer of the place; `*` stands for the items of a list, and for the members of a map. */
  readonly pointer: string;
  readonly form: FormName;
  readonly schema: JsonObject;
  /** The forms of the places below. */
  readonly below: readonly FittedForm[];
}

export interface PlaceOptions {
  /** Places that held a handle: their values are not known. */
  readonly held?: readonly string[];
  /** True for a text that no rule may quote. */
  readonly isSecret?: (text: string) => boolean;
  /** No value is quoted, numbers included: only types and lengths are told. */
  readonly quotesNothing?: true;
  /** Changes of a person, by the pointer of the place. */
  readonly changes?: { readonly [pointer: string]: PlaceChange };
}

/** What a person changes at a place of a rule. */
export interface PlaceChange {
  /** Values that are taken in beside those that were seen. */
  readonly taken?: readonly JsonValue[];
  /** Values that are left out, whatever the form. */
  readonly without?: readonly JsonValue[];
  /** A form that covers the values; absent, or where it does not cover them: the first of the list. */
  readonly form?: FormName;
}

/** Values of an enumeration, at most. */
const VALUES_MAX = 8;
/** Characters of a list that a rule quotes whole. */
const LIST_MAX = 200;
/** Characters that a folder, an origin or a prefix takes beside its own, at most. */
const SEEN_MAX = 128;
/** Named members of an object; above, it is a map. */
const MEMBERS_MAX = 64;

/** How much a rule tells. */
interface Size {
  /** Characters that a place quotes, at most. */
  readonly quoted: number;
  /** Levels; below, only the type is told. */
  readonly levels: number;
}

/** The sizes from the largest. */
const SIZES: readonly Size[] = [
  { quoted: 1000, levels: 12 },
  { quoted: 100, levels: 12 },
  { quoted: 100, levels: 4 },
  { quoted: 100, levels: 2 },
  { quoted: 100, levels: 1 },
];
/** Characters of a rule: every schema with so few passes the linter, and a configuration holds many of them. */
const RULE_MAX = 12_288;

/** The first form of the list that covers all values, in the largest size that a rule may have; at least one value. */
export function formOf(values: readonly JsonValue[], options: PlaceOptions = {}): FittedForm {
  for (const size of SIZES) {
    const form = firstOf(values, { ...options, size }, '', 0);
    if (canonicalText(form.schema).length <= RULE_MAX) return form;
  }
  return { pointer: '', form: 'any', schema: { type: [...kindsOf(values).keys()] }, below: [] };
}

interface FormOptions extends PlaceOptions {
  readonly size: Size;
}

/** The first form of the list that covers all values. */
function firstOf(values: readonly JsonValue[], options: FormOptions, pointer: string, depth: number): FittedForm {
  const [form, schema, below = []] = formed(values, { options, pointer, depth });
  return { pointer, form, schema, below };
}

function formed(seen: readonly JsonValue[], place: Place): Formed {
  const { taken = [], without = [], form } = changeAt(place);
  const all = formsOf([...seen, ...taken], place);
  const [first] = all;
  return leavingOut(all.find(([name]) => name === form) ?? first, without);
}

/** The form without these values, where it would cover them. */
function leavingOut([form, schema, below]: Formed, values: readonly JsonValue[]): Formed {
  const meets = values.length === 0 ? undefined : ownRuleOf(schema);
  const left = values.filter((value) => meets?.(value) === true);
  return [form, left.length === 0 ? schema : { ...schema, not: { enum: left } }, below ?? []];
}

function changeAt({ options: { changes = {} }, pointer }: Place): PlaceChange {
  return (Object.hasOwn(changes, pointer) ? changes[pointer] : undefined) ?? {};
}

/** All forms of the list that cover the values of a place, from the narrowest; at least one value. */
export function formsAt(
  values: readonly JsonValue[],
  pointer: string,
  options: PlaceOptions = {},
): readonly FittedForm[] {
  const depth = pointer.split('/').length - 1;
  const place = { options: { ...options, size: SIZES[0] ?? { quoted: 0, levels: 0 } }, pointer, depth };
  return formsOf(values, place).map(([form, schema, below = []]) => ({ pointer, form, schema, below }));
}

function formsOf(values: readonly JsonValue[], place: Place): readonly [Formed, ...Formed[]] {
  const { options, pointer, depth } = place;
  const { held = [], isSecret = () => false, quotesNothing, size } = options;
  if (held.includes(pointer)) return [['any', {}]];
  const isAbove = held.some((each) => each.startsWith(`${pointer}/`));
  const isHidden = isAbove || quotesNothing === true || values.some((value) => hasSecret(value, isSecret));
  const quoted = isHidden ? undefined : quotedForm(values, size);
  const kinds = kindsOf(values);
  const [kind = 'null', ...others] = kinds.keys();
  const made = others.length > 0 ? [eitherOf(kinds, options, pointer, depth)] : formsOfKind(kind, values, place);
  const any: Formed = ['any', { type: others.length > 0 ? [kind, ...others] : kind }];
  const [first = any, ...rest] = [...(quoted === undefined ? [] : [quoted]), ...made];
  return first === any ? [any] : [first, ...rest, any];
}

type Formed = readonly [form: FormName, schema: JsonObject, below?: readonly FittedForm[]];

type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

function kindOf(value: JsonValue): Kind {
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  return typeof value as Kind;
}

function kindsOf(values: readonly JsonValue[]): ReadonlyMap<Kind, readonly JsonValue[]> {
  const kinds = new Map<Kind, JsonValue[]>();
  for (const value of values) {
    const of = kinds.get(kindOf(value)) ?? [];
    of.push(value);
    kinds.set(kindOf(value), of);
  }
  return new Map([...kinds].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A constant, or 2 to 8 values. An object is never quoted whole: its members have forms of their own. */
function quotedForm(values: readonly JsonValue[], { quoted }: Size): Formed | undefined {
  const texts = new Map<string, JsonValue>();
  let used = 0;
  for (const value of values) {
    if (isObject(value) || (typeof value === 'string' && value.length > quoted)) return undefined;
    const text = canonicalText(value);
    if (isList(value) && (text.length > LIST_MAX || text.includes(PROTO))) return undefined;
    if (!texts.has(text)) used += text.length;
    texts.set(text, value);
    if (texts.size > VALUES_MAX || used > quoted) return undefined;
  }
  const all = [...texts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value);
  return all.length === 1 ? ['constant', { const: all[0] as JsonValue }] : ['values', { enum: all }];
}

/** No schema may have a member of this name. */
const PROTO = '__proto__';

export function hasSecret(value: JsonValue, isSecret: (text: string) => boolean): boolean {
  if (typeof value === 'string') return isSecret(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, each]) => isSecret(name) || hasSecret(each as JsonValue, isSecret));
}

function formsOfKind(kind: Kind, values: readonly JsonValue[], place: Place): readonly Formed[] {
  const { quotesNothing, size } = place.options;
  if (kind === 'number') return quotesNothing ? [] : [rangeOf(values as readonly number[])];
  if (kind === 'string') return textForms(values as readonly string[], place.options);
  if ((kind !== 'array' && kind !== 'object') || place.depth >= size.levels) return [];
  return [kind === 'array' ? listOf(values as readonly (readonly JsonValue[])[], place) : objectOf(values, place)];
}

function rangeOf(values: readonly number[]): Formed {
  let [minimum, maximum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) [minimum, maximum] = [Math.min(minimum, value), Math.max(maximum, value)];
  const type = values.every((value) => Number.isInteger(value)) ? 'integer' : 'number';
  return ['range', { type, minimum, maximum }];
}

function eitherOf(
  kinds: ReadonlyMap<Kind, readonly JsonValue[]>,
  options: FormOptions,
  pointer: string,
  depth: number,
): Formed {
  // a change of this place was made before its values were parted
  const changes = Object.fromEntries(Object.entries(options.changes ?? {}).filter(([place]) => place !== pointer));
  const all = [...kinds.values()].map((values) => firstOf(values, { ...options, changes }, pointer, depth + 1));
  return ['either', { anyOf: all.map(({ schema }) => schema) }, all];
}

interface Place {
  readonly options: FormOptions;
  readonly pointer: string;
  readonly depth: number;
}

function listOf(values: readonly (readonly JsonValue[])[], { options, pointer, depth }: Place): Formed {
  const maxItems = values.reduce((most, { length }) => Math.max(most, length), 0);
  const items = values.flat();
  const below = items.length === 0 ? [] : [firstOf(items, options, pointerTo(pointer, '*'), depth + 1)];
  const schema = { type: 'array', maxItems, ...(below[0] && { items: below[0].schema }) };
  return ['list', schema, below];
}

function objectOf(values: readonly JsonValue[], { options, pointer, depth }: Place): Formed {
  const { isSecret = () => false } = options;
  const members = new Map<string, JsonValue[]>();
  for (const value of values as readonly JsonObject[])
    for (const [name, each] of Object.entries(value)) {
      const of = members.get(name) ?? [];
      of.push(each);
      members.set(name, of);
    }
  for (const name of takenMembers({ options, pointer, depth })) if (!members.has(name)) members.set(name, []);
  const names = [...members.keys()].sort();
  const isMap = names.length > MEMBERS_MAX || names.some((name) => name === PROTO || isSecret(name));
  if (isMap) return mapOf(values, { options, pointer, depth }, members);
  const below = names.map((name) => firstOf(members.get(name) ?? [], options, pointerTo(pointer, name), depth + 1));
  const required = names.filter((name) => members.get(name)?.length === values.length);
  const properties = Object.fromEntries(names.map((name, at) => [name, below[at]?.schema ?? {}]));
  const schema = {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return ['object', schema, below];
}

/** Members of which a person takes in a value. */
function takenMembers({ options: { changes = {} }, pointer }: Place): readonly string[] {
  return Object.entries(changes).flatMap(([place, { taken = [] }]) => {
    const name = tokensIn(place).at(-1);
    return name !== undefined && taken.length > 0 && place === pointerTo(pointer, name) ? [name] : [];
  });
}

/** An object of many names: its members share one form. */
function mapOf(
  values: readonly JsonValue[],
  { options, pointer, depth }: Place,
  members: ReadonlyMap<string, readonly JsonValue[]>,
): Formed {
  const held = options.held?.map((place) => inMap(place, pointer));
  const all = [...members.values()].flat();
  const each = firstOf(all, { ...options, ...(held && { held }) }, pointerTo(pointer, '*'), depth + 1);
  const maxProperties = values.reduce<number>((most, value) => Math.max(most, Object.keys(value as object).length), 0);
  const schema = { type: 'object', maxProperties, additionalProperties: each.schema };
  return ['object', schema, [each]];
}

/** A place below the members of a map, which share one place. */
function inMap(place: string, pointer: string): string {
  if (!place.startsWith(`${pointer}/`)) return place;
  const [, ...below] = place.slice(pointer.length + 1).split('/');
  return [pointer, '*', ...below].join('/');
}

function textForms(
  values: readonly string[],
  { isSecret = () => false, size: { quoted: most } }: FormOptions,
): readonly Formed[] {
  const distinct = [...new Set(values)];
  const makers = [folderOf, originOf, ...(distinct.some(isSecret) ? [] : [prefixOf])];
  const based = makers.flatMap((make): readonly Formed[] => {
    const [base, form] = make(distinct) ?? [];
    return base !== undefined && form !== undefined && base.length <= most && !isSecret(base) ? [form] : [];
  });
  const format = FORMATS_TRIED.find((name) => distinct.every((text) => FORMATS[name]?.(text) === true));
  const longest = distinct.reduce((length, text) => Math.max(length, OPERATIONS.length(text)), 1);
  return [
    ...based,
    ...(format === undefined ? [] : [['format', { type: 'string', format }] as const]),
    ['length', { type: 'string', maxLength: 2 ** Math.ceil(Math.log2(longest)) }],
  ];
}

/** Formats from the narrowest. Formats that nearly every text has are none. */
const FORMATS_TRIED = ['date', 'date-time', 'time', 'duration', 'uuid', 'ipv4', 'ipv6', 'email', 'uri'] as const;

/** Characters that no rule permits behind its constant part. */
const NEVER = /[%\\\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;
const SEGMENTS = /^(?:\/[^/]+)*\/?$/;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]+:/;
const ORIGIN =
  /^(https?:\/\/(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?::[0-9]{1,5})?)(|\/.*)$/u;

/** A form with the constant part that it quotes. */
type BasedForm = readonly [base: string, form: Formed];

/** The deepest folder that all paths are in, or are. */
function folderOf(texts: readonly string[]): BasedForm | undefined {
  if (texts.some((text) => SCHEME.test(text) || !text.includes('/'))) return undefined;
  const paths = texts.map((text) => text.replace(/\/$/, '').split('/'));
  const shared = sharedOf(paths);
  const folder = shared.join('/');
  if (folder === '' || shared.some(isDots) || NEVER.test(folder) || shared.slice(1).includes('')) return undefined;
  const schema = insideOf(
    folder,
    texts.map((text) => text.slice(folder.length)),
  );
  return schema && [folder, ['folder', schema]];
}

function sharedOf(paths: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = paths;
  const length = first.findIndex((part, at) => others.some((path) => path[at] !== part));
  return length < 0 ? first : first.slice(0, length);
}

/** The web origin that all addresses have. */
function originOf(texts: readonly string[]): BasedForm | undefined {
  const origins = new Set(texts.map((text) => ORIGIN.exec(text)?.[1]));
  const [origin] = origins;
  if (origin === undefined || origins.size > 1) return undefined;
  const schema = insideOf(
    origin,
    texts.map((text) => text.slice(origin.length)),
  );
  return schema && [origin, ['origin', schema]];
}

/** Texts that begin with `base`, and go on with segments of the characters that `tails` have. */
function insideOf(base: string, tails: readonly string[]): JsonObject | undefined {
  const isInside = (tail: string) =>
    SEGMENTS.test(tail) && !NEVER.test(tail) && !tail.split('/').some((part) => part !== '' && isDots(part));
  if (!tails.every(isInside)) return undefined;
  const chars = classOf(tails);
  if (chars === undefined) return undefined;
  const repeat = tails.some((tail) => tail === '' || tail === '/') ? '*' : '+';
  const end = tails.some((tail) => tail.endsWith('/')) ? '/?' : '';
  return { type: 'string', pattern: `^${quote(base)}(?:/(?![. ]+(?:/|$))[${chars}]+)${repeat}${end}$` };
}

/** `.`, `..`, and what systems take for them. */
function isDots(part: string): boolean {
  return part !== '' && /^[. ]+$/.test(part);
}

const SEPARATOR = /[^A-Za-z0-9\u0080-\u{10ffff}]/u;

/** The longest common beginning of at least 8 characters that ends at a separator. The host of an address has no beginning. */
function prefixOf(texts: readonly string[]): BasedForm | undefined {
  const prefix = upToSeparator(sharedStart(texts));
  if (OPERATIONS.length(prefix) < PREFIX_MIN || /[\p{Cc}\p{Cf}]/u.test(prefix)) return undefined;
  if (SCHEME.test(prefix) && !/^[^:]+:(?!\/\/)|^[^:]+:\/\/[^/]+\//.test(prefix)) return undefined;
  const tails = texts.map((text) => text.slice(prefix.length));
  const begun = prefix.slice(Math.max(prefix.lastIndexOf('/'), prefix.lastIndexOf('\\')) + 1);
  const isSafe = (tail: string) => !tail.includes('/') && !NEVER.test(tail) && !isDots(begun + tail);
  if (isDots(begun) || !tails.every(isSafe)) return undefined;
  const chars = classOf(tails);
  if (chars === undefined) return undefined;
  const guard = begun === '' ? '(?![. ]+$)' : '';
  const repeat = tails.includes('') ? '*' : '+';
  const pattern = `^${quote(prefix)}${guard}[${chars}]${repeat}$`;
  return [prefix, ['prefix', { type: 'string', pattern }]];
}

function sharedStart([first = '', ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) {
    let at = 0;
    while (at < length && other.charCodeAt(at) === first.charCodeAt(at)) at++;
    length = at;
  }
  return first.slice(0, length);
}

function upToSeparator(text: string): string {
  const chars = Array.from(text);
  return chars.slice(0, chars.findLastIndex((char) => SEPARATOR.test(char)) + 1).join('');
}

const PREFIX_MIN = 8;

/** Letters, digits, `-._~`, the space, and what was seen beside them, but for the slash; undefined for too many. */
function classOf(tails: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const tail of tails)
    for (const char of tail) {
      if (!/[A-Za-z0-9._~ /-]/.test(char)) seen.add(char);
      if (seen.size > SEEN_MAX) return undefined;
    }
  return `A-Za-z0-9._~ ${[...seen].sort().map(quote).join('')}\\-`;
}

/** The text as a pattern with the flag `u`. */
function quote(text: string): string {
  return text.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, '\\$&');
}
