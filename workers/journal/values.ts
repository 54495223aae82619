import { isObject, type JsonValue } from '../../core/index.ts';
import type { TableValue } from '../tables.ts';

/** JSON has no bytes: they go to the side, and an array says what it is by its first item. */
export function toJson(value: TableValue, bytes: Uint8Array[]): JsonValue {
  if (value instanceof Uint8Array) return ['b', bytes.push(value) - 1];
  if (isList(value)) return ['a', ...value.map((item) => toJson(item, bytes))];
  return isObject(value) ? mapped(value, (item) => toJson(item, bytes)) : (value as JsonValue);
}

/** The way back, with the bytes in their places. */
export function fromJson(json: JsonValue, bytes: readonly Uint8Array[]): TableValue {
  if (isList(json)) {
    if (json[0] === 'b') return bytes[json[1] as number] ?? new Uint8Array();
    return json.slice(1).map((item) => fromJson(item as JsonValue, bytes));
  }
  return isObject(json) ? mapped(json, (item) => fromJson(item as JsonValue, bytes)) : json;
}

function isList(value: unknown): value is readonly TableValue[] {
  return Array.isArray(value);
}

/** `fromEntries` makes own members of every name, `__proto__` too. */
function mapped<T>(value: object, change: (item: TableValue) => T): { readonly [name: string]: T } {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item as TableValue)]));
}
