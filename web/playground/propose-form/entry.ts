import { decode, encodeText, isObject, type JsonValue } from '../../../core/index.ts';
import { proposeForm as texts } from '../../texts/en/propose-form.ts';
import { find, type Reply, replyOf, textOf } from '../run/reply.ts';
import type { RunSession } from '../run/session.ts';
import type { FormField } from './fields.ts';

/** The texts that a person has typed into a field and its parts. A member that is absent is left out of the JSON. */
export type FormEntry =
  | { readonly kind: 'leaf'; readonly text: string }
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, FormEntry> }
  | { readonly kind: 'list'; readonly items: readonly FormEntry[] };

/** The texts for a value; a part that the field cannot hold begins as an empty field does. */
export function entryOf(field: FormField, value: JsonValue | undefined = field.preset): FormEntry {
  switch (field.kind) {
    case 'text':
      return leaf(typeof value === 'string' ? value : '');
    case 'number':
      return leaf(typeof value === 'number' ? JSON.stringify(value) : '');
    case 'json':
      return leaf(value === undefined ? '' : JSON.stringify(value, null, 2));
    case 'choice':
      return leaf(chosen(field.choices, value));
    case 'object': {
      const own = isObject(value) ? value : {};
      const given = field.members.filter(({ name, required }) => required || Object.hasOwn(own, name));
      const entries = given.map((each) => [each.name, entryOf(each.field, valueIn(own, each.name))] as const);
      return { kind: 'object', members: new Map(entries) };
    }
    case 'list': {
      const first = Array.from({ length: Math.min(field.itemsMin, ITEMS_AT_FIRST) }, () => undefined);
      const items: readonly (JsonValue | undefined)[] = Array.isArray(value) ? value : first;
      return { kind: 'list', items: items.map((each) => entryOf(field.item, each)) };
    }
  }
}

const ITEMS_AT_FIRST = 20;

function leaf(text: string): FormEntry {
  return { kind: 'leaf', text };
}

function valueIn(own: { readonly [name: string]: JsonValue }, name: string): JsonValue | undefined {
  return Object.hasOwn(own, name) ? own[name] : undefined;
}

function chosen(choices: readonly JsonValue[], value: JsonValue | undefined): string {
  const texts = choices.map((each) => JSON.stringify(each));
  const wanted = JSON.stringify(value);
  return texts.find((text) => text === wanted) ?? texts[0] ?? 'null';
}

/**
 * JSON text of an entry, with numbers as they were typed. A text that is no number stands as a string, which the gate
 * refuses at its field. Undefined where a field for JSON holds none: see `faultsOf`.
 */
export function jsonText(field: FormField, entry: FormEntry): string | undefined {
  if (entry.kind === 'leaf') return leafText(field, entry.text);
  if (entry.kind === 'list') {
    const items = field.kind === 'list' ? entry.items.map((each) => jsonText(field.item, each)) : [];
    return items.includes(undefined) ? undefined : `[${items.join(',')}]`;
  }
  const members = field.kind === 'object' ? field.members : [];
  const texts = members.flatMap(({ name, field: inner }) => {
    const given = entry.members.get(name);
    if (given === undefined) return [];
    const text = jsonText(inner, given);
    return [text === undefined ? undefined : `${JSON.stringify(name)}:${text}`];
  });
  return texts.includes(undefined) ? undefined : `{${texts.join(',')}}`;
}

function leafText(field: FormField, text: string): string | undefined {
  if (field.kind === 'choice') return text;
  if (field.kind === 'json') return decode(encodeText(text)).ok ? text.trim() : undefined;
  return field.kind === 'number' && isNumber(text) ? text.trim() : JSON.stringify(text);
}

function isNumber(text: string): boolean {
  const read = decode(encodeText(text));
  return read.ok && typeof read.value === 'number';
}

/** The faults of the fields for JSON, by pointer: a form with a fault writes no proposal. */
export function faultsOf(field: FormField, entry: FormEntry, pointer = ''): ReadonlyMap<string, string> {
  const faults = partsOf(field, entry).map((part) => faultsOf(part.field, part.entry, `${pointer}/${part.step}`));
  if (entry.kind === 'leaf' && field.kind === 'json') {
    const read = decode(encodeText(entry.text));
    if (!read.ok) return new Map([[pointer, texts().notJson(read.refusal.message)]]);
  }
  return new Map(faults.flatMap((each) => [...each]));
}

interface EntryPart {
  /** Step of a JSON pointer. */
  readonly step: string;
  readonly field: FormField;
  readonly entry: FormEntry;
}

/** The fields that stand directly in a field. */
function partsOf(field: FormField, entry: FormEntry): readonly EntryPart[] {
  if (field.kind === 'list' && entry.kind === 'list')
    return entry.items.map((each, i) => ({ step: String(i), field: field.item, entry: each }));
  if (field.kind !== 'object' || entry.kind !== 'object') return [];
  return field.members.flatMap(({ name, field: inner }) => {
    const given = entry.members.get(name);
    return given === undefined ? [] : [{ step: stepOf(name), field: inner, entry: given }];
  });
}

/** RFC 6901. */
export function stepOf(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A fault of the arguments; the pointer begins at the arguments. */
interface Issue {
  readonly pointer: string;
  readonly message: string;
}

/** The reply to the latest step that made this proposal, if it has ended. Read inside a view. */
export function replyTo(session: RunSession | undefined, proposal: string | undefined): Reply | undefined {
  if (session === undefined || proposal === undefined) return undefined;
  const last = session.steps.value.findLast(({ step }) => step !== undefined);
  return textOf(session, find(last, 'proposal')?.body.payload) === proposal ? replyOf(session, last) : undefined;
}

/** The faults that a reply names in the arguments of a call. */
export function issuesIn(reply: Reply | undefined): readonly Issue[] {
  const issues = reply?.code === 'arguments_schema' ? reply.details?.['issues'] : undefined;
  return Array.isArray(issues) ? issues.flatMap((each: JsonValue) => issue(each)) : [];
}

function issue(given: JsonValue): readonly Issue[] {
  if (!isObject(given)) return [];
  const { pointer, message } = given;
  return typeof pointer === 'string' && typeof message === 'string' ? [{ pointer, message }] : [];
}

/** Each issue at its field, or at the nearest field around its place; pointers to texts. */
export function atFields(field: FormField, entry: FormEntry, issues: readonly Issue[]): ReadonlyMap<string, string> {
  const places = new Set(placesOf(field, entry, ''));
  const found = new Map<string, string>();
  for (const { pointer, message } of issues) {
    const place = nearest(places, pointer);
    const text = place === pointer ? message : `${pointer}: ${message}`;
    found.set(place, [found.get(place), text].filter((each) => each !== undefined).join('; '));
  }
  return found;
}

function placesOf(field: FormField, entry: FormEntry, pointer: string): readonly string[] {
  const inner = partsOf(field, entry).flatMap((part) => placesOf(part.field, part.entry, `${pointer}/${part.step}`));
  return [pointer, ...inner];
}

function nearest(places: ReadonlySet<string>, pointer: string): string {
  let place = pointer;
  while (place !== '' && !places.has(place)) place = place.slice(0, place.lastIndexOf('/'));
  return place;
}
