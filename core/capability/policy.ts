import { structureHash } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';
import type { JsonObject } from '../json/value.ts';
import type { Grant, Policy } from './grant.ts';

/** A grant as its author writes it; it is bound at once to the definition that is registered now. */
export interface GrantTerms {
  readonly mode: Grant['mode'];
  readonly where?: JsonObject;
  readonly uses?: number;
  readonly expires?: number;
}

export function makeGrant(capability: { readonly name: string; readonly hash: string }, terms: GrantTerms): Grant {
  const { mode, where, uses, expires } = terms;
  return {
    capability: capability.name,
    capability_hash: capability.hash,
    mode,
    ...(where === undefined ? {} : { where, where_hash: structureHash('schema', canonicalText(where)) }),
    ...(uses === undefined ? {} : { uses }),
    ...(expires === undefined ? {} : { expires }),
  };
}

/** A policy's hash does not depend on the order its rules were written in, and neither do its decisions. */
export function makePolicy(enabled: Iterable<string>, grants: readonly Grant[]): Policy {
  const sorted = grants.map((grant) => ({ grant, text: canonicalText(grant) })).sort((a, b) => (a.text < b.text ? -1 : 1));
  const hashes = new Set([...enabled].sort());
  const text = canonicalText({ enabled: [...hashes], grants: sorted.map(({ grant }) => grant) });
  return { hash: structureHash('policy', text), enabled: hashes, grants: sorted.map(({ grant }) => grant), text };
}
