import type { RunSetup } from '../run/run-start.ts';

/**
 * The text in the setup of the next run. It counts as soon as it is typed. Its run begins when the field is left, or
 * with the next action on a run.
 */
export interface Edits {
  /** Keeps it for the next `settle`. */
  hold(setup: RunSetup): void;
  settle(): void;
}

export function openEdits(arrange: (setup: RunSetup) => void): Edits {
  let held: RunSetup | undefined;
  return {
    hold: (setup) => {
      held = setup;
    },
    settle: () => {
      const setup = held;
      held = undefined;
      if (setup !== undefined) arrange(setup);
    },
  };
}
