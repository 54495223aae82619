import { isContentPower } from '../../core/capability/built-in-power.ts';
import type { Capability } from '../../core/capability/capability.ts';
import { argsWithValues } from '../../core/capability/code-tool.ts';
import { type CapabilityDefinition, define } from '../../core/capability/define.ts';
import { type AuthorTerms, checkTerms } from '../../core/capability/grant-terms.ts';
import type { Hold } from '../../core/capability/guard.ts';
import { HELD_READ } from '../../core/capability/held-read.ts';
import { canHold } from '../../core/capability/hold.ts';
import { type Grant, makeGrant, makePolicy, type Policy, type Revocation } from '../../core/capability/policy.ts';
import {
  changingPower,
  makePower,
  makePowers,
  type Power,
  type PowerSet,
  type PowerTerms,
} from '../../core/capability/power.ts';
import { makeRegistry, type Registry } from '../../core/capability/registry.ts';
import { releaseFault } from '../../core/capability/release.ts';
import { revertOf } from '../../core/capability/revert.ts';
import { checkWatch, makeWatch, type Watch, type WatchOptions, watchId } from '../../core/capability/watch.ts';
import { CONTENT_CAPABILITIES, CONTENT_READ } from '../../core/content/built-in.ts';
import { toolSymbol } from '../../core/content/symbols.ts';
import { refuse } from '../../core/errors.ts';
import { canonicalize } from '../../core/json/canonical.ts';
import type { UndoneRun } from '../../core/ledger/kinds/run.ts';
import { type Outcome, pass, type Refused } from '../../core/outcome.ts';
import type { Dialect } from '../../core/protocol/dialect.ts';
import { hasPlace } from '../../core/schema/widen.ts';
import { readsLike } from '../../core/text/lookalike.ts';
import type { CapabilityRow, GrantOption } from '../api.ts';
import { makeSerialQueue } from '../async.ts';
import type { Ports } from '../ports.ts';
import { compileSubject, misuseRefusal, prepareSchema, prepareSubject } from '../sandbox/prepare-schemas.ts';
import { isSourceFault } from '../sandbox/sandbox-memory.ts';

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
  /** Adds the grants of a watch that begins at `now`. */
  watch(options: WatchOptions, now: number): Outcome<Watch>;
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
  /**
   * Snapshot for the run of an undo: the reverts of its calls and nothing else. Where the program has granted none, a
   * person is asked about each. `undo_impossible`
   */
  reverts(undone: UndoneRun, terms?: Pick<SnapshotTerms, 'guard' | 'authorizer'>): Outcome<Snapshot>;
}

interface SnapshotTerms {
  readonly guard: boolean;
  /** HMAC of the principal who asks. */
  readonly named?: string;
  readonly hold?: Hold;
  readonly authorizer?: string;
  /** Names of the capabilities to include; absent: all of them. */
  readonly offer?: readonly string[];
}

export function makeCatalogue(
  ports: Pick<Ports, 'schemas' | 'sandbox'>,
  isSymbol: IsSymbol = async () => pass(false),
  nameOf: NameOf = async (principal) => pass(principal),
): Catalogue {
  const definitions = new Definitions(ports, isSymbol);
  const permissions = new Permissions(BUILT_IN);
  const row = (capability: Capability) => rowOf(capability, definitions, permissions);
  return {
    register: async (definition, enable, isTool) => {
      const registered = await definitions.register(definition, isTool);
      if (registered.ok && enable) {
        permissions.enable(registered.value);
        permissions.restore(revertHashesOf(registered.value));
      }
      return registered.ok ? pass(row(registered.value)) : registered;
    },
    provide: (terms) => definitions.provide(terms),
    enable: (name) => {
      const found = definitions.capability(name);
      return found.ok ? pass(permissions.enable(found.value)) : found;
    },
    grant: async (option) => {
      const grant = await grantOf(option, definitions, ports.schemas, nameOf);
      return grant.ok ? pass(permissions.add(grant.value)) : grant;
    },
    watch: (options, now) => watchOf(options, now, definitions, permissions),
    grants: () => permissions.grants,
    revoke: (id) => permissions.revoke(id),
    disable: (name) => {
      const found = definitions.capability(name);
      return found.ok ? pass(permissions.disable(found.value)) : found;
    },
    disableDefinition: (hash) => permissions.disable({ hash }),
    forget: (name) => {
      const removed = definitions.remove(name);
      return removed.ok ? pass(permissions.forget(removed.value, revertHashesOf(removed.value))) : removed;
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
    // held.read is offered by runs that hold alone
    rows: () => [...definitions.capabilities.values()].flatMap((each) => (each === HELD_READ ? [] : row(each))),
    snapshot: (...terms) => snapshotOf(definitions, permissions, ...terms),
    reverts: (...terms) => revertsOf(definitions, permissions, ...terms),
  };
}

/** The HMAC of a principal. */
type NameOf = (principal: string) => Promise<Outcome<string>>;

/** The terms with their principals as records name them. */
async function namedTerms(terms: AuthorTerms, nameOf: NameOf): Promise<Outcome<AuthorTerms>> {
  if (terms.for === undefined) return pass(terms);
  const names: string[] = [];
  for (const principal of new Set(terms.for)) {
    const name = await nameOf(principal);
    if (!name.ok) return name;
    names.push(name.value);
  }
  return pass({ ...terms, for: names.sort() });
}

/** Makes a grant for the definition that has the name now, once its narrowing schema is compiled. */
async function grantOf(
  option: GrantOption,
  definitions: Definitions,
  schemas: Ports['schemas'],
  nameOf: NameOf,
): Promise<Outcome<Grant>> {
  const { capability: _capability, power: _power, revert: _revert, ...given } = option;
  const checked = checkTerms(given);
  const terms = checked.ok ? await namedTerms(checked.value, nameOf) : checked;
  if (!terms.ok) return terms;
  const subject = definitions.subjectOf(option);
  if (!subject.ok) return subject;
  const { where } = terms.value;
  const json = canonicalize(where ?? {});
  if (!json.ok) return json;
  const prepared = where === undefined ? pass(undefined) : await prepareSchema(schemas, where);
  if (!prepared.ok) return prepared;
  const { hash, manifest } = subject.value;
  // a code tool takes values by name in a run that can hold
  const args = ('source' in manifest ? argsWithValues(manifest) : undefined) ?? manifest.args;
  const stray = Object.keys(terms.value.accepts ?? {}).find((place) => !hasPlace(args, place));
  if (stray !== undefined) {
    const wants = `places of the arguments of ${manifest.name}; they have no ${stray}`;
    return refuse('option_invalid', { name: 'accepts', wants });
  }
  const unreleased = releaseFault(terms.value, subject.value);
  return unreleased ?? pass(makeGrant({ name: manifest.name, hash }, terms.value));
}

/** The watch of the definitions that are enabled. What is held is read by a grant of its own alone. */
function watchOf(given: WatchOptions, now: number, definitions: Definitions, permissions: Permissions): Outcome<Watch> {
  const options = checkWatch(given, now);
  if (!options.ok) return options;
  const named = offeredBy(definitions, options.value.capabilities);
  if (!named.ok) return named;
  const powers = options.value.capabilities === undefined ? [...definitions.powers.values()] : [];
  const enabled = named.value.filter((each) => each !== HELD_READ && permissions.enabled.has(each.hash));
  const subjects = [...enabled, ...powers].map(({ hash, manifest: { name, effect } }) => ({ name, hash, effect }));
  const watch = makeWatch(subjects, options.value);
  for (const grant of watch.grants) permissions.add(grant);
  return pass(watch);
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

/** True for a grant of this principal. Of a run that names none nobody knows who asks: a denial for some is for it, too. */
function isFor({ mode, for: principals }: Grant, named: string | undefined): boolean {
  if (principals === undefined) return true;
  return named === undefined ? mode === 'deny' : principals.includes(named);
}

function snapshotOf(
  definitions: Definitions,
  permissions: Permissions,
  dialect: Dialect,
  { guard, authorizer, offer, hold, named }: SnapshotTerms,
): Outcome<Snapshot> {
  const offered = offeredBy(definitions, offer);
  if (!offered.ok) return offered;
  const { capabilities, powers } = definitions;
  const others = dialect === 'catalytic' ? [] : CONTENT_CAPABILITIES;
  const included = new Set(offered.value.filter((each) => !others.includes(each)));
  // Capabilities that read content do so under the grants for READ, also where READ is no operation of the run.
  const isRead = offered.value.some(({ manifest }) => manifest.powers.some(isContentPower));
  const made = (given: ReadonlySet<Capability>): Outcome<Snapshot> => {
    const registry = makeRegistry([...given]);
    if (!registry.ok) return registry;
    const left = [...capabilities.values()].filter((each) => !given.has(each) && !(isRead && each === CONTENT_READ));
    const apart = new Set([...left.map(({ hash }) => hash), ...definitions.revertHashes()]);
    const grants = permissions.grants.filter((grant) => !apart.has(grant.capability_hash) && isFor(grant, named));
    const policy = makePolicy(
      [...permissions.enabled].filter((hash) => !apart.has(hash)),
      given.has(HELD_READ) ? [...grants, ...readingGrants(permissions)] : grants,
      guard,
      authorizer,
    );
    if (powers.size === 0) return pass({ registry: registry.value, policy });
    const set = makePowers([...powers.values()]);
    return set.ok ? pass({ registry: registry.value, policy, powers: set.value }) : set;
  };
  // what is held can be read on purpose; a run that holds nothing has nothing to read
  const isWanted = included.delete(HELD_READ);
  const plain = made(included);
  if (!plain.ok || !isWanted || !canHold({ ...plain.value, ...(hold && { hold }) })) return plain;
  return made(new Set([...included, HELD_READ]));
}

function revertsOf(
  { capabilities }: Definitions,
  permissions: Permissions,
  { calls }: UndoneRun,
  { guard, authorizer }: Pick<SnapshotTerms, 'guard' | 'authorizer'> = { guard: true },
): Outcome<Snapshot> {
  const reverts = new Map<string, Capability>();
  for (const { step, capability: name, capability_hash } of calls) {
    const tool = capabilities.get(name);
    const reason = tool === undefined ? 'gone' : tool.hash === capability_hash ? undefined : 'changed';
    if (tool === undefined || reason !== undefined)
      return refuse('undo_impossible', { barriers: [{ step, capability: name, reason: reason ?? 'gone' }] });
    const isSecret = calls.some((each) => each.capability_hash === capability_hash && each.secret);
    const revert = revertOf(tool, isSecret);
    if (!revert.ok) return revert;
    reverts.set(capability_hash, revert.value);
  }
  const registry = makeRegistry([...reverts.values()]);
  if (!registry.ok) return registry;
  const grants = [...reverts.values()].flatMap(({ hash, manifest: { name } }) => {
    // no principal asks for an undo
    const own = permissions.grants.filter((grant) => grant.capability_hash === hash && isFor(grant, undefined));
    return own.length > 0 ? own : [makeGrant({ name, hash }, { mode: 'ask' })];
  });
  const enabled = [...reverts.values()].map(({ hash }) => hash);
  return pass({ registry: registry.value, policy: makePolicy(enabled, grants, guard, authorizer) });
}

/** A person is asked about each read of a held value, where the program has written no grant for it. */
function readingGrants({ grants }: Permissions): readonly Grant[] {
  const { hash, manifest } = HELD_READ;
  if (grants.some(({ capability_hash }) => capability_hash === hash)) return [];
  return [makeGrant({ name: manifest.name, hash }, { mode: 'ask' })];
}

function offeredBy(definitions: Definitions, offer: readonly string[] | undefined): Outcome<readonly Capability[]> {
  if (offer === undefined) return pass([...definitions.capabilities.values()]);
  const found = offer.map((name) => definitions.capability(name));
  const absent = found.find((each) => !each.ok);
  return absent ?? pass([...new Set(found.flatMap((each) => (each.ok ? each.value : [])))]);
}

/** Says whether a symbol of this name is defined: a capability cannot take its name. */
type IsSymbol = (symbol: string) => Promise<Outcome<boolean>>;

/** Capabilities that are always registered. */
const BUILT_IN: readonly Capability[] = [...CONTENT_CAPABILITIES, HELD_READ];

/** The capabilities and the page's powers, by name. */
class Definitions {
  readonly capabilities: Map<string, Capability> = new Map(BUILT_IN.map((each) => [each.manifest.name, each]));
  readonly powers: Map<string, Power> = new Map();
  readonly #ports: Pick<Ports, 'schemas' | 'sandbox'>;
  readonly #isSymbol: IsSymbol;
  readonly #inTurn = makeSerialQueue();

  constructor(ports: Pick<Ports, 'schemas' | 'sandbox'>, isSymbol: IsSymbol) {
    this.#ports = ports;
    this.#isSymbol = isSymbol;
  }

  /**
   * Adds a capability after its schemas were judged and its source has run once. Its validators and its image are made
   * for its first call. A tool has no source. Capabilities that are registered together are added in the order of the
   * calls.
   */
  async register(definition: CapabilityDefinition, isTool = false): Promise<Outcome<Capability>> {
    const defined = define(definition);
    if (!defined.ok) return defined;
    if ((defined.value.manifest.host !== undefined) !== isTool)
      return refuse('definition_invalid', { reason: 'a tool is provided with its function' }, { pointer: '/host' });
    const taken = this.#taken(defined.value.manifest.name);
    if (taken !== undefined) return taken;
    const unready = this.#unready(defined.value);
    unready.catch(() => undefined);
    return this.#inTurn(async () => (await unready) ?? this.#add(defined));
  }

  #add(defined: Outcome<Capability> & { readonly ok: true }): Outcome<Capability> {
    const { manifest } = defined.value;
    // Another registration may have taken the name while the schemas were judged.
    const late = this.#taken(manifest.name) ?? changingPower(manifest, [...this.powers.values()]);
    if (late !== undefined) return late;
    this.capabilities.set(manifest.name, defined.value);
    return defined;
  }

  #taken(name: string): Refused | undefined {
    return this.capabilities.has(name) ? refuse('capability_twice', { name }) : undefined;
  }

  /** Refusal of a capability whose schemas, symbol or source do not permit its registration. */
  async #unready(capability: Capability): Promise<Refused | undefined> {
    const { hash, manifest } = capability;
    const symbol = toolSymbol(manifest.name);
    const { schemas, sandbox } = this.#ports;
    const [prepared, named] = await Promise.all([prepareSubject(schemas, capability), this.#isSymbol(symbol)]);
    if (!prepared.ok) return prepared;
    if (!named.ok) return named;
    if (named.value) return refuse('symbol_twice', { symbol });
    if (manifest.host !== undefined) return undefined;
    return sandbox.check({ hash, ...manifest }).then(() => undefined, sourceRefused);
  }

  /** Adds a power, with its validators. No registered capability may understate the power's effect. */
  async provide(terms: PowerTerms): Promise<Outcome<Power>> {
    const made = makePower(terms);
    if (!made.ok) return made;
    const prepared = await prepareSubject(this.#ports.schemas, made.value);
    const compiled = prepared.ok ? await compileSubject(this.#ports.schemas, made.value) : prepared;
    if (!compiled.ok) return compiled;
    const all = makePowers([...this.powers.values(), made.value]);
    if (!all.ok) return all;
    for (const { manifest } of this.capabilities.values()) {
      const changing = changingPower(manifest, [made.value]);
      if (changing !== undefined) return changing;
    }
    this.powers.set(made.value.manifest.name, made.value);
    return made;
  }

  capability(name: string): Outcome<Capability> {
    const registered = this.capabilities.get(name);
    return registered === undefined ? refuse('unknown_capability', { name }) : pass(registered);
  }

  /** Subject of a grant: a capability, a power, or the revert of a tool. A grant for one never covers another. */
  subjectOf({ capability = '', power, revert }: GrantOption): Outcome<Capability | Power> {
    if (revert !== undefined) {
      if (capability !== '' || power !== undefined)
        return refuse('option_invalid', { name: 'revert' }, { pointer: '/revert' });
      const tool = this.capability(revert);
      if (tool.ok && tool.value.manifest.host?.revert === undefined)
        return refuse('option_invalid', { name: 'revert', wants: 'a tool with a revert' }, { pointer: '/revert' });
      return tool.ok ? revertOf(tool.value) : tool;
    }
    if (power === undefined) return this.capability(capability);
    if (capability !== '') return refuse('option_invalid', { name: 'power' }, { pointer: '/power' });
    const provided = this.powers.get(power);
    return provided === undefined ? refuse('power_unknown', { name: power }) : pass(provided);
  }

  /** Hashes of the definitions that take calls back. */
  revertHashes(): readonly string[] {
    return [...this.capabilities.values()].flatMap(revertHashesOf);
  }

  removePower(name: string): Outcome<Power> {
    const provided = this.powers.get(name);
    if (provided === undefined) return refuse('power_unknown', { name });
    this.powers.delete(name);
    return pass(provided);
  }

  /** Removes a capability; the content capabilities stay. */
  remove(name: string): Outcome<Capability> {
    const found = this.capability(name);
    if (!found.ok) return found;
    if (BUILT_IN.includes(found.value)) return refuse('unknown_capability', { name });
    this.capabilities.delete(name);
    return found;
  }
}

/** Hashes under which a tool's calls are taken back. */
export function revertHashesOf(tool: Capability): readonly string[] {
  if (tool.manifest.host?.revert === undefined) return [];
  return [revertOf(tool), revertOf(tool, true)].flatMap((made) => (made.ok ? made.value.hash : []));
}

/** Refusal of a source that cannot be loaded. It is the author's mistake, unless no sandbox was available. */
function sourceRefused(error: unknown): Refused {
  if (!isSourceFault(error)) return misuseRefusal(error);
  const { code: cause, message, line, column } = error;
  return refuse('source_refused', {
    cause,
    reason: message,
    ...(line !== undefined && column !== undefined && { line, column }),
  });
}

/** The enabled capabilities, the grants, and the permissions that were revoked since this kernel began. */
class Permissions {
  /** Hashes of the enabled capabilities. */
  readonly enabled: Set<string>;
  grants: readonly Grant[] = [];
  readonly #revokedGrants = new Set<string>();
  readonly #revokedCapabilities = new Set<string>();

  constructor(enabled: readonly Capability[]) {
    this.enabled = new Set(enabled.map(({ hash }) => hash));
  }

  enable({ hash }: Capability): void {
    this.enabled.add(hash);
    this.#revokedCapabilities.delete(hash);
  }

  disable({ hash }: Pick<Capability, 'hash'>): Revocation {
    this.enabled.delete(hash);
    return this.#revoke({ grants: [], capabilities: [hash] });
  }

  add(grant: Grant): Grant {
    this.#revokedGrants.delete(grant.id);
    // a watch that goes on has its grants once
    const isKnown = grant.watch !== undefined && this.grants.some(({ id }) => id === grant.id);
    this.grants = isKnown ? this.grants : [...this.grants, grant];
    return grant;
  }

  /** Revokes a grant, or all grants of a watch. */
  revoke(id: string): Revocation {
    const watched = this.grants.flatMap((each) => (watchId(each) === id ? [each.id] : []));
    const ids = [id, ...watched];
    this.grants = this.grants.filter((each) => !ids.includes(each.id));
    return this.#revoke({ grants: ids, capabilities: [] });
  }

  /** Disables a capability with its revert, or withdraws a power, and revokes the grants. */
  forget({ hash }: Pick<Capability, 'hash'>, reverts: readonly string[] = []): Revocation {
    const all = [hash, ...reverts];
    this.enabled.delete(hash);
    const held = this.grants.filter(({ capability_hash }) => all.includes(capability_hash));
    this.grants = this.grants.filter((each) => !held.includes(each));
    return this.#revoke({ grants: held.map(({ id }) => id), capabilities: all });
  }

  /** The revert of a tool that is provided again is not revoked any more. */
  restore(hashes: readonly string[]): void {
    for (const hash of hashes) this.#revokedCapabilities.delete(hash);
  }

  /** All revocations that no later grant or `enable` has restored. */
  revoked(): Revocation {
    return { grants: [...this.#revokedGrants], capabilities: [...this.#revokedCapabilities] };
  }

  #revoke(revocation: Revocation): Revocation {
    for (const id of revocation.grants) this.#revokedGrants.add(id);
    for (const hash of revocation.capabilities) this.#revokedCapabilities.add(hash);
    return revocation;
  }
}
