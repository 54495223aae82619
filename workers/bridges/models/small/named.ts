/** The names under which a task may mention a value: `lb` is `lb`, `pound`, `pounds`. */
export type Names = { readonly [value: string]: readonly string[] };

/** Closed choices that the model was trained with: it says a value only where the task has one of its names. */
export interface Named {
  /** Values of a member of the arguments. */
  readonly values: { readonly [member: string]: Names };
  /** Members of which a call has those that were named. */
  readonly members: Names;
  /** Pairs of members whose values differ. */
  readonly differ: readonly (readonly [string, string])[];
}

/** True for the closed choices of a file of weights. */
export function isNamed({ values, members, differ }: Named): boolean {
  const isNames = (names: Names): boolean => Object.values(names).every(isTexts);
  return [...Object.values(values), members].every(isNames) && differ.every(isTexts);
}

function isTexts(list: readonly string[]): boolean {
  return Array.isArray(list) && list.every((text) => typeof text === 'string');
}
