import { refuse } from '../errors.ts';
import { isHash, structureHash } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';
import { isObject } from '../json/value.ts';
import { assertKinds, COUNT, demand, OBJECT, type OptionType, type OptionTypes, oneOf } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';
import { bothOf } from '../schema/both.ts';
import type { Grant, Policy } from './grant.ts';
import type { Label } from './guard.ts';

/** A grant as its author writes it; it is bound at once to the definition that is registered now. */
export type GrantTerms = Pick<
  Grant,
  'mode' | 'where' | 'uses' | 'expires' | 'args_hash' | 'answer' | 'parent' | 'run' | 'labels'
>;

export function makeGrant(capability: { readonly name: string; readonly hash: string }, terms: GrantTerms): Grant {
  const { mode, where, uses, expires, args_hash, answer, parent, run, labels } = terms;
  const grant = {
    capability: capability.name,
    capability_hash: capability.hash,
    mode,
    ...(where === undefined ? {} : { where, where_hash: structureHash('schema', canonicalText(where)) }),
    ...(uses === undefined ? {} : { uses }),
    ...(expires === undefined ? {} : { expires }),
    ...(args_hash === undefined ? {} : { args_hash }),
    ...(answer === undefined ? {} : { answer }),
    ...(parent === undefined ? {} : { parent }),
    ...(run === undefined ? {} : { run }),
    ...(labels === undefined ? {} : { labels }),
  };
  return { id: structureHash('grant', canonicalText(grant)), ...grant };
}

/** A policy's hash does not depend on the order its rules were written in, and neither do its decisions. */
export function makePolicy(
  enabled: Iterable<string>,
  grants: readonly Grant[],
  guarded = true,
  authorizer?: string,
): Policy {
  const sorted = grants
    .map((grant) => ({ grant, text: canonicalText(grant) }))
    .sort((a, b) => (a.text < b.text ? -1 : 1));
  const hashes = new Set([...enabled].sort());
  const others = authorizer === undefined ? {} : { authorizer };
  const text = canonicalText({ enabled: [...hashes], grants: sorted.map(({ grant }) => grant), guarded, ...others });
  return {
    hash: structureHash('policy', text),
    guarded,
    enabled: hashes,
    grants: sorted.map(({ grant }) => grant),
    ...others,
    text,
  };
}

/** The policy with an added grant, for example when a person answers a question for the rest of the run. */
export function addGrant(policy: Policy, grant: Grant): Policy {
  return makePolicy(policy.enabled, [...policy.grants, grant], policy.guarded, policy.authorizer);
}

/** Revoked permissions: grants by their ids, and capabilities, by their hashes, that are no longer enabled. */
export interface Revocation {
  readonly grants: readonly string[];
  readonly capabilities: readonly string[];
}

/**
 * The policy without the revoked permissions, and without the standing answers to a revoked grant. A denial stays:
 * without it more would be permitted.
 */
export function revoke(policy: Policy, { grants, capabilities }: Revocation): Policy {
  const enabled = [...policy.enabled].filter((hash) => !capabilities.includes(hash));
  const kept = policy.grants.filter((grant) => !isTaken(grant, grants));
  return makePolicy(enabled, kept, policy.guarded, policy.authorizer);
}

/** True for a permission that ends with the grants of these ids: one of them, or a standing answer to one of them. */
export function isTaken({ id, parent, mode }: Grant, grants: readonly string[]): boolean {
  return mode !== 'deny' && (grants.includes(id) || (parent !== undefined && grants.includes(parent)));
}

/**
 * A grant that permits no more than its parent grant: its constraint is both constraints, its uses and expiry the
 * smaller, and its mode never more permissive. Refuses wider terms with `grant_widens`; throws `option_invalid` for
 * terms of other types.
 */
export function attenuate(grant: Grant, terms: Partial<GrantTerms>): Outcome<Grant> {
  demand('grant', grant, GRANT);
  demand('terms', terms, OBJECT);
  assertKinds(terms, TERMS, [], 'terms');
  const { mode = grant.mode, where, uses, expires } = terms;
  if (RANK[mode] > RANK[grant.mode]) return refuse('grant_widens', { what: 'mode' });
  const limit = Object.entries({ where, uses, expires }).find(([, value]) => value !== undefined);
  // A denial cannot be narrowed: any limit on it permits more.
  if (grant.mode === 'deny' && limit !== undefined) return refuse('grant_widens', { what: limit[0] });
  const both = grant.where !== undefined && where !== undefined ? bothOf(grant.where, where) : (where ?? grant.where);
  const kept = {
    ...(grant.args_hash && { args_hash: grant.args_hash }),
    ...(grant.answer && { answer: grant.answer }),
    ...(grant.parent && { parent: grant.parent }),
    ...(grant.run && { run: grant.run }),
    ...(grant.labels && { labels: grant.labels }),
  };
  const narrower = { mode, ...(both && { where: both }), ...least({ uses, expires }, grant), ...kept };
  return pass(makeGrant({ name: grant.capability, hash: grant.capability_hash }, narrower));
}

/** A person's standing yes to a question of a run. */
export interface StandingAnswer {
  readonly run: string;
  /** Digest of the question. */
  readonly answer: string;
  /** Labels of the data that had been read. */
  readonly labels: readonly Label[];
  readonly uses?: number;
  /** Absent: any arguments that the parent covers. */
  readonly args_hash?: string;
}

/**
 * The child grant that a person's standing yes makes of the grant that asked: no wider than its parent, except that the
 * person's yes lifts the mode `ask` to `allow`, which `attenuate` refuses. Undefined for a denial, which nobody answers.
 */
export function standingChild(parent: Grant, { uses, args_hash, ...of }: StandingAnswer): Grant | undefined {
  const narrowed = attenuate(parent, uses === undefined ? {} : { uses });
  if (!narrowed.ok || parent.mode === 'deny') return undefined;
  const exact = parent.args_hash ?? args_hash;
  const labels = [...of.labels].sort();
  const terms = { ...narrowed.value, ...of, labels, parent: parent.id, mode: 'allow' } as const;
  const subject = { name: parent.capability, hash: parent.capability_hash };
  return makeGrant(subject, exact === undefined ? terms : { ...terms, args_hash: exact });
}

/** Types of the terms that a grant's author writes. */
export const TERMS: OptionTypes = { mode: oneOf('allow', 'ask', 'deny'), where: OBJECT, uses: COUNT, expires: COUNT };

const GRANT: OptionType = ['a grant', (value) => isObject(value) && isHash(value['capability_hash'])];

const RANK: { readonly [M in Grant['mode']]: number } = { deny: 0, ask: 1, allow: 2 };

type Bounds = { readonly uses?: number | undefined; readonly expires?: number | undefined };

function least(asked: Bounds, given: Bounds): { uses?: number; expires?: number } {
  const [uses, expires] = [smaller(asked.uses, given.uses), smaller(asked.expires, given.expires)];
  return { ...(uses === undefined ? {} : { uses }), ...(expires === undefined ? {} : { expires }) };
}

function smaller(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : Math.min(a, b ?? a);
}
