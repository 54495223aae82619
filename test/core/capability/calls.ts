import { type Authorization, authorize } from '../../../core/capability/authorize.ts';
import type { Capability } from '../../../core/capability/capability.ts';
import { checkArguments, type Validated } from '../../../core/capability/check.ts';
import type { GrantTerms, GrantUse } from '../../../core/capability/grant-terms.ts';
import { type Label } from '../../../core/capability/guard.ts';
import { type Grant, makeGrant, makePolicy } from '../../../core/capability/policy.ts';
import { bind } from '../../../core/capability/registry.ts';
import { parse } from '../../../core/protocol/parse.ts';
import { must, registryOf } from '../validator.ts';
import { definitions } from '../vectors.ts';

const REGISTRY = registryOf(definitions('standard'));

export function capability(name: string): Capability {
  const found = REGISTRY.capabilities.get(name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

/** Returns a call that validation accepted: it runs the gates before authorization, step by step. */
const validated = remembered((name: string): Validated => {
  const proposal = must(parse('femtoclaw', { tool_call: { tool: name, args: {} } }));
  if (proposal.kind !== 'call') throw new Error('not a call');
  return must(checkArguments(must(bind(proposal, REGISTRY)), { issues: [] }));
});

export const grant = remembered(
  (name: string, terms: GrantTerms): Grant => makeGrant({ name, hash: capability(name).hash }, terms),
);

/** Remembers results by arguments. The laws call tens of thousands of times, and hashing equal terms would dominate. */
function remembered<A extends readonly unknown[], T>(make: (...given: A) => T): (...given: A) => T {
  const made = new Map<string, T>();
  return (...given) => {
    const key = JSON.stringify(given);
    const found = made.get(key) ?? make(...given);
    made.set(key, found);
    return found;
  };
}

/** Deviations from a plain, enabled, registered call at time 0 without an approval. */
export interface Facts {
  readonly enabled?: readonly string[];
  readonly registered?: boolean;
  readonly now?: number;
  readonly used?: readonly (readonly [grant: Grant, times: number])[];
  /** Times of earlier uses. */
  readonly times?: readonly (readonly [grant: Grant, recent: readonly number[]])[];
  readonly holds?: ReadonlyMap<string, boolean>;
  readonly args_hash?: string;
  readonly labels?: readonly Label[];
  readonly guarded?: boolean;
  readonly approved?: boolean;
}

export function decideOn(name: string, grants: readonly Grant[], facts: Facts = {}): Authorization {
  const {
    enabled = [name],
    registered = true,
    now = 0,
    used = [],
    times = [],
    holds = new Map(),
    args_hash = 'a'.repeat(64),
  } = facts;
  const { labels = [], guarded = true, approved = false } = facts;
  const policy = makePolicy(
    enabled.map((one) => capability(one).hash),
    grants,
    guarded,
  );
  const counted = new Map<string, GrantUse>([
    ...used.map(([{ id }, count]) => [id, { count, recent: [] }] as const),
    ...times.map(([{ id }, recent]) => [id, { count: recent.length, recent }] as const),
  ]);
  return authorize(validated(name), {
    policy,
    registered,
    now,
    used: counted,
    holds,
    args_hash,
    labels: new Set(labels),
    approved,
  });
}

export const codeIn = (authorization: Authorization): string | undefined =>
  'refused' in authorization ? authorization.refused.refusal.code : undefined;
