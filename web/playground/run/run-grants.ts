import { decode, type Grant, isObject } from '../../../core/index.ts';
import { firstOf, type RunSession } from './session.ts';

/**
 * The grants with which a run was started, read from its own ledger; empty until their bytes are here. Read inside a
 * view.
 */
export function grantsOf(session: RunSession | undefined): readonly Grant[] {
  const first = session && firstOf(session);
  if (session === undefined || first?.kind !== 'configuration') return [];
  const payload = session.payload(first.body.policy);
  if (payload.state !== 'there') return [];
  const policy = decode(payload.bytes);
  if (!policy.ok || !isObject(policy.value)) return [];
  const { grants } = policy.value;
  return Array.isArray(grants) ? (grants as unknown as readonly Grant[]).filter(isKnown) : [];
}

/** A file is a stranger's: its grant may have another form. */
function isKnown(grant: unknown): boolean {
  return isObject(grant) && typeof grant['capability'] === 'string' && MODES.has(grant['mode']);
}

const MODES: ReadonlySet<unknown> = new Set(['allow', 'ask', 'deny'] satisfies readonly Grant['mode'][]);
