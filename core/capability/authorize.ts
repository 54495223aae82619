import { type Code, refuse } from '../errors.ts';
import type { Refused } from '../outcome.ts';
import type { Validated } from './check.ts';
import type { Grant, Policy } from './grant.ts';
import { guard, type Label } from './guard.ts';

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
  /** Calls already charged to each grant, by its id. */
  readonly used: ReadonlyMap<string, number>;
  /** For each `where_hash`: whether that schema accepts these arguments. */
  readonly holds: ReadonlyMap<string, boolean>;
  /** Hash of the call's canonical arguments. */
  readonly args_hash: string;
  /** What the context holds by now. */
  readonly labels: ReadonlySet<Label>;
  /** A person has approved this very call (`approval.ts`). */
  readonly approved: boolean;
}

/** A validated call that may run. Made by `authorize` alone. */
export interface Authorized extends Validated {
  readonly grant: Grant;
  readonly [authorized]: true;
}
declare const authorized: unique symbol;

export type Authorization =
  | { readonly decision: 'AUTHORIZED'; readonly grant: Grant; readonly value: Authorized }
  | { readonly decision: 'REQUIRES_APPROVAL'; readonly grant: Grant; readonly why: Why }
  | { readonly decision: Exclude<Decision, 'AUTHORIZED' | 'REQUIRES_APPROVAL'>; readonly refused: Refused };

/** Why a person is asked: the grant says so, or the guard does because of what the model has read. */
export type Why = 'grant' | 'untrusted' | 'private_and_untrusted';

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
    .filter((grant) => grant.capability_hash === hash)
    .map((grant) => ({ grant, standing: standing(grant, facts) }));
  const live = grants.filter((candidate) => candidate.standing === 'live');
  if (live.some(({ grant }) => grant.mode === 'deny')) {
    return deny('DENIED_POLICY_VIOLATION', refuse('grant_denied', { name }, AUTHORIZE));
  }
  const allow = prefer(live, 'allow') ?? (facts.approved ? prefer(live, 'ask') : undefined);
  if (allow !== undefined) {
    const why = guarded(call, facts, allow);
    if (why !== undefined) return { decision: 'REQUIRES_APPROVAL', grant: allow, why };
    return { decision: 'AUTHORIZED', grant: allow, value: { ...call, grant: allow } as Authorized };
  }
  const ask = prefer(live, 'ask');
  if (ask !== undefined) return { decision: 'REQUIRES_APPROVAL', grant: ask, why: 'grant' };
  return denyWithReason(
    name,
    grants.filter(({ grant }) => grant.mode !== 'deny'),
  );
}

const AUTHORIZE = { step: 'authorize' } as const;

/** What the guard still asks for, given who has said yes to what. */
function guarded(call: Validated, facts: AuthorizationFacts, grant: Grant): Why | undefined {
  if (!facts.policy.guarded || facts.approved) return undefined;
  const wanted = guard(call.capability.manifest.effect, facts.labels);
  if (wanted === 'clear' || (wanted === 'person' && grant.answer !== undefined)) return undefined;
  return wanted === 'person' ? 'untrusted' : 'private_and_untrusted';
}

type Candidate = { readonly grant: Grant; readonly standing: Standing };

function standing(grant: Grant, facts: AuthorizationFacts): Standing {
  if (grant.expires !== undefined && facts.now >= grant.expires) return 'expired';
  // a denial is not used up by denying
  if (grant.mode !== 'deny' && grant.uses !== undefined && (facts.used.get(grant.id) ?? 0) >= grant.uses)
    return 'used_up';
  if (grant.args_hash !== undefined && grant.args_hash !== facts.args_hash) return 'constraint';
  return covers(grant, facts) ? 'live' : 'constraint';
}

/** A constraint that could not be judged permits nothing and denies everything: both ways closed. */
function covers(grant: Grant, facts: AuthorizationFacts): boolean {
  if (grant.where_hash === undefined) return true;
  const holds = facts.holds.get(grant.where_hash);
  return grant.mode === 'deny' ? holds !== false : holds === true;
}

/** A person's grant first: it says more. Then one without a count, so that counted uses are kept; then canonical order. */
function prefer(live: readonly Candidate[], mode: Grant['mode']): Grant | undefined {
  const grants = live.map(({ grant }) => grant).filter((grant) => grant.mode === mode);
  return (
    grants.find(({ answer }) => answer !== undefined) ?? grants.find(({ uses }) => uses === undefined) ?? grants[0]
  );
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
