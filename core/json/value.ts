/** A JSON value as `decode` yields it: own members only, finite numbers, well-formed strings, bounded depth. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** True for a plain object that came from JSON: the only kind of object core ever looks into. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a list. `Array.isArray` alone would narrow the type to `any[]`. */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** True for a whole number, 0 or more, that a double holds exactly. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Reads an own member; undefined for inherited names (`constructor`, `__proto__`). */
export function member(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

/** True for a JSON pointer (RFC 6901). */
export function isPointer(text: string): boolean {
  return POINTER.test(text);
}

/** RFC 6901: the reference tokens of a pointer, unescaped; none for the whole value. */
export function tokensIn(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** RFC 6901: the pointer with an appended reference token. */
export function pointerTo(parent: string, token: string | number): string {
  // Not replaceAll, which takes ten times as long for a megabyte of slashes.
  return `${parent}/${String(token).split('~').join('~0').split('/').join('~1')}`;
}
