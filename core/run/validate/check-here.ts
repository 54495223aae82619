import type { SchemaVerdict } from '../../capability/check.ts';
import type { Grant } from '../../capability/grant.ts';
import type { SchemaIssue } from '../../errors/details.ts';
import type { JsonValue } from '../../json/value.ts';
import { predicateOf } from '../../schema/predicate.ts';
import type { RunFacts } from '../state.ts';

/** Schemas whose results are wanted for a value. */
export interface WantedSchemas {
  /** Schema of the subject itself: its issues are shown, so a predicate does not decide it. */
  readonly own?: string;
  /** Grants whose constraints are wanted. */
  readonly grants: readonly Grant[];
}

/** Results of the schemas that are checked here, and the schemas whose validators run outside. */
export interface SchemaChecks {
  readonly here: ReadonlyMap<string, SchemaVerdict>;
  readonly outside: readonly string[];
}

/**
 * Runs the precompiled validators, and compares values with constraints that only compare. Of a constraint only its
 * acceptance counts.
 */
export function checkHere({ precompiled }: RunFacts, { own, grants }: WantedSchemas, value: JsonValue): SchemaChecks {
  const here = new Map<string, SchemaVerdict>();
  const outside = new Set<string>();
  const take = (hash: string, issues: readonly SchemaIssue[] | undefined) =>
    issues === undefined ? outside.add(hash) : here.set(hash, { issues });
  if (own !== undefined) take(own, precompiled.get(own)?.(value));
  for (const { where, where_hash } of grants) {
    if (where === undefined || where_hash === undefined || here.has(where_hash) || outside.has(where_hash)) continue;
    take(where_hash, precompiled.get(where_hash)?.(value) ?? constraintIssues(predicateOf(where)?.(value)));
  }
  return { here, outside: [...outside] };
}

const NOT_MET: readonly SchemaIssue[] = [{ pointer: '', keyword: 'where', message: 'does not match' }];

function constraintIssues(meets: boolean | undefined): readonly SchemaIssue[] | undefined {
  if (meets === undefined) return undefined;
  return meets ? [] : NOT_MET;
}
