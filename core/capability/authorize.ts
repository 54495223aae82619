import { isSameSigner, type YesSigner } from '../approval/signer.ts';
import { type Code, type DetailsOf, refuse } from '../errors.ts';
import type { Refused } from '../outcome.ts';
import type { Validated } from './check.ts';
import { GRANT_TERMS, type GrantUses, NO_USE, TERM_NAMES } from './grant-terms.ts';
import { type Effect, guard, type Label, type LabelledPlace, unaccepted } from './guard.ts';
import type { Grant, Policy } from './policy.ts';

/** Decisions of FemtoClaw 05 8, and `REQUIRES_APPROVAL`, which leaves the decision to a person. */
export type Decision =
  | 'AUTHORIZED'
  | 'REQUIRES_APPROVAL'
  | 'DENIED_CAPABILITY_NOT_FOUND'
  | 'DENIED_CAPABILITY_DISABLED'
  | 'DENIED_POLICY_VIOLATION'
  | 'DENIED_ARGUMENT_INVALID';

/** The facts that a decision depends on. The same facts give the same decision in any order of the rules. */
export interface AuthorizationFacts {
  readonly policy: Policy;
  /** Whether the capability is still registered. */
  readonly registered: boolean;
  /** Integer ms, from a recorded event. */
  readonly now: number;
  /** Uses already charged to each grant, those of its standing answers included, by its id. */
  readonly used: GrantUses;
  /** For each `where_hash`: whether that schema accepts these arguments. */
  readonly holds: ReadonlyMap<string, boolean>;
  /** Hash of the call's canonical arguments. */
  readonly args_hash: string;
  /** Hashes in grants that are of the same arguments under another salt: each step salts its secret arguments anew. */
  readonly exact?: ReadonlySet<string>;
  /** Labels of the run's context at this moment. */
  readonly labels: ReadonlySet<Label>;
  /** A person has approved this very call (`approval.ts`). */
  readonly approved: boolean;
  /** Whose signatures of this yes were right. */
  readonly signers?: readonly YesSigner[];
  /** The places of the arguments that carry held values. A label that the grant does not accept there needs a person. */
  readonly places?: readonly LabelledPlace[];
  /** The decision is told: whether a person was asked about held values before decides nothing about it. */
  readonly isTold?: true;
  /** Of a release: the ids of the grants that are charged. They alone, and the answers to them, permit the use. */
  readonly released?: readonly string[];
  /** The use does not leave the sandbox, so that it asks nobody about held values. */
  readonly isInside?: true;
  /** The use is a guest's, which may put what the model has read at any place, too. */
  readonly isMixed?: true;
  /** The policy's authorizer has permitted the call. This is not a person's approval. */
  readonly authorizerApproved?: boolean;
}

/** The facts without `registered`, which only capabilities have: a power cannot be unregistered during a run. */
export type PolicyInput = Omit<AuthorizationFacts, 'registered'>;

/**
 * A validated call that may run. Made by `authorize`, and by `authorizedBefore` from the record of an authorized call.
 */
export interface Authorized extends Validated {
  readonly grant: Grant;
  readonly [authorized]: true;
}
declare const authorized: unique symbol;

export type Authorization = Unauthorized | (Permitted & { readonly value: Authorized });

export interface Permitted {
  readonly decision: 'AUTHORIZED';
  readonly grant: Grant;
}

/** The permission by another grant that a person gave for it. */
export function permittedBy<P extends Permitted>(decision: P, grant: Grant): P {
  return 'value' in decision
    ? { ...decision, grant, value: { ...(decision.value as Authorized), grant } }
    : { ...decision, grant };
}

export type Unauthorized =
  | { readonly decision: 'REQUIRES_APPROVAL'; readonly grant: Grant; readonly why: ApprovalReason }
  | { readonly decision: Exclude<Decision, 'AUTHORIZED' | 'REQUIRES_APPROVAL'>; readonly refused: Refused };

/** Subject of a grant: a capability, or a power that the page provides. */
export interface Subject {
  readonly name: string;
  readonly hash: string;
  readonly effect: Effect;
}

/** Decision of a policy's grants about a use of a subject. */
export type PolicyDecision = Permitted | Unauthorized;

/**
 * Reason for a question: the grant's mode, the guard (by the labels that the model has read), held values at places that do
 * not accept them, or the authorizer.
 */
export type ApprovalReason = 'grant' | 'untrusted' | 'private_and_untrusted' | 'held' | 'held_private' | 'authorizer';

/** Reason why a grant does not apply; a later place in the table of terms is a nearer miss. */
interface Miss {
  readonly place: number;
  readonly refused: Refused;
}

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
  const decided = evaluatePolicy({ name, hash, effect: manifest.effect }, facts);
  return decided.decision === 'AUTHORIZED'
    ? { ...decided, value: { ...call, grant: decided.grant } as Authorized }
    : decided;
}

/**
 * A call that the ledger records as authorized by this grant. It continues where it was parked and is not decided
 * again.
 */
export function authorizedBefore(call: Validated, grant: Grant): Authorized {
  return { ...call, grant } as Authorized;
}

/**
 * Evaluates denials first, then permissions, then questions. A definition without a grant is decided by a watch, if there
 * is one. The guard and the authorizer may ask for more than the grants.
 */
export function evaluatePolicy({ name, hash, effect }: Subject, facts: PolicyInput): PolicyDecision {
  const grants = facts.policy.grants
    .filter((grant) => grant.capability_hash === hash && mayPermit(grant, facts))
    .map((grant) => ({ grant, miss: missOf(grant, facts, name) }));
  const denials = grants.flatMap(({ grant, miss }) => (grant.mode === 'deny' && miss === undefined ? [grant] : []));
  if (denials.length > 0) return deny('DENIED_POLICY_VIOLATION', denialOf(name, denials));
  const permitting = grants.filter(({ grant }) => grant.mode !== 'deny');
  const others = permitting.filter(({ grant }) => grant.watch === undefined);
  const own = permitting.filter(({ grant }) => grant.watch !== undefined);
  // a watch lifts the absence of a grant alone: where one was written, that one decides
  const watched = others.every(({ grant }) => grant.fallback) ? decidedBy(own, effect, facts) : undefined;
  return watched ?? decidedBy(others, effect, facts) ?? denyWithReason(name, others);
}

/** Decides by the live ones of these grants: a permission, then a question. Undefined where none is live. */
function decidedBy(grants: readonly Candidate[], effect: Effect, facts: PolicyInput): PolicyDecision | undefined {
  const live = grants.filter(({ miss }) => miss === undefined);
  const allow = preferClear(live, effect, facts);
  if (allow !== undefined) {
    const why = guarded(effect, facts, allow);
    return why === undefined
      ? { decision: 'AUTHORIZED', grant: allow }
      : { decision: 'REQUIRES_APPROVAL', grant: allow, why };
  }
  const ask = prefer(live, 'ask');
  if (ask === undefined) return undefined;
  return isApproved(facts, ask)
    ? { decision: 'AUTHORIZED', grant: ask }
    : { decision: 'REQUIRES_APPROVAL', grant: ask, why: 'grant' };
}

/** True if a person's yes is one that this grant takes: where it names signers, they have signed, and enough of them. */
export function isApproved(
  { approved, signers = [] }: Pick<PolicyInput, 'approved' | 'signers'>,
  { signed }: Pick<Grant, 'signed'>,
): boolean {
  if (signed === undefined || !approved) return approved;
  const own = signed.by.filter((each) => signers.some((signer) => isSameSigner(signer, each)));
  return new Set(own.map(({ name }) => name)).size >= (signed.of ?? 1);
}

/** A release is permitted by the grants that are charged for it, and denied by any. */
function mayPermit({ mode, id, parent }: Grant, { released }: PolicyInput): boolean {
  return mode === 'deny' || released === undefined || released.includes(parent ?? id);
}

/** A denial whose only reason is a changed definition names both definitions. */
function denialOf(name: string, denials: readonly Grant[]): Refused {
  const [changed] = denials.flatMap((grant) => (grant.changed === undefined ? [] : [grant.changed]));
  return changed === undefined || denials.some((grant) => grant.changed === undefined)
    ? refuse('grant_denied', { name }, AUTHORIZE)
    : refuse('definition_changed', { name, pinned: changed.pinned, declared: changed.declared }, AUTHORIZE);
}

const AUTHORIZE = { step: 'authorize' } as const;

/**
 * Reason for which the guard, or behind it the policy's authorizer, still needs an approval; undefined when neither
 * does. A standing answer is an answer to the guard's question only if the run had read untrusted data by then.
 */
export function guarded(
  effect: Effect,
  facts: Pick<
    PolicyInput,
    'policy' | 'labels' | 'places' | 'isInside' | 'isMixed' | 'approved' | 'signers' | 'authorizerApproved'
  >,
  grant: Grant,
): ApprovalReason | undefined {
  if (isApproved(facts, grant)) return undefined;
  const wanted = facts.policy.guarded ? guard(effect, facts.labels) : 'clear';
  if (wanted === 'this_call') return 'private_and_untrusted';
  const handled = heldReason(effect, facts, grant);
  if (handled === 'held_private') return handled;
  if (wanted === 'person' && grant.labels?.includes('untrusted') !== true) return 'untrusted';
  if (handled !== undefined) return handled;
  return facts.policy.authorizer === undefined || facts.authorizerApproved === true ? undefined : 'authorizer';
}

/**
 * Reason for which held values need a person: one of their labels is not accepted at its place. A standing answer to a
 * question about the same labels serves, unless a private value would leave while untrusted data takes part.
 */
function heldReason(
  effect: Effect,
  { labels, places = [], isInside, isMixed }: Pick<PolicyInput, 'labels' | 'places' | 'isInside' | 'isMixed'>,
  grant: Grant,
): ApprovalReason | undefined {
  const asked = places.filter((place) => unaccepted(grant, place).length > 0);
  if (asked.length === 0 || effect === 'pure' || isInside) return undefined;
  const carried = new Set(places.flatMap((place) => place.labels));
  const isPrivate = carried.has('private') || (isMixed === true && labels.has('private'));
  const isExit = isPrivate && (carried.has('untrusted') || labels.has('untrusted'));
  if (effect === 'egress' && isExit) return 'held_private';
  const isServed = asked.every((place) => unaccepted(grant, place).every((label) => grant.handled?.includes(label)));
  return isServed ? undefined : 'held';
}

/** The grants of a definition that are live, denials left out. */
export function liveGrants({ name, hash }: Pick<Subject, 'name' | 'hash'>, facts: PolicyInput): readonly Grant[] {
  return facts.policy.grants.filter(
    (grant) => grant.capability_hash === hash && grant.mode !== 'deny' && missOf(grant, facts, name) === undefined,
  );
}

interface Candidate {
  readonly grant: Grant;
  /** Absent for a live grant. */
  readonly miss: Miss | undefined;
}

/** Reason why a grant does not apply; undefined for a live grant. A standing answer is live while its parent is. */
function missOf(grant: Grant, facts: PolicyInput, name: string): Miss | undefined {
  if (grant.parent === undefined) return ownMiss(grant, facts, name);
  const parent = facts.policy.grants.find(({ id }) => id === grant.parent);
  if (parent === undefined) return { place: -1, refused: refuse('no_grant', { name }, AUTHORIZE) };
  return ownMiss(parent, facts, name) ?? ownMiss(grant, facts, name);
}

/** The first term that the use is outside of. A denial is not used up by denying. */
function ownMiss(
  grant: Grant,
  { now, used, holds, args_hash, exact, places = [], isTold, released }: PolicyInput,
  name: string,
): Miss | undefined {
  // an answer about held values says nothing about other calls, which could tell that it was given
  const isReleased = released !== undefined;
  if (grant.handled !== undefined && (isTold || !isAbout(grant.handled, places, isReleased)))
    return { place: -1, refused: refuse('no_grant', { name }, AUTHORIZE) };
  const isExact = (granted: string): boolean => granted === args_hash || exact?.has(granted) === true;
  const facts = { now, use: used.get(grant.id) ?? NO_USE, holds, isExact };
  for (const [place, term] of TERM_NAMES.entries()) {
    const { held } = GRANT_TERMS[term];
    if (held === undefined || grant[term] === undefined || (grant.mode === 'deny' && !held.limitsDenial)) continue;
    const details = held.miss(grant, facts);
    if (details !== undefined)
      return { place, refused: refuse(held.code, { name, ...details } as DetailsOf[typeof held.code], AUTHORIZE) };
  }
  return undefined;
}

/** True for a use that carries held values, with a label if the answer was about one, and for a release like the answered one. */
function isAbout(handled: readonly Label[], places: readonly LabelledPlace[], isReleased: boolean): boolean {
  return (places.length > 0 || isReleased) && (handled.length === 0 || places.some(({ labels }) => labels.length > 0));
}

/** Prefers, among permissions, one that the guard needs no person for. */
function preferClear(live: readonly Candidate[], effect: Effect, facts: PolicyInput): Grant | undefined {
  const clear = live.filter(({ grant }) => guarded(effect, facts, grant) === undefined);
  return prefer(clear, 'allow') ?? prefer(live, 'allow');
}

/**
 * Prefers a grant that a person gave, which says more; then a grant that wants no signature; then a grant without `uses`,
 * to save counted uses; then canonical order. A fallback stands for having no grant, so that any other comes first.
 */
function prefer(live: readonly Candidate[], mode: Grant['mode']): Grant | undefined {
  const given = live.map(({ grant }) => grant).filter((grant) => grant.mode === mode);
  const written = given.filter(({ fallback }) => fallback !== true);
  const all = written.length > 0 ? written : given;
  const unsigned = all.filter(({ signed }) => signed === undefined);
  const grants = unsigned.length > 0 ? unsigned : all;
  return all.find(({ answer }) => answer !== undefined) ?? grants.find(({ uses }) => uses === undefined) ?? grants[0];
}

/** Denies by the grant that nearly applied: by the miss whose term is the last of the table. */
function denyWithReason(name: string, grants: readonly Candidate[]): Authorization {
  const nearest = grants.reduce<Miss | undefined>(
    (before, { miss }) => (miss !== undefined && miss.place > (before?.place ?? -1) ? miss : before),
    undefined,
  );
  const refused = nearest?.refused ?? refuse('no_grant', { name }, AUTHORIZE);
  const isConstraint = refused.refusal.code === 'grant_constraint';
  return deny(isConstraint ? 'DENIED_ARGUMENT_INVALID' : 'DENIED_POLICY_VIOLATION', refused);
}

function deny(decision: Exclude<Decision, 'AUTHORIZED' | 'REQUIRES_APPROVAL'>, refused: Refused): Unauthorized {
  return { decision, refused };
}

/** Says in a record that the decision is by a grant of a watch. */
export function watchedBy(grant: Grant | undefined): { readonly watched?: true } {
  return grant?.watch === undefined ? {} : { watched: true };
}

/** The code a denial carries, for records. */
export function codeOf(authorization: PolicyDecision): Code | undefined {
  return 'refused' in authorization ? authorization.refused.refusal.code : undefined;
}
