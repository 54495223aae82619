import type { JudgedTask } from './judge.ts';

/** The two lists of tasks. */
export interface TaskLists {
  /** Judges the model. Its wording is never printed, and the training data is not changed because of it. */
  readonly heldOut: readonly JudgedTask[];
  /** May guide improvements of the training data. */
  readonly development: readonly JudgedTask[];
}

/** The file of the held-out list, with its rule. */
export interface HeldOutFile {
  readonly about: readonly string[];
  readonly tasks: readonly JudgedTask[];
}
