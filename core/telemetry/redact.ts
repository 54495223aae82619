import { isObject, type JsonValue } from '../json/value.ts';

/** What stands where a secret stood: a string, so that nothing of its type, length or emptiness is told. */
export const REDACTED = '[redacted]';

/**
 * The same value without what the pointers (RFC 6901) point to. `*` as a token means every element of an array; in
 * an object it is a member's name like any other. A pointer that points to nothing changes nothing; one that is no
 * pointer takes everything, because what its author wanted kept cannot be known.
 */
export function redact(value: JsonValue, pointers: readonly string[]): JsonValue {
  return pointers.reduce<JsonValue>((left, pointer) => without(left, tokensOf(pointer)), value);
}

function tokensOf(pointer: string): readonly string[] {
  if (pointer !== '' && (!pointer.startsWith('/') || /~(?![01])/.test(pointer))) return [];
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
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
