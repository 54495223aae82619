import { decodeUtf8, encodeOnce } from '../../../core/json/utf8.ts';
import { isObject, type JsonValue } from '../../../core/json/value.ts';
import type { TableValue } from '../tables.ts';

/** What stands beside the JSON of a frame's rows, in its order. */
export interface Beside {
  readonly bytes: Uint8Array[];
  /** Those of them that were made of texts. */
  readonly texts: Uint8Array[];
}

/** From here on a text stands beside: whoever does not want it need not read it, and nothing in it is escaped. */
const LONG = 128;

/** JSON has no bytes: they go to the side, as long texts do, and an array says what it is by its first item. */
export function toJson(value: TableValue, beside: Beside): JsonValue {
  if (value instanceof Uint8Array) return ['b', beside.bytes.push(value) - 1];
  if (typeof value === 'string' && value.length >= LONG && value.isWellFormed()) {
    const text = encodeOnce(value);
    beside.texts.push(text);
    return ['t', beside.bytes.push(text) - 1];
  }
  if (isList(value)) return ['a', ...value.map((item) => toJson(item, beside))];
  return isObject(value) ? mapped(value, (item) => toJson(item, beside)) : (value as JsonValue);
}

/** Gives what stands beside, by its number. */
export type Taking = (at: unknown) => Uint8Array;

/** Each once, in order, as they were written: a stranger's frame names one of them any number of times, to fill memory. */
export function inOrder(bytes: readonly Uint8Array[]): Taking {
  let taken = 0;
  return (at) => {
    const next = bytes[taken];
    if (next === undefined || at !== taken++) throw new TypeError('What stands beside rows is named once.');
    return next;
  };
}

/** The way back, with everything in its place. */
export function fromJson(json: JsonValue, take: Taking, text: (bytes: Uint8Array) => TableValue = textOf): TableValue {
  if (isList(json)) {
    if (json[0] === 'b') return take(json[1]);
    if (json[0] === 't') return text(take(json[1]));
    return json.slice(1).map((item) => fromJson(item as JsonValue, take, text));
  }
  return isObject(json) ? mapped(json, (item) => fromJson(item as JsonValue, take, text)) : json;
}

function textOf(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new TypeError('A whole frame holds whole text.');
  return text;
}

function isList(value: unknown): value is readonly TableValue[] {
  return Array.isArray(value);
}

/** `fromEntries` makes own members of every name, `__proto__` too. */
function mapped<T>(value: object, change: (item: TableValue) => T): { readonly [name: string]: T } {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item as TableValue)]));
}
