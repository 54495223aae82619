import { useSyncExternalStore } from 'react';
import type { Run } from '../../workers/api.ts';
import { type RunSnapshot, watchedRun } from './watched-run.ts';

const noSubscription = () => () => undefined;
const noSnapshot = () => undefined;

/**
 * Renders the component at each change of a run: its view, the question that waits, and functions to drive it. A
 * program starts the run itself, in the handler of an event: React may render and mount a component twice, and a run
 * has effects. Undefined without a run.
 */
export function useRun(run: Run): RunSnapshot;
export function useRun(run: Run | undefined): RunSnapshot | undefined;
export function useRun(run: Run | undefined): RunSnapshot | undefined {
  const watched = run && watchedRun(run);
  const snapshot = watched?.snapshot ?? noSnapshot;
  return useSyncExternalStore(watched?.subscribe ?? noSubscription, snapshot, snapshot);
}
