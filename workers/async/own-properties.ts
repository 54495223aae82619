/**
 * What an object says itself. What a polluted prototype lends to every object of a page grants nothing, switches nothing
 * off and answers nothing.
 */
export function own<T extends object>(given: T): T {
  return { __proto__: null, ...given } as T;
}

/** The same without what is `undefined`: a member that was left out. */
export function said<T extends object>(given: T): T {
  return own(Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as T);
}
