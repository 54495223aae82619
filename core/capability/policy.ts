import { refuse } from '../errors.ts';
import { isHash, structureHash } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';
import { isObject } from '../json/value.ts';
import { assertKinds, demand, OBJECT, type OptionType } from '../option.ts';
import { type Outcome, pass, type Refused } from '../outcome.ts';
import {
  AUTHOR_TERM_NAMES,
  type AuthorTermName,
  type AuthorTerms,
  GRANT_TERMS,
  type GrantTerms,
  picked,
  TERM_NAMES,
  TERM_TYPES,
  writtenTerm,
} from './grant-terms.ts';
import type { Label } from './guard.ts';

export function makeGrant(capability: { readonly name: string; readonly hash: string }, terms: GrantTerms): Grant {
  const { where } = terms;
  const grant = {
    capability: capability.name,
    capability_hash: capability.hash,
    mode: terms.mode,
    ...picked(terms, TERM_NAMES),
    ...(where === undefined ? {} : { where_hash: structureHash('schema', canonicalText(where)) }),
  };
  return { id: structureHash('grant', canonicalText(grant)), ...grant };
}

/**
 * Hash of a grant's terms and of its capability's name. It outlives the definition of the capability: a grant with the
 * same terms for another definition has the same hash.
 */
export function termsHash({ id: _, capability_hash: __, ...terms }: Grant): string {
  return structureHash('grant', canonicalText(terms));
}

/**
 * What the bits of a release are counted by: its capability's name and the principals of the grant. A grant that is given
 * again with another end, or with other bits, begins no count anew.
 */
export function releaseCount({ capability, for: principals }: Grant): string {
  return structureHash('grant', canonicalText({ capability, ...(principals && { for: principals }) }));
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
 * smaller, its rates the rates of both, and its mode never more permissive. Refuses wider terms with `grant_widens`, and
 * more rates than a grant may hold with `option_invalid`, which it throws for terms of other types.
 */
export function attenuate(grant: Grant, terms: Partial<AuthorTerms>): Outcome<Grant> {
  demand('grant', grant, GRANT);
  demand('terms', terms, OBJECT);
  assertKinds(terms, TERM_TYPES, [], 'terms');
  const asked = AUTHOR_TERM_NAMES.filter((name) => terms[name] !== undefined);
  const limit = asked.find((name) => name !== 'mode');
  // A denial cannot be narrowed: any limit on it permits more.
  const isDenial = grant.mode === 'deny' && (terms.mode ?? 'deny') === 'deny';
  if (isDenial && limit !== undefined) return refuse('grant_widens', { what: limit });
  // under a watch, a grant that stands for having none permits more
  if (terms.fallback && !grant.fallback) return refuse('grant_widens', { what: 'fallback' });
  const narrowed: { -readonly [T in keyof GrantTerms]?: GrantTerms[T] } = picked<GrantTerms>(grant, TERM_NAMES);
  for (const name of asked) if (!narrow(narrowed, name, terms)) return tooWide(name);
  const subject = { name: grant.capability, hash: grant.capability_hash };
  const { release, ...others } = narrowed;
  const mode = narrowed.mode ?? grant.mode;
  // a denial releases nothing
  return pass(makeGrant(subject, { ...others, ...(release && mode !== 'deny' && { release }), mode }));
}

/** Sets a term to the narrower of its value and the asked value; false if the asked value cannot be had. */
function narrow<T extends AuthorTermName>(
  terms: { -readonly [N in keyof AuthorTerms]?: AuthorTerms[N] },
  name: T,
  asked: Partial<AuthorTerms>,
): boolean {
  const wanted = asked[name];
  if (wanted === undefined) return true;
  const given = terms[name] ?? writtenTerm(name).absent;
  const value = given === undefined ? wanted : writtenTerm(name).narrow(given as never, wanted as never);
  if (value === undefined) return false;
  terms[name] = value as AuthorTerms[T];
  return true;
}

function tooWide(name: AuthorTermName): Refused {
  const { most } = GRANT_TERMS[name].written;
  return most === undefined
    ? refuse('grant_widens', { what: name })
    : refuse('option_invalid', { name: `terms.${name}`, wants: most });
}

/** A person's standing yes to a question of a run. */
export interface StandingAnswer {
  readonly run: string;
  /** Digest of the question. */
  readonly answer: string;
  /** Labels of the data that had been read. */
  readonly labels: readonly Label[];
  /** Labels of the held values of the question. */
  readonly handled?: readonly Label[];
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

const GRANT: OptionType = ['a grant', (value) => isObject(value) && isHash(value['capability_hash'])];

/**
 * Permission to call one definition of a capability. A changed definition has another hash and no grant. A grant with
 * `parent` is a person's standing answer.
 */
export interface Grant extends GrantTerms {
  /** Hash of the grant's terms. Records name the grant by it, and its uses are counted under it. */
  readonly id: string;
  readonly capability: string;
  readonly capability_hash: string;
  /** Hash of `where`, by which its validator is found. */
  readonly where_hash?: string;
}

/** Permissions of a run: deny by default. `grants` stand in canonical order, so the order of rules never matters. */
export interface Policy {
  readonly hash: string;
  /** Whether the trifecta guard is on. */
  readonly guarded: boolean;
  /** Hashes of the capabilities that are enabled. */
  readonly enabled: ReadonlySet<string>;
  readonly grants: readonly Grant[];
  /**
   * Name of the external rules that must permit a call too. The program vouches for the name, for example a hash of the
   * rules.
   */
  readonly authorizer?: string;
  /** Canonical text of enabled hashes and grants: enough to make a decision again. */
  readonly text: string;
}
