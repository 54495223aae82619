import type { Capability } from '../../capability/capability.ts';
import { define } from '../../capability/define.ts';
import { ENGINE } from '../../capability/engine.ts';
import { canHold } from '../../capability/hold.ts';
import { makePolicy, type Policy } from '../../capability/policy.ts';
import { makePower, makePowers, type Power, type PowerSet } from '../../capability/power.ts';
import { makeRegistry, type Registry } from '../../capability/registry.ts';
import { refuse } from '../../errors.ts';
import { isHash } from '../../hash.ts';
import { canonicalText } from '../../json/canonical.ts';
import { decodeUtf8 } from '../../json/utf8.ts';
import type { JsonValue } from '../../json/value.ts';
import { arrayOf, isText, oneOf, optional, violation } from '../../ledger/form.ts';
import { isGrant } from '../../ledger/kinds/authority.ts';
import type { ConfigurationBody } from '../../ledger/kinds/run.ts';
import { isCanonical, parseJson } from '../../ledger/line.ts';
import type { PayloadRef } from '../../ledger/payload-ref.ts';
import { type Outcome, pass } from '../../outcome.ts';
import { DIALECT_VERSIONS, type Dialect } from '../../protocol/dialect.ts';
import { limitsHash, type RunFacts } from '../state.ts';

/** Finds the bytes that a record names; undefined if they are missing. */
export type FindPayload = (ref: PayloadRef) => Uint8Array | undefined;

/**
 * Restores the facts of a run from its first record and the payloads that it names. A part whose hash differs from the
 * recorded hash is refused with `facts_altered`, so that no decision uses facts of another run.
 */
export function restoreFacts(
  run_id: string,
  body: ConfigurationBody,
  find: FindPayload,
  precompiled: RunFacts['precompiled'],
): Outcome<RunFacts> {
  const registry = restoreRegistry(body, find);
  if (!registry.ok) return registry;
  const policy = restorePolicy(body, find);
  if (!policy.ok) return policy;
  const powers = restorePowers(body, find);
  if (!powers.ok) return powers;
  const dialect = (Object.keys(DIALECT_VERSIONS) as Dialect[]).find((name) => DIALECT_VERSIONS[name] === body.dialect);
  if (dialect === undefined) return altered('dialect');
  if (limitsHash(body) !== body.limits_hash) return altered('limits');
  if (body.engine.hash === ENGINE.hash && body.engine.name !== ENGINE.name) return altered('engine');
  const {
    limits,
    limits_hash,
    budgets,
    model,
    isolation,
    engine,
    remote,
    seed,
    heap_hash: heapHash,
    caller,
    principal,
    hold,
    holding,
    sources,
    labels,
    carried,
    beside,
    undoes,
  } = body;
  const given = { ...(remote === undefined ? {} : { remote }), ...(powers.value && { powers: powers.value }) };
  const session = {
    ...(caller && { caller }),
    ...(principal && { principal }),
    ...(labels && { labels }),
    ...(carried && { carried }),
    ...(beside && { beside }),
    ...(undoes && { undoes }),
  };
  const held = { ...(hold && { hold }), ...(holding && { holding }), ...(sources && { sources }) };
  const parts = {
    registry: registry.value,
    policy: policy.value,
    ...(powers.value && { powers: powers.value }),
    ...held,
  };
  if (canHold(parts) !== (holding === true)) return altered('holding');
  const asked = { ...(seed === undefined ? {} : { seed }), ...(heapHash && { heapHash }), ...session };
  const fixed = { limits, limits_hash, budgets, model, isolation, engine, ...given, ...held, ...asked };
  return pass({ run_id, dialect, registry: registry.value, policy: policy.value, precompiled, ...fixed });
}

export function restoreRegistry(body: ConfigurationBody, find: FindPayload): Outcome<Registry> {
  const manifests = json(body.registry, find, 'registry');
  if (!manifests.ok) return manifests;
  if (!Array.isArray(manifests.value)) return altered('registry');
  const capabilities: Capability[] = [];
  for (const manifest of manifests.value as readonly JsonValue[]) {
    const capability = define(manifest);
    if (!capability.ok) return capability;
    capabilities.push(capability.value);
  }
  const registry = makeRegistry(capabilities);
  return registry.ok && !isAsWritten(registry.value, manifests.value, body.registry_hash)
    ? altered('registry')
    : registry;
}

export function restorePowers(body: ConfigurationBody, find: FindPayload): Outcome<PowerSet | undefined> {
  if (body.powers === undefined) return pass(undefined);
  const manifests = json(body.powers, find, 'powers');
  if (!manifests.ok) return manifests;
  if (!Array.isArray(manifests.value)) return altered('powers');
  const powers: Power[] = [];
  for (const manifest of manifests.value as readonly JsonValue[]) {
    const power = makePower(manifest);
    if (!power.ok) return power;
    powers.push(power.value);
  }
  const set = makePowers(powers);
  return set.ok && !isAsWritten(set.value, manifests.value, body.powers_hash) ? altered('powers') : set;
}

export function restorePolicy(body: ConfigurationBody, find: FindPayload): Outcome<Policy> {
  const terms = json(body.policy, find, 'policy');
  if (!terms.ok) return terms;
  if (violation(terms.value, POLICY) !== undefined) return altered('policy');
  const { enabled, grants, guarded, authorizer } = terms.value as unknown as Policy & { enabled: readonly string[] };
  const policy = makePolicy(enabled, grants, guarded, authorizer);
  return isAsWritten(policy, terms.value, body.policy_hash) ? pass(policy) : altered('policy');
}

/**
 * True for facts that a run writes like this. A list with an entry twice, or in another order, makes the same facts and
 * the same hash, and is not as any run writes it.
 */
function isAsWritten(
  { hash, text }: { readonly hash: string; readonly text: string },
  value: JsonValue,
  said?: string,
) {
  return hash === said && text === canonicalText(value);
}

const POLICY = {
  enabled: arrayOf(isHash),
  grants: arrayOf(isGrant),
  guarded: oneOf(true, false),
  authorizer: optional(isText),
};

/**
 * Parses a stored payload. The proposal decoder does not fit here: a schema may hold doubles that the canonical form
 * writes as other integers.
 */
function json(ref: PayloadRef, find: FindPayload, what: string): Outcome<JsonValue> {
  const bytes = find(ref);
  if (bytes === undefined) return refuse('payload_missing', { sha256: ref.sha256 });
  const text = decodeUtf8(bytes) ?? '';
  const value = parseJson(text);
  return value !== undefined && isCanonical(value, text) ? pass(value) : altered(what);
}

function altered(what: string): ReturnType<typeof refuse> {
  return refuse('facts_altered', { what });
}
