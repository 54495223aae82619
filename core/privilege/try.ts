import { evaluatePolicy, type PolicyDecision } from '../capability/authorize.ts';
import { withUse } from '../capability/charge.ts';
import { type AuthorTerms, type GrantUses, TERM_TYPES } from '../capability/grant-terms.ts';
import { makeGrant, makePolicy, type Policy } from '../capability/policy.ts';
import type { Code } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { assertKinds, CALLBACK, demand, FLAG, OBJECT, type OptionType } from '../option.ts';
import { DEFINITIONS, type KnownDefinition, type PastUse, USES } from './history.ts';

/**
 * What a policy would have done with a recorded call. `same`: as it was. `asked`: a person would have been asked, and
 * was not. `refused`: it ran, and would have been refused. `permitted`: it would have run without a question, and did not.
 * `unknown`: its arguments were erased, or its definition is another one now.
 */
export type TriedAs = 'same' | 'asked' | 'refused' | 'permitted' | 'unknown';

export interface TriedUse {
  readonly use: PastUse;
  readonly as: TriedAs;
  /** Why it would have been refused, or why nothing is known. */
  readonly code?: Code | 'erased' | 'other_definition';
}

export interface TriedPolicy {
  readonly counts: { readonly [A in TriedAs]: number };
  /** The calls that would not have gone as they went, and those of which nothing is known, in their order. */
  readonly changed: readonly TriedUse[];
}

export interface TryOptions {
  readonly policy: Policy;
  /** The definitions of the policy. */
  readonly definitions: readonly KnownDefinition[];
  /** Whether a constraint accepts a value; undefined where its validator gave no answer. */
  check(where: JsonObject, args: JsonValue): boolean | undefined;
}

/** A grant as its author writes it. */
export interface WrittenGrant extends AuthorTerms {
  readonly capability: string;
}

const GRANTS: OptionType = [
  'a list of grants, each with the name of its capability',
  (value) => Array.isArray(value) && value.every((each) => isObject(each) && typeof each['capability'] === 'string'),
];

/** The policy of these grants, in which every definition is enabled. A grant for an unknown name is for none. */
export function policyOf(
  definitions: readonly KnownDefinition[],
  grants: readonly WrittenGrant[],
  guarded = true,
): Policy {
  demand('definitions', definitions, DEFINITIONS);
  demand('grants', grants, GRANTS);
  demand('guarded', guarded, FLAG);
  for (const { capability: _, ...terms } of grants) assertKinds(terms, TERM_TYPES, ['mode'], 'grants');
  const byName = new Map(definitions.map((each) => [each.name, each]));
  const made = grants.flatMap(({ capability, ...terms }) => {
    const definition = byName.get(capability);
    return definition === undefined ? [] : [makeGrant(definition, terms)];
  });
  return makePolicy(
    definitions.map(({ hash }) => hash),
    made,
    guarded,
  );
}

const POLICY: OptionType = [
  'a policy, as policyOf gives it',
  (value) => isObject(value) && Array.isArray(value['grants']) && (value['enabled'] as unknown) instanceof Set,
];

/**
 * Decides each recorded call again by another policy, with the call's own labels, clock, arguments and handles. Uses and
 * rates are counted anew over the calls that ran and that this policy permits or asks about; standing answers and yeses
 * are ignored. Each call is decided, though an earlier one would have been refused or permitted otherwise: a path that the
 * run would then have taken is not known.
 */
export function tryPolicy(history: readonly PastUse[], options: TryOptions): TriedPolicy {
  demand('history', history, USES);
  demand('options', options, OBJECT);
  demand('policy', options.policy, POLICY);
  demand('definitions', options.definitions, DEFINITIONS);
  demand('check', options.check, CALLBACK);
  const counts = { same: 0, asked: 0, refused: 0, permitted: 0, unknown: 0 };
  const changed: TriedUse[] = [];
  const runs = new Map<string, GrantUses>();
  for (const use of history) {
    const used = runs.get(use.run_id) ?? new Map();
    const { decision, as, code } = triedOn(use, used, options);
    const grant = decision !== undefined && 'grant' in decision ? decision.grant : undefined;
    if (grant !== undefined && use.end === 'ran') runs.set(use.run_id, withUse(used, grant, use.now));
    counts[as] += 1;
    if (as !== 'same') changed.push({ use, as, ...(code !== undefined && { code }) });
  }
  return { counts, changed };
}

function triedOn(
  use: PastUse,
  used: GrantUses,
  { policy, definitions, check }: TryOptions,
): Omit<TriedUse, 'use'> & { readonly decision?: PolicyDecision } {
  const { name, hash, resolved, args, handles, labels, now, args_hash = '' } = use;
  const known = definitions.find((each) => each.name === name);
  if (known !== undefined && known.hash !== hash) return { as: 'unknown', code: 'other_definition' };
  if (args === undefined || (handles.length > 0 && resolved === undefined)) return { as: 'unknown', code: 'erased' };
  const ran = use.end === 'ran';
  if (known === undefined || !policy.enabled.has(hash)) {
    const code = known === undefined ? 'capability_gone' : 'capability_disabled';
    return ran ? { as: 'refused', code } : { as: 'same' };
  }
  const holds = new Map<string, boolean>();
  for (const { capability_hash, where, where_hash } of policy.grants) {
    const meets = where && capability_hash === hash ? check(where, resolved ?? args) : undefined;
    if (where_hash !== undefined && meets !== undefined) holds.set(where_hash, meets);
  }
  const places = handles.length > 0 ? { places: handles } : {};
  const inside = known.isInside && use.ticket === undefined ? { isInside: known.isInside } : {};
  const facts = { policy, now, used, holds, args_hash, labels: new Set(labels), approved: false, ...places, ...inside };
  const decision = evaluatePolicy({ name, hash, effect: known.effect }, facts);
  if (decision.decision === 'AUTHORIZED')
    return { decision, as: ran && use.asked === undefined ? 'same' : 'permitted' };
  if (decision.decision === 'REQUIRES_APPROVAL') return { decision, as: use.asked === undefined ? 'asked' : 'same' };
  return ran ? { decision, as: 'refused', code: decision.refused.refusal.code } : { decision, as: 'same' };
}
