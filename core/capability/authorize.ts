import { type Code, refuse } from '../errors.ts';
import type { Refused } from '../outcome.ts';
import type { Validated } from './check.ts';
import type { Grant, Policy } from './grant.ts';

/** FemtoClaw 05 8, plus the one decision a person has to make. */
export type Decision =
  | 'AUTHORIZED'
  | 'REQUIRES_APPROVAL'
  | 'DENIED_CAPABILITY_NOT_FOUND'
  | 'DENIED_CAPABILITY_DISABLED'
  | 'DENIED_POLICY_VIOLATION'
  | 'DENIED_ARGUMENT_INVALID';

/** Everything a decision depends on; the same facts give the same decision, whatever the order of rules. */
export interface AuthorizationFacts {
  readonly policy: Policy;
  /** Whether the capability is still registered. */
  readonly registered: boolean;
  /** Integer ms, from a recorded event. */
  readonly now: number;
  /** Calls already charged to each grant, by its index in the policy. */
  readonly used: ReadonlyMap<number, number>;
  /** For each `where_hash`: whether that schema accepts these arguments. */
  readonly holds: ReadonlyMap<string, boolean>;
  /** A person has approved this very call (`approval.ts`). */
  readonly approved: boolean;
}

/** A validated call that may run. Made by `authorize` alone. */
export interface Authorized extends Validated {
  readonly grant: number;
  readonly [authorized]: true;
}
declare const authorized: unique symbol;

export type Authorization =
  | { readonly decision: 'AUTHORIZED'; readonly grant: number; readonly value: Authorized }
  | { readonly decision: 'REQUIRES_APPROVAL'; readonly grant: number }
  | { readonly decision: Exclude<Decision, 'AUTHORIZED' | 'REQUIRES_APPROVAL'>; readonly refused: Refused };

type Standing = 'live' | 'constraint' | 'used_up' | 'expired';

/**
 * Decides whether a validated call may run: default deny, a denial beats every permission, a permission beats a
 * question. Order: registered, enabled, denials, permissions.
 *
 * @see FemtoClaw 05 7 to 11
 */
export function authorize(call: Validated, facts: AuthorizationFacts): Authorization {
  const { hash, manifest } = call.capability;
  const name = manifest.name;
  if (!facts.registered) return deny('DENIED_CAPABILITY_NOT_FOUND', refuse('capability_gone', { name }, AUTHORIZE));
  if (!facts.policy.enabled.has(hash)) {
    return deny('DENIED_CAPABILITY_DISABLED', refuse('capability_disabled', { name }, AUTHORIZE));
  }
  const grants = facts.policy.grants
    .map((grant, index) => ({ grant, index, standing: standing(grant, index, facts) }))
    .filter(({ grant }) => grant.capability_hash === hash);
  const live = grants.filter((candidate) => candidate.standing === 'live');
  if (live.some(({ grant }) => grant.mode === 'deny')) {
    return deny('DENIED_POLICY_VIOLATION', refuse('grant_denied', { name }, AUTHORIZE));
  }
  const allow = prefer(live, 'allow') ?? (facts.approved ? prefer(live, 'ask') : undefined);
  if (allow !== undefined) {
    return { decision: 'AUTHORIZED', grant: allow, value: { ...call, grant: allow } as Authorized };
  }
  const ask = prefer(live, 'ask');
  if (ask !== undefined) return { decision: 'REQUIRES_APPROVAL', grant: ask };
  return denyWithReason(name, grants.filter(({ grant }) => grant.mode !== 'deny'));
}

const AUTHORIZE = { step: 'authorize' } as const;

type Candidate = { readonly grant: Grant; readonly index: number; readonly standing: Standing };

function standing(grant: Grant, index: number, facts: AuthorizationFacts): Standing {
  if (grant.expires !== undefined && facts.now >= grant.expires) return 'expired';
  if (grant.uses !== undefined && (facts.used.get(index) ?? 0) >= grant.uses) return 'used_up';
  return covers(grant, facts) ? 'live' : 'constraint';
}

/** A constraint that could not be judged permits nothing and denies everything: both ways closed. */
function covers(grant: Grant, facts: AuthorizationFacts): boolean {
  if (grant.where_hash === undefined) return true;
  const holds = facts.holds.get(grant.where_hash);
  return grant.mode === 'deny' ? holds !== false : holds === true;
}

/** A grant without a count before one with a count, so that counted uses are kept; then canonical order. */
function prefer(live: readonly Candidate[], mode: Grant['mode']): number | undefined {
  const modes = live.filter(({ grant }) => grant.mode === mode);
  return (modes.find(({ grant }) => grant.uses === undefined) ?? modes[0])?.index;
}

/** The nearest miss explains best: the right capability with other arguments, then one that is used up, then expired. */
function denyWithReason(name: string, grants: readonly Candidate[]): Authorization {
  const miss = (kind: Standing) => grants.find((candidate) => candidate.standing === kind)?.grant;
  if (miss('constraint')) return deny('DENIED_ARGUMENT_INVALID', refuse('grant_constraint', { name }, AUTHORIZE));
  const usedUp = miss('used_up');
  if (usedUp) return violation(refuse('grant_used_up', { name, uses: usedUp.uses ?? 0 }, AUTHORIZE));
  const expired = miss('expired');
  if (expired) return violation(refuse('grant_expired', { name, expires: expired.expires ?? 0 }, AUTHORIZE));
  return violation(refuse('no_grant', { name }, AUTHORIZE));
}

function violation(refused: Refused): Authorization {
  return deny('DENIED_POLICY_VIOLATION', refused);
}

function deny(decision: Exclude<Decision, 'AUTHORIZED' | 'REQUIRES_APPROVAL'>, refused: Refused): Authorization {
  return { decision, refused };
}

/** The code a denial carries, for records. */
export function codeOf(authorization: Authorization): Code | undefined {
  return 'refused' in authorization ? authorization.refused.refusal.code : undefined;
}
