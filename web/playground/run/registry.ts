import leven from 'leven';
import { decode, isObject, type JsonObject } from '../../../core/index.ts';
import { firstOf, type RunSession } from './session.ts';

/** All sources are in it: it is larger than a proposal may be. */
const LIMITS = { bytes: 64 << 20, depth: 64, nodes: 1_000_000 } as const;

const read = new WeakMap<Uint8Array, readonly JsonObject[]>();

/**
 * The definitions that a run's proposals could call, read from its own ledger; empty until their bytes are here. A
 * stranger's file may hold definitions of another form. Read inside a view.
 */
export function definitionsOf(session: RunSession): readonly JsonObject[] {
  const first = firstOf(session);
  if (first?.kind !== 'configuration') return [];
  const payload = session.payload(first.body.registry);
  if (payload.state !== 'there') return [];
  const known = read.get(payload.bytes) ?? parseRegistry(payload.bytes);
  read.set(payload.bytes, known);
  return known;
}

function parseRegistry(bytes: Uint8Array): readonly JsonObject[] {
  const registry = decode(bytes, LIMITS);
  return registry.ok && Array.isArray(registry.value) ? registry.value.filter(isObject) : [];
}

/** The place that the arguments of this tool go to, if its definition names a place. Read inside a view. */
export function originOf(session: RunSession, name: string): string | undefined {
  const host = definitionsOf(session).find((each) => each['name'] === name)?.['host'];
  const origin = isObject(host) ? host['origin'] : undefined;
  return typeof origin === 'string' ? origin : undefined;
}

/** True for a definition whose calls have an effect, or a way back. Read inside a view. */
export function isUndoable(session: RunSession, name: string): boolean {
  const { effect, host } = definitionsOf(session).find((each) => each['name'] === name) ?? {};
  return effect === 'write' || effect === 'egress' || (isObject(host) && host['revert'] !== undefined);
}

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
