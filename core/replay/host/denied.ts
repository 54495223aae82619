import type { Grant, Policy } from '../../capability/grant.ts';
import { NO_CODES } from '../../ledger/kinds/parts.ts';
import type { HostRecord } from './records.ts';

/** True for a denial without conditions: it denies every use of the power. */
export function deniesAll({ mode, where_hash, args_hash, expires }: Grant): boolean {
  return mode === 'deny' && where_hash === undefined && args_hash === undefined && expires === undefined;
}

/** True if this code can deny a use of the power: a grant explains it, or a recorded no. */
export function isDeniable(
  code: string | undefined,
  grants: readonly Grant[],
  { policy, own }: { readonly policy: Policy; readonly own: readonly HostRecord[] },
): boolean {
  if (code === 'grant_denied') return grants.some(({ mode }) => mode === 'deny');
  if (NOES.has(code)) return own.some((record) => isNo(record) && codeOf(record) === code);
  const permitting = grants.filter(({ mode }) => mode !== 'deny');
  // a grant that no answer has made was present from the run's beginning, and a grant that is still present was not
  // revoked
  if (code === 'no_grant')
    return !permitting.some((grant) => grant.answer === undefined && policy.grants.includes(grant));
  if (code === 'grant_constraint')
    return permitting.some(({ where_hash, args_hash }) => where_hash !== undefined || args_hash !== undefined);
  if (code === 'grant_used_up') return permitting.some(({ uses }) => uses !== undefined);
  return code === 'grant_expired' && permitting.some(({ expires }) => expires !== undefined);
}

export function isNo({ kind, body }: HostRecord): boolean {
  return kind === 'approval' && body.event === 'answered' && !body.approved;
}

/** Codes of the refusals that a recorded no leads to. */
export const NOES: ReadonlySet<string | undefined> = new Set(Object.values(NO_CODES));

function codeOf({ body }: HostRecord): string {
  return NO_CODES[('via' in body ? body.via : undefined) ?? 'program'];
}
