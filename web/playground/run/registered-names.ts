import leven from 'leven';
import { decode, isObject } from '../../../core/index.ts';
import type { RunSession } from './session.ts';

/**
 * The names that a run's proposals could call, read from its own ledger; empty until their bytes are here. Read inside
 * a view.
 */
function namesOf(session: RunSession): readonly string[] {
  const first = session.records.value[0];
  if (first?.kind !== 'configuration') return [];
  const payload = session.payload(first.body.registry);
  const registry = payload.state === 'there' ? decode(payload.bytes, LIMITS) : undefined;
  if (registry?.ok !== true || !Array.isArray(registry.value)) return [];
  return registry.value.flatMap((each: unknown) =>
    isObject(each) && typeof each['name'] === 'string' ? [each['name']] : [],
  );
}

/** All sources are in it: it is larger than a proposal may be. */
const LIMITS = { bytes: 64 << 20, depth: 64, nodes: 1_000_000 } as const;

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
