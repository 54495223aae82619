import type { JsonObject, JsonValue } from '../../../core/json/value.ts';

/** The own members of a stranger's object. A member that is `null` is absent: servers write either. */
export function own(object: JsonObject): { readonly [name: string]: JsonValue | undefined } {
  const members = Object.create(null) as { [name: string]: JsonValue };
  for (const [name, value] of Object.entries(object)) if (value !== null) members[name] = value;
  return members;
}
