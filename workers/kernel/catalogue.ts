import { isContentPower } from '../../core/capability/built-in-power.ts';
import type { Capability } from '../../core/capability/capability.ts';
import type { CapabilityDefinition } from '../../core/capability/define.ts';
import { checkTerms } from '../../core/capability/grant-terms.ts';
import { type Grant, makeGrant, makePolicy, type Policy, type Revocation } from '../../core/capability/policy.ts';
import { makePowers, type Power, type PowerSet, type PowerTerms } from '../../core/capability/power.ts';
import { makeRegistry, type Registry } from '../../core/capability/registry.ts';
import { CONTENT_CAPABILITIES, CONTENT_READ } from '../../core/content/built-in.ts';
import { canonicalize } from '../../core/json/canonical.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { Dialect } from '../../core/protocol/proposal.ts';
import { readsLike } from '../../core/text/lookalike.ts';
import type { CapabilityRow, GrantOption } from '../api.ts';
import type { Ports } from '../ports.ts';
import { prepareSchema } from '../sandbox/prepare-schemas.ts';
import { Definitions, type IsSymbol } from './definitions.ts';
import { Permissions } from './permissions.ts';

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
  register(definition: CapabilityDefinition, enable: boolean, isTool?: true): Promise<Outcome<CapabilityRow>>;
  enable(name: string): Outcome<void>;
  /**
   * Binds the grant to the definition that has the name now; a later definition of the same name gets no grant from it.
   */
  grant(option: GrantOption): Promise<Outcome<Grant>>;
  grants(): readonly Grant[];
  /** Returns the permissions that active runs lose, as `disable` and `forget` do. */
  revoke(id: string): Revocation;
  disable(name: string): Outcome<Revocation>;
  /** Disables the definition with this hash, also where its name now has another. */
  disableDefinition(hash: string): Revocation;
  /** Removes the name, its definition and its grants. */
  forget(name: string): Outcome<Revocation>;
  /** All revocations here that no later grant has restored. They also apply to a run that is resumed. */
  revoked(): Revocation;
  /** Adds a power of the page, for runs that start from now on. */
  provide(terms: PowerTerms): Promise<Outcome<Power>>;
  /** Removes a power of the page and its grants. */
  withdraw(name: string): Outcome<Revocation>;
  row(capability: Capability): CapabilityRow;
  /** The tool that has this name now. */
  tool(name: string): Capability | undefined;
  rows(): readonly CapabilityRow[];
  /**
   * Snapshot for a run in this dialect. READ and WRITE are operations of a message; in every other dialect they are not
   * calls. `unknown_capability` for an offered name that is not registered.
   */
  snapshot(dialect: Dialect, terms: SnapshotTerms): Outcome<Snapshot>;
}

interface SnapshotTerms {
  readonly guard: boolean;
  readonly authorizer?: string;
  /** Names of the capabilities to include; absent: all of them. */
  readonly offer?: readonly string[];
}

export function makeCatalogue(
  ports: Pick<Ports, 'schemas' | 'sandbox'>,
  isSymbol: IsSymbol = async () => pass(false),
): Catalogue {
  const definitions = new Definitions(ports, isSymbol);
  const permissions = new Permissions(CONTENT_CAPABILITIES);
  const row = (capability: Capability) => rowOf(capability, definitions, permissions);
  return {
    register: async (definition, enable, isTool) => {
      const registered = await definitions.register(definition, isTool);
      if (registered.ok && enable) permissions.enable(registered.value);
      return registered.ok ? pass(row(registered.value)) : registered;
    },
    provide: (terms) => definitions.provide(terms),
    enable: (name) => {
      const found = definitions.capability(name);
      return found.ok ? pass(permissions.enable(found.value)) : found;
    },
    grant: async (option) => {
      const grant = await grantOf(option, definitions, ports.schemas);
      return grant.ok ? pass(permissions.add(grant.value)) : grant;
    },
    grants: () => permissions.grants,
    revoke: (id) => permissions.revoke(id),
    disable: (name) => {
      const found = definitions.capability(name);
      return found.ok ? pass(permissions.disable(found.value)) : found;
    },
    disableDefinition: (hash) => permissions.disable({ hash }),
    forget: (name) => {
      const removed = definitions.remove(name);
      return removed.ok ? pass(permissions.forget(removed.value)) : removed;
    },
    revoked: () => permissions.revoked(),
    withdraw: (name) => {
      const removed = definitions.removePower(name);
      return removed.ok ? pass(permissions.forget(removed.value)) : removed;
    },
    tool: (name) => {
      const found = definitions.capabilities.get(name);
      return found?.manifest.host === undefined ? undefined : found;
    },
    row,
    rows: () => [...definitions.capabilities.values()].map(row),
    snapshot: (...terms) => snapshotOf(definitions, permissions, ...terms),
  };
}

/** Makes a grant for the definition that has the name now, once its narrowing schema is compiled. */
async function grantOf(
  option: GrantOption,
  definitions: Definitions,
  schemas: Ports['schemas'],
): Promise<Outcome<Grant>> {
  const { capability: _capability, power: _power, ...given } = option;
  const terms = checkTerms(given);
  if (!terms.ok) return terms;
  const subject = definitions.subjectOf(option);
  if (!subject.ok) return subject;
  const { where } = terms.value;
  const json = canonicalize(where ?? {});
  if (!json.ok) return json;
  const prepared = where === undefined ? pass(undefined) : await prepareSchema(schemas, where);
  if (!prepared.ok) return prepared;
  const { hash, manifest } = subject.value;
  return pass(makeGrant({ name: manifest.name, hash }, terms.value));
}

function rowOf({ hash, manifest }: Capability, { capabilities }: Definitions, permissions: Permissions): CapabilityRow {
  const { name, version, description, effect, source, args, result, host, labels = [] } = manifest;
  const alike = [...capabilities.keys()].filter((other) => readsLike(name, other));
  return {
    name,
    version,
    description,
    effect,
    hash,
    enabled: permissions.enabled.has(hash),
    source,
    args,
    labels,
    ...(result !== undefined && { result }),
    ...(host !== undefined && { host }),
    ...(alike.length > 0 && { alike }),
  };
}

function snapshotOf(
  definitions: Definitions,
  permissions: Permissions,
  dialect: Dialect,
  { guard, authorizer, offer }: SnapshotTerms,
): Outcome<Snapshot> {
  const offered = offeredBy(definitions, offer);
  if (!offered.ok) return offered;
  const { capabilities, powers } = definitions;
  const others = dialect === 'catalytic' ? [] : CONTENT_CAPABILITIES;
  const included = new Set(offered.value.filter((each) => !others.includes(each)));
  const registry = makeRegistry([...included]);
  if (!registry.ok) return registry;
  // Capabilities that read content do so under the grants for READ, also where READ is no operation of the run.
  const isRead = offered.value.some(({ manifest }) => manifest.powers.some(isContentPower));
  const left = [...capabilities.values()].filter((each) => !included.has(each) && !(isRead && each === CONTENT_READ));
  const apart = new Set(left.map(({ hash }) => hash));
  const policy = makePolicy(
    [...permissions.enabled].filter((hash) => !apart.has(hash)),
    permissions.grants.filter((grant) => !apart.has(grant.capability_hash)),
    guard,
    authorizer,
  );
  if (powers.size === 0) return pass({ registry: registry.value, policy });
  const set = makePowers([...powers.values()]);
  return set.ok ? pass({ registry: registry.value, policy, powers: set.value }) : set;
}

function offeredBy(definitions: Definitions, offer: readonly string[] | undefined): Outcome<readonly Capability[]> {
  if (offer === undefined) return pass([...definitions.capabilities.values()]);
  const found = offer.map((name) => definitions.capability(name));
  const absent = found.find((each) => !each.ok);
  return absent ?? pass([...new Set(found.flatMap((each) => (each.ok ? each.value : [])))]);
}
