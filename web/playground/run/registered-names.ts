import leven from 'leven';
import { definitionsOf } from './registry.ts';
import type { RunSession } from './session.ts';

/** The names that a run's proposals could call. Read inside a view. */
function namesOf(session: RunSession): readonly string[] {
  return definitionsOf(session).flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
}

/** A name longer than any capability's is not worth comparing: a stranger wrote it. */
const LENGTH_MAX = 64;

/**
 * The registered name closest to `wanted`. Shown to the person only: a model is told to use a listed name, not which.
 */
export function closestTo(session: RunSession, wanted: string): string | undefined {
  if (wanted === '' || wanted.length > LENGTH_MAX) return undefined;
  const ranked = namesOf(session)
    .map((name) => ({ name, edits: leven(wanted.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits);
  const [best] = ranked;
  return best !== undefined && best.edits <= Math.ceil(wanted.length / 4) ? best.name : undefined;
}
