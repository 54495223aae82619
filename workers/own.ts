/**
 * What an object says itself. What a polluted prototype lends to every object of a page grants nothing, switches nothing
 * off and answers nothing.
 */
export function own<T extends object>(given: T): T {
  return { __proto__: null, ...given } as T;
}
