/** Goals of the model, in percent. */
export const GOALS = {
  'right tool': 98,
  'exact arguments': 88,
  'whole tasks': 78,
  'recovery and refusals': 97,
} as const;

/** Name of a measure with a goal. */
export type Goal = keyof typeof GOALS;
