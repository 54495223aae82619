import type { Session } from '../../api.ts';

const stale = new WeakSet();

/** Has a client's next call open another session, because a run gains no grant after its start. */
export function markStale({ run }: Session): void {
  stale.add(run);
}

export function isStale({ run }: Session): boolean {
  return stale.has(run);
}
