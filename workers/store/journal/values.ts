import { decodeUtf8, encodeOnce } from '../../../core/json/utf8.ts';
import { isObject, type JsonValue } from '../../../core/json/value.ts';
import type { TableValue } from '../tables.ts';

/** Bytes that follow the JSON of the rows of a frame, in its order. */
export interface SideBytes {
  readonly bytes: Uint8Array[];
  /** The members of `bytes` that were made from texts. */
  readonly texts: Uint8Array[];
}

/** Texts of this length or more stand beside the JSON: a reader can skip them, and they need no escapes. */
const LONG = 128;

/**
 * JSON form of a value. JSON has no bytes, so bytes and long texts go into `beside`. The first item of an array names
 * its kind.
 */
export function toJson(value: TableValue, beside: SideBytes): JsonValue {
  if (value instanceof Uint8Array) return ['b', beside.bytes.push(value) - 1];
  if (typeof value === 'string' && value.length >= LONG && value.isWellFormed()) {
    const text = encodeOnce(value);
    beside.texts.push(text);
    return ['t', beside.bytes.push(text) - 1];
  }
  if (isList(value)) return ['a', ...value.map((item) => toJson(item, beside))];
  return isObject(value) ? mapped(value, (item) => toJson(item, beside)) : (value as JsonValue);
}

/** Returns the bytes with this number. */
export type TakeBytes = (at: unknown) => Uint8Array;

/** Hands out each item once, in order, as written. A foreign frame could name an item many times to fill the memory. */
export function inOrder(bytes: readonly Uint8Array[]): TakeBytes {
  let taken = 0;
  return (at) => {
    const next = bytes[taken];
    if (next === undefined || at !== taken++) throw new TypeError('What stands beside rows is named once.');
    return next;
  };
}

/** Inverse of `toJson`. */
export function fromJson(
  json: JsonValue,
  take: TakeBytes,
  text: (bytes: Uint8Array) => TableValue = textOf,
): TableValue {
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

/** Object with changed members. `fromEntries` makes own members of every name, `__proto__` too. */
function mapped<T>(value: object, change: (item: TableValue) => T): { readonly [name: string]: T } {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item as TableValue)]));
}
