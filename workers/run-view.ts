import type { RunView } from './api.ts';

/** True where a handle drives its run no more: the turn has ended, another tab has the run, or it was suspended. */
export function isOver({ end, taken, suspended }: RunView): boolean {
  return end !== undefined || taken === true || suspended === true;
}
