import { readsLike } from '../../core/capability/alike.ts';
import { EXPAND, SEARCH } from '../../core/capability/built-in-power.ts';
import type { Capability } from '../../core/capability/capability.ts';
import { type CapabilityDefinition, define } from '../../core/capability/define.ts';
import type { Grant, Policy } from '../../core/capability/grant.ts';
import { makeGrant, makePolicy, type Revocation } from '../../core/capability/policy.ts';
import {
  changingPower,
  makePower,
  makePowers,
  type Power,
  type PowerSet,
  type PowerTerms,
} from '../../core/capability/power.ts';
import { makeRegistry, type Registry } from '../../core/capability/registry.ts';
import { checkTerms } from '../../core/capability/terms.ts';
import { CONTENT_CAPABILITIES, CONTENT_READ } from '../../core/content/built-in.ts';
import { toolSymbol } from '../../core/content/symbols.ts';
import { refuse } from '../../core/errors.ts';
import { canonicalize } from '../../core/json/canonical.ts';
import { type Outcome, pass, type Refused } from '../../core/outcome.ts';
import type { Dialect } from '../../core/protocol/proposal.ts';
import { type Misuse, SallyportError } from '../../core/sallyport-error.ts';
import type { CapabilityRow, GrantOption } from '../api.ts';
import type { Ports } from '../ports.ts';
import { misuseRefusal, prepareSchema, prepareSubject } from '../sandbox/prepare-schemas.ts';

interface Snapshot {
  readonly registry: Registry;
  readonly policy: Policy;
  /** Absent where the page provides no powers. */
  readonly powers?: PowerSet;
}

/**
 * The registered definitions, the enabled capabilities and the grants. A run takes a snapshot of them when it starts.
 */
export interface Catalogue {
  register(definition: CapabilityDefinition, enable: boolean): Promise<Outcome<CapabilityRow>>;
  enable(name: string): Outcome<void>;
  /**
   * Binds the grant to the definition that has the name now; a later definition of the same name gets no grant from it.
   */
  grant(option: GrantOption): Promise<Outcome<Grant>>;
  grants(): readonly Grant[];
  /** Returns the permissions that active runs lose, as `disable` and `forget` do. */
  revoke(id: string): Revocation;
  disable(name: string): Outcome<Revocation>;
  /** Removes the name, its definition and its grants. */
  forget(name: string): Outcome<Revocation>;
  /** All revocations here that no later grant has restored. They also apply to a run that is resumed. */
  revoked(): Revocation;
  /** Adds a power of the page, for runs that start from now on. */
  provide(terms: PowerTerms): Promise<Outcome<Power>>;
  rows(): readonly CapabilityRow[];
  /**
   * Snapshot for a run in this dialect. READ and WRITE are operations of a message; in every other dialect they are not
   * calls.
   */
  snapshot(dialect: Dialect, guarded: boolean, authorizer?: string): Outcome<Snapshot>;
}

/** @param isSymbol whether a symbol of this name is defined: a capability cannot take its name. */
export function makeCatalogue(
  { schemas, sandbox }: Pick<Ports, 'schemas' | 'sandbox'>,
  isSymbol: (symbol: string) => Promise<Outcome<boolean>> = async () => pass(false),
): Catalogue {
  const capabilities = new Map<string, Capability>(CONTENT_CAPABILITIES.map((each) => [each.manifest.name, each]));
  const enabled = new Set<string>(CONTENT_CAPABILITIES.map(({ hash }) => hash));
  let grants: readonly Grant[] = [];
  const gone = { grants: new Set<string>(), capabilities: new Set<string>() };
  const powers = new Map<string, Power>();

  async function register(definition: CapabilityDefinition, enable: boolean): Promise<Outcome<CapabilityRow>> {
    const defined = define(definition);
    if (!defined.ok) return defined;
    const { hash, manifest } = defined.value;
    if (capabilities.has(manifest.name)) return refuse('capability_twice', { name: manifest.name });
    const symbol = toolSymbol(manifest.name);
    const [prepared, named] = await Promise.all([prepareSubject(schemas, defined.value), isSymbol(symbol)]);
    if (!prepared.ok) return prepared;
    if (!named.ok) return named;
    if (named.value) return refuse('symbol_twice', { symbol });
    const loaded = await sandbox.load({ hash, ...manifest }).catch(sourceRefused);
    if ('ok' in loaded) return loaded;
    // Another registration may have taken the name while the schemas were compiled.
    if (capabilities.has(manifest.name)) return refuse('capability_twice', { name: manifest.name });
    const changing = changingPower(manifest, [...powers.values()]);
    if (changing !== undefined) return changing;
    capabilities.set(manifest.name, defined.value);
    if (enable) turnOn(hash);
    return pass(row(defined.value));
  }

  async function grant(option: GrantOption): Promise<Outcome<Grant>> {
    const { capability: _capability, power: _power, ...given } = option;
    const terms = checkTerms(given);
    if (!terms.ok) return terms;
    const subject = subjectOf(option);
    if (!subject.ok) return subject;
    const { where } = terms.value;
    const json = canonicalize(where ?? {});
    if (!json.ok) return json;
    const prepared = where === undefined ? pass(undefined) : await prepareSchema(schemas, where);
    if (!prepared.ok) return prepared;
    const made = makeGrant({ name: subject.value.manifest.name, hash: subject.value.hash }, terms.value);
    gone.grants.delete(made.id);
    grants = [...grants, made];
    return pass(made);
  }

  /** Subject of a grant: a capability or a power. A grant for a capability never covers a power of the same name. */
  function subjectOf({ capability = '', power }: GrantOption): Outcome<Capability | Power> {
    if (power !== undefined && capability !== '')
      return refuse('option_invalid', { name: 'power' }, { pointer: '/power' });
    if (power === undefined) {
      const registered = capabilities.get(capability);
      return registered === undefined ? refuse('unknown_capability', { name: capability }) : pass(registered);
    }
    const provided = powers.get(power);
    return provided === undefined ? refuse('power_unknown', { name: power }) : pass(provided);
  }

  async function provide(terms: PowerTerms): Promise<Outcome<Power>> {
    const made = makePower(terms);
    if (!made.ok) return made;
    const prepared = await prepareSubject(schemas, made.value);
    if (!prepared.ok) return prepared;
    const all = makePowers([...powers.values(), made.value]);
    if (!all.ok) return all;
    for (const { manifest } of capabilities.values()) {
      const changing = changingPower(manifest, [made.value]);
      if (changing !== undefined) return changing;
    }
    powers.set(made.value.manifest.name, made.value);
    return made;
  }

  function enable(name: string): Outcome<void> {
    const capability = capabilities.get(name);
    if (capability === undefined) return refuse('unknown_capability', { name });
    turnOn(capability.hash);
    return pass(undefined);
  }

  function turnOn(hash: string): void {
    enabled.add(hash);
    gone.capabilities.delete(hash);
  }

  function disable(name: string): Outcome<Revocation> {
    const capability = capabilities.get(name);
    if (capability === undefined) return refuse('unknown_capability', { name });
    enabled.delete(capability.hash);
    return pass(take({ grants: [], capabilities: [capability.hash] }));
  }

  function take(revocation: Revocation): Revocation {
    for (const id of revocation.grants) gone.grants.add(id);
    for (const hash of revocation.capabilities) gone.capabilities.add(hash);
    return revocation;
  }

  function forget(name: string): Outcome<Revocation> {
    const capability = capabilities.get(name);
    if (capability === undefined || CONTENT_CAPABILITIES.includes(capability))
      return refuse('unknown_capability', { name });
    capabilities.delete(name);
    enabled.delete(capability.hash);
    const held = grants.filter(({ capability_hash }) => capability_hash === capability.hash);
    grants = grants.filter((each) => !held.includes(each));
    return pass(take({ grants: held.map(({ id }) => id), capabilities: [capability.hash] }));
  }

  function revoke(id: string): Revocation {
    grants = grants.filter((each) => each.id !== id);
    return take({ grants: [id], capabilities: [] });
  }

  function row({ hash, manifest }: Capability): CapabilityRow {
    const { name, version, description, effect, source, args, result } = manifest;
    const schemas = { args, ...(result === undefined ? {} : { result }) };
    const alike = [...capabilities.keys()].filter((other) => readsLike(name, other));
    const warned = alike.length === 0 ? {} : { alike };
    return { name, version, description, effect, hash, enabled: enabled.has(hash), source, ...schemas, ...warned };
  }

  function snapshot(dialect: Dialect, guarded: boolean, authorizer?: string): ReturnType<Catalogue['snapshot']> {
    const others = dialect === 'catalytic' ? [] : CONTENT_CAPABILITIES;
    const registry = makeRegistry([...capabilities.values()].filter((each) => !others.includes(each)));
    if (!registry.ok) return registry;
    // Capabilities that read content do so under the grants for READ, also in dialects without operations.
    const isRead = [...capabilities.values()].some(({ manifest }) => manifest.powers.some(readsContent));
    const apart = new Set(others.filter((each) => !isRead || each !== CONTENT_READ).map(({ hash }) => hash));
    const policy = makePolicy(
      [...enabled].filter((hash) => !apart.has(hash)),
      grants.filter((grant) => !apart.has(grant.capability_hash)),
      guarded,
      authorizer,
    );
    if (powers.size === 0) return pass({ registry: registry.value, policy });
    const set = makePowers([...powers.values()]);
    return set.ok ? pass({ registry: registry.value, policy, powers: set.value }) : set;
  }

  return {
    register,
    provide,
    enable,
    grant,
    grants: () => grants,
    revoke,
    disable,
    forget,
    revoked: () => ({ grants: [...gone.grants], capabilities: [...gone.capabilities] }),
    rows: () => [...capabilities.values()].map(row),
    snapshot,
  };
}

/** Refusal of a source that cannot be loaded. It is the author's mistake, unless no sandbox was available. */
function sourceRefused(error: unknown): Refused {
  if (!(error instanceof SallyportError) || NO_SANDBOX.has(error.code)) return misuseRefusal(error);
  const { code: cause, message, line, column } = error;
  return refuse('source_refused', {
    cause,
    reason: message,
    ...(line === undefined || column === undefined ? {} : { line, column }),
  });
}

const NO_SANDBOX: ReadonlySet<string> = new Set<Misuse>(['worker_failed', 'sandbox_closed']);

function readsContent(power: string): boolean {
  return power === EXPAND || power === SEARCH;
}
