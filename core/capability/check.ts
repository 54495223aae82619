import type { SchemaIssue } from '../errors/details.ts';
import { refuse } from '../errors.ts';
import { type Outcome, pass } from '../outcome.ts';
import { NOT_COMPILED } from '../schema/refusals.ts';
import type { Bound } from './registry.ts';

/**
 * Verdict of a schema's validator. The validator of a schema registered at run time runs outside core: a schema is
 * code.
 */
export type SchemaVerdict =
  | { readonly issues: readonly SchemaIssue[] }
  | { readonly failed: 'fuel' | 'memory'; readonly limit: number; readonly used: number }
  | { readonly failed: 'lost' }
  /** The schema was admitted, and its compilation failed. */
  | { readonly failed: 'refused' };

/**
 * For each schema with a verdict: whether it accepts. A schema whose validator failed or was lost is absent, so that
 * `authorize` closes both ways: an allow grant with it does not permit, and a denial with it stays in force.
 */
export function holding(results: ReadonlyMap<string, SchemaVerdict>): ReadonlyMap<string, boolean> {
  const holds = new Map<string, boolean>();
  for (const [hash, said] of results) if ('issues' in said) holds.set(hash, said.issues.length === 0);
  return holds;
}

/** The verdict of a schema that does not compile, if there is one. */
export function refusedIn(results: ReadonlyMap<string, SchemaVerdict>): SchemaVerdict | undefined {
  for (const verdict of results.values()) if ('failed' in verdict && verdict.failed === 'refused') return verdict;
  return undefined;
}

/** A bound call whose arguments its schema accepts. Made by `checkArguments` alone. */
export interface Validated extends Bound {
  readonly [validated]: true;
}
declare const validated: unique symbol;

/**
 * FemtoClaw Protocol 8: arguments match the capability's schema or the whole proposal is refused; no value is coerced.
 */
export function checkArguments(bound: Bound, checked: SchemaVerdict): Outcome<Validated> {
  const step = 'arguments';
  const { args: pointer } = bound.call.at;
  if ('issues' in checked) {
    const [issue] = checked.issues;
    if (issue === undefined) return pass(bound as Validated);
    return refuse('arguments_schema', { issues: checked.issues }, { step, pointer: pointer + issue.pointer });
  }
  if (checked.failed === 'refused')
    return refuse('schema_refused', { rule: 'compile', reason: NOT_COMPILED }, { step, pointer });
  if (checked.failed === 'lost') return refuse('validator_lost', {}, { step, pointer });
  const { limit, used } = checked;
  return refuse(checked.failed === 'fuel' ? 'schema_fuel' : 'schema_memory', { limit, used }, { step, pointer });
}
