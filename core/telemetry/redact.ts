import { isObject, type JsonValue, tokensIn } from '../json/value.ts';

/** Replaces a secret. It is always a string, so that the type, length and emptiness of the secret stay hidden. */
export const REDACTED = '[redacted]';

/**
 * The value without the parts that the pointers (RFC 6901) select. `*` as a token selects every element of an array; in
 * an object it is an ordinary member name. A pointer without a target changes no part. A malformed pointer redacts the
 * whole value, because its author's intention is unknown.
 */
export function redact(value: JsonValue, pointers: readonly string[]): JsonValue {
  return pointers.reduce<JsonValue>((left, pointer) => without(left, tokensOf(pointer)), value);
}

function tokensOf(pointer: string): readonly string[] {
  if (pointer !== '' && (!pointer.startsWith('/') || /~(?![01])/.test(pointer))) return [];
  return tokensIn(pointer);
}

function without(value: JsonValue, tokens: readonly string[]): JsonValue {
  const [token, ...rest] = tokens;
  if (token === undefined) return REDACTED;
  if (Array.isArray(value)) {
    const elements: readonly JsonValue[] = value;
    return elements.map((element, index) =>
      token === '*' || token === String(index) ? without(element, rest) : element,
    );
  }
  if (!isObject(value) || !Object.hasOwn(value, token)) return value;
  // Entries, not a spread: a member `__proto__` stays a member.
  const entries = Object.entries(value).map(
    ([name, inner]) => [name, name === token ? without(inner, rest) : inner] as const,
  );
  return Object.fromEntries(entries);
}
