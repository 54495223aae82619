/**
 * An object's own members, without a prototype. A polluted prototype would otherwise lend grants, switches and answers
 * to every object of a page.
 */
export function ownProperties<T extends object>(given: T): T {
  return { __proto__: null, ...given } as T;
}

/** The own members that are not `undefined`: an undefined member counts as left out. */
export function definedProperties<T extends object>(given: T): T {
  return ownProperties(Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as T);
}
