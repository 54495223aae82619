import type { SchemaVerdict } from '../../capability/check.ts';
import type { Grant } from '../../capability/policy.ts';
import type { SchemaIssue } from '../../errors/details.ts';
import type { JsonValue } from '../../json/value.ts';
import { type Predicate, predicateOf } from '../../schema/predicate.ts';
import type { RunState } from '../state.ts';

/** Schemas whose results are wanted for a value: a schema of a subject, and the constraints of the subject's grants. */
export interface WantedSchemas {
  /** Its issues are shown, so a predicate does not decide it. */
  readonly own?: string;
  /** Hash of a capability or power; absent where no grant is consulted. */
  readonly subject?: string;
}

/** Results of the schemas that are checked here, and the schemas whose validators run outside. */
export interface SchemaChecks {
  readonly here: ReadonlyMap<string, SchemaVerdict>;
  readonly outside: readonly string[];
}

const MET: SchemaVerdict = { issues: [] };
const NOT_MET: SchemaVerdict = { issues: [{ pointer: '', keyword: 'where', message: 'does not match' }] };

/**
 * Runs the precompiled validators, and compares values with constraints that only compare. Of a constraint only its
 * acceptance counts.
 */
export function checkHere(
  { facts: { precompiled }, policy }: Pick<RunState, 'facts' | 'policy'>,
  { own, subject }: WantedSchemas,
  value: JsonValue,
): SchemaChecks {
  const here = new Map<string, SchemaVerdict>();
  const outside: string[] = [];
  const take = (hash: string, issues: readonly SchemaIssue[] | undefined) =>
    issues === undefined ? outside.push(hash) : here.set(hash, { issues });
  if (own !== undefined) take(own, precompiled.get(own)?.(value));
  for (const [hash, meets] of constraintsOf(policy.grants, subject)) {
    if (hash === own) continue;
    if (meets === undefined) take(hash, precompiled.get(hash)?.(value));
    else here.set(hash, meets(value) ? MET : NOT_MET);
  }
  return { here, outside };
}

/** By the hash of a constraint, its predicate where it has one. */
type Constraints = ReadonlyMap<string, Predicate | undefined>;

const known = new WeakMap<readonly Grant[], Map<string, Constraints>>();
const NONE: Constraints = new Map();

/** The constraints of a subject's grants by their hashes. A policy keeps its list of grants from step to step. */
function constraintsOf(grants: readonly Grant[], subject: string | undefined): Constraints {
  if (subject === undefined) return NONE;
  const subjects = known.get(grants) ?? new Map<string, Constraints>();
  known.set(grants, subjects);
  const constraints = subjects.get(subject) ?? gathered(grants, subject);
  subjects.set(subject, constraints);
  return constraints;
}

function gathered(grants: readonly Grant[], subject: string): Constraints {
  const own = grants.filter(({ capability_hash }) => capability_hash === subject);
  return new Map(
    own.flatMap(({ where, where_hash }) => (where && where_hash ? [[where_hash, predicateOf(where)] as const] : [])),
  );
}
