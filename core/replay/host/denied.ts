import { HELD_TERMS } from '../../capability/grant-terms.ts';
import type { Grant, Policy } from '../../capability/policy.ts';
import { NO_CODES } from '../../ledger/kinds/parts.ts';
import type { HostRecord } from './records.ts';

/** True for a denial without conditions: it denies every use of the power. */
export function deniesAll(grant: Grant): boolean {
  return (
    grant.mode === 'deny' && HELD_TERMS.every(({ name, limitsDenial }) => !limitsDenial || grant[name] === undefined)
  );
}

/** True for the code of a denial by one of these grants: a changed definition has a code of its own. */
export function isDenial(code: string | undefined, grants: readonly Grant[]): boolean {
  const isChanged = code === 'definition_changed';
  if (!isChanged && code !== 'grant_denied') return false;
  return grants.some(({ mode, changed }) => mode === 'deny' && (changed !== undefined) === isChanged);
}

/** True if this code can deny a use of the power: a grant explains it, or a recorded no. */
export function isDeniable(
  code: string | undefined,
  grants: readonly Grant[],
  { policy, own }: { readonly policy: Policy; readonly own: readonly HostRecord[] },
): boolean {
  if (code === 'grant_denied' || code === 'definition_changed') return isDenial(code, grants);
  if (NOES.has(code)) return own.some((record) => isNo(record) && codeOf(record) === code);
  const permitting = grants.filter(({ mode }) => mode !== 'deny');
  // a grant that no answer has made was present from the run's beginning, and a grant that is still present was not
  // revoked
  if (code === 'no_grant')
    return !permitting.some((grant) => grant.answer === undefined && policy.grants.includes(grant));
  const names = HELD_TERMS.filter((term) => term.code === code).map(({ name }) => name);
  return permitting.some((grant) => names.some((name) => grant[name] !== undefined));
}

export function isNo({ kind, body }: HostRecord): boolean {
  return kind === 'approval' && body.event === 'answered' && !body.approved;
}

/** Codes of the refusals that a recorded no leads to. */
export const NOES: ReadonlySet<string | undefined> = new Set(Object.values(NO_CODES));

function codeOf({ body }: HostRecord): string {
  return NO_CODES[('via' in body ? body.via : undefined) ?? 'program'];
}
