import type { JsonValue } from '../json/value.ts';

/**
 * Operations that generated validators call, in the host and in the guest alike. Unlike ajv's own helpers these never
 * look at an inherited name or call a method of the data: `{"valueOf": 1}` is plain data here.
 */
export interface Operations {
  readonly equal: (left: JsonValue, right: JsonValue) => boolean;
  /** The first two places that hold the same value, or null. */
  readonly duplicate: (items: readonly JsonValue[]) => readonly [number, number] | null;
  readonly multiple: (value: number, of: number) => boolean;
  readonly length: (text: string) => number;
}

export const OPERATIONS: Operations = { equal, duplicate, multiple: isMultiple, length: codePoints };

function equal(left: JsonValue, right: JsonValue): boolean {
  return left === right || (typeof left === 'object' && typeof right === 'object' && key(left) === key(right));
}

/** Up to this number, items are compared pair by pair; for more items a map is faster. */
const FEW = 8;

function duplicate(items: readonly JsonValue[]): readonly [number, number] | null {
  const found = items.length > FEW ? undefined : duplicateOfFew(items);
  return found === undefined ? duplicateOfMany(items) : found;
}

/** Undefined where an item is an array or object: these are compared by content. */
function duplicateOfFew(items: readonly JsonValue[]): readonly [number, number] | null | undefined {
  for (let at = 0; at < items.length; at++) {
    const item = items[at];
    if (typeof item === 'object' && item !== null) return undefined;
    for (let earlier = 0; earlier < at; earlier++) if (items[earlier] === item) return [earlier, at];
  }
  return null;
}

function duplicateOfMany(items: readonly JsonValue[]): readonly [number, number] | null {
  const seen = new Map<unknown, number>();
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as JsonValue;
    // A string cannot be taken for an object's key: keys are prefixed by a kind that strings get too.
    const id = typeof item === 'string' ? `s${item}` : typeof item === 'object' ? key(item) : item;
    const earlier = seen.get(id);
    if (earlier !== undefined) return [earlier, at];
    seen.set(id, at);
  }
  return null;
}

/** A text that two JSON values share exactly when they are equal: member order does not count, -0 is 0. */
function key(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value === 0 ? 0 : value);
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(key).join()}]`;
  const object = value as { readonly [name: string]: JsonValue };
  const names = Object.keys(object).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${key(object[name] as JsonValue)}`).join()}}`;
}

/**
 * Exact on the decimal numbers as JSON writes them: 0.3 is a multiple of 0.1, and 1e22 of 3 is not guessed. The same
 * power of ten makes both numbers integers.
 */
function isMultiple(value: number, of: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return value % of === 0;
  const [left, leftScale] = decimal(value);
  const [right, rightScale] = decimal(of);
  const scale = Math.max(leftScale, rightScale);
  return (left * 10n ** BigInt(scale - leftScale)) % (right * 10n ** BigInt(scale - rightScale)) === 0n;
}

/** `value` = integer / 10^scale, read from the shortest decimal text, which JSON writes. */
function decimal(value: number): [integer: bigint, scale: number] {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const integer = BigInt(whole + fraction);
  return scale < 0 ? [integer * 10n ** BigInt(-scale), 0] : [integer, scale];
}

const SURROGATE = /[\ud800-\udbff]/;

/**
 * JSON Schema counts characters as code points. Most texts have no surrogates, which a single native match finds out.
 */
function codePoints(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let pairs = 0;
  for (let i = 1; i < text.length; i++) {
    const low = text.charCodeAt(i);
    const high = text.charCodeAt(i - 1);
    if (low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff) pairs++;
  }
  return text.length - pairs;
}
