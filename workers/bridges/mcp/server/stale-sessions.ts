import type { Session } from '../../../api.ts';

const stale = new WeakMap<object, Set<string>>();

/**
 * Has a client's next call of this tool open another session, because a run gains no grant after its start. A call of
 * another tool goes on: no server ends a session by changes of its own tools.
 */
export function markStale({ run }: Session, tool: string): void {
  stale.set(run, (stale.get(run) ?? new Set()).add(tool));
}

export function isStale({ run }: Session, tool: string): boolean {
  return stale.get(run)?.has(tool) === true;
}
