import { refuse } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import { encodeText } from '../json/utf8.ts';
import { isList, isObject, isPointer, type JsonObject, type JsonValue, pointerTo, tokensIn } from '../json/value.ts';
import { type Outcome, pass, type Refused } from '../outcome.ts';
import { HANDLE, widened } from '../schema/widen.ts';
import { isContentPower, isStorePower, QUARANTINE_ASK } from './built-in-power.ts';
import type { Capability } from './capability.ts';
import { argsWithValues } from './code-tool.ts';
import { STORE_SOURCE, schemaHash } from './define.ts';
import { type Held, type Hold, joined, LABELS, type Label, withLabels } from './guard.ts';
import { HELD_READ } from './held-read.ts';
import type { Grant, Policy } from './policy.ts';
import type { PowerSet } from './power.ts';
import type { Registry } from './registry.ts';

/** A held outcome, as later steps know it. The values stand in the ledger alone. */
export interface HeldOutcome {
  /** Labels of all that may have come into the outcome: public, and at their worst. */
  readonly labels: readonly Label[];
  /** Where its data may have come from, sorted. */
  readonly sources: readonly string[];
  /** The steps whose values it was given, sorted. */
  readonly steps: readonly number[];
}

export { handleOf, stepIn } from './handle.ts';

/** True for the call that reads a held outcome: its own arguments are never resolved, and it does not hold. */
export function isReading({ hash }: Capability): boolean {
  return hash === HELD_READ.hash;
}

interface ArgsSchemas {
  /** Every place may also be a handle: for the arguments as they are written. */
  readonly wide: HashedSchema;
  /** For the arguments with their values. */
  readonly own: HashedSchema;
}

interface HashedSchema {
  readonly schema: JsonObject;
  readonly hash: string;
}

const known = new WeakMap<Capability, ArgsSchemas>();

/** The schemas of a capability's arguments in a run that can hold: a code tool also takes values for its program. */
function argsSchemas(capability: Capability): ArgsSchemas {
  const before = known.get(capability);
  if (before !== undefined) return before;
  const { manifest, schemas } = capability;
  const valued = argsWithValues(manifest);
  const own = valued === undefined ? { schema: manifest.args, hash: schemas.args } : hashed(valued);
  // a call that reads takes a handle, and never its value
  const made = { own, wide: isReading(capability) ? own : hashed(widened(own.schema)) };
  known.set(capability, made);
  return made;
}

function hashed(schema: JsonObject): HashedSchema {
  return { schema, hash: schemaHash(schema) };
}

/** The schema of a capability's arguments in which every place may also be a handle. */
export function wideArgs(capability: Capability): HashedSchema {
  return argsSchemas(capability).wide;
}

/** The schema of a capability's arguments with their values. */
export function ownArgs({ holding }: Pick<HoldFacts['facts'], 'holding'>, capability: Capability): HashedSchema {
  return holding ? argsSchemas(capability).own : { schema: capability.manifest.args, hash: capability.schemas.args };
}

/** A place of arguments at which a handle stands. */
export interface PlacedHandle {
  readonly handle: string;
  /** JSON pointer into the value. */
  readonly at: string;
  /** JSON pointer of the place in the arguments. */
  readonly pointer: string;
}

const FORM = new RegExp(HANDLE);

/** The handles of arguments, in their order. `held_form` for an object with the member `$held` that is no handle. */
export function handlesIn(args: JsonValue, pointer = ''): Outcome<readonly PlacedHandle[]> {
  const found: PlacedHandle[] = [];
  const fault = collect(args, pointer, found);
  return fault ?? pass(found);
}

function collect(value: JsonValue, pointer: string, found: PlacedHandle[]): Refused | undefined {
  if (isList(value)) return first(value.entries(), ([at, each]) => collect(each, pointerTo(pointer, at), found));
  if (!isObject(value)) return undefined;
  if (!Object.hasOwn(value, '$held'))
    return first(Object.entries(value), ([name, each]) => collect(each, pointerTo(pointer, name), found));
  const { $held: handle = null, at = '', ...others } = value;
  const [stray] = Object.keys(others);
  const wrong = (reason: string) => refuse('held_form', { reason }, { step: 'arguments', pointer });
  if (stray !== undefined) return wrong(`a handle has no member ${stray}`);
  if (typeof handle !== 'string' || !FORM.test(handle)) return wrong('$held has to be a handle, for example "h12"');
  if (typeof at !== 'string' || !isPointer(at)) return wrong('at has to be a JSON pointer, for example "/0/subject"');
  found.push({ handle, at, pointer });
  return undefined;
}

function first<T>(items: Iterable<T>, check: (item: T) => Refused | undefined): Refused | undefined {
  for (const item of items) {
    const fault = check(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** A value behind a handle; undefined for an outcome without a value. */
export type ValueOf = (handle: string) => { readonly value: JsonValue } | undefined;

/**
 * The arguments with the values in the places of their handles. A value is data: what has the form of a handle inside of
 * it stays as it is. `held_failed`, `held_beyond`, `held_large` where what is placed has more than `limit` UTF-8 bytes.
 */
export function withValues(
  args: JsonObject,
  handles: readonly PlacedHandle[],
  valueOf: ValueOf,
  limit: number,
): Outcome<JsonObject> {
  const values = new Map<string, JsonValue>();
  const sizes = new Map<JsonValue, number>();
  let used = 0;
  for (const { handle, at, pointer } of handles) {
    const found = valueOf(handle);
    if (found === undefined) return refuse('held_failed', { handle }, { step: 'authorize', pointer });
    const value = valueAt(found.value, at);
    if (value === undefined) return refuse('held_beyond', { handle, at }, { step: 'authorize', pointer });
    const size = sizes.get(value) ?? encodeText(canonicalText(value)).length;
    sizes.set(value, size);
    used += size;
    if (used > limit) return refuse('held_large', { limit, used }, { step: 'authorize' });
    values.set(pointer, value);
  }
  const placed = place(args, '', values);
  return isObject(placed)
    ? pass(placed)
    : refuse('held_beyond', { handle: handles[0]?.handle ?? '', at: '' }, AUTHORIZE);
}

const AUTHORIZE = { step: 'authorize' } as const;

function place(value: JsonValue, pointer: string, values: ReadonlyMap<string, JsonValue>): JsonValue {
  const given = values.get(pointer);
  if (given !== undefined) return given;
  if (isList(value)) return value.map((each, at) => place(each, pointerTo(pointer, at), values));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, place(each, pointerTo(pointer, name), values)]),
  );
}

/** The member of a value at a JSON pointer; undefined where the value has nothing there. */
export function valueAt(value: JsonValue, at: string): JsonValue | undefined {
  return tokensIn(at).reduce<JsonValue | undefined>((inner, name) => {
    if (isList(inner)) return /^(?:0|[1-9][0-9]*)$/.test(name) ? inner[Number(name)] : undefined;
    return isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
  }, value);
}

/** A source that an earlier run has handed held values to. */
export interface EarlierSource {
  readonly source: string;
  /** Labels that what comes from it has at least, sorted. */
  readonly labels: readonly Label[];
  /** A store with values that a held call has put: each call that can reach it holds. */
  readonly held?: true;
}

/** Facts of a run by which it is known, before its intent, whether a call holds. No value takes part. */
export interface HoldFacts {
  readonly facts: {
    readonly registry: Registry;
    readonly powers?: PowerSet;
    readonly hold?: Hold;
    readonly holding?: true;
    readonly sources?: readonly EarlierSource[];
  };
  readonly policy: Policy;
  /** Labels of the held values that a source was handed, by the source. */
  readonly handed: ReadonlyMap<string, readonly Label[]>;
  /** Capabilities that were called with held values, by their hashes. */
  readonly ranHeld: ReadonlySet<string>;
}

/** A use that may hold: the capability, and whether its arguments have handles. */
export interface HoldSubject {
  readonly capability: Capability;
  readonly hasHandles: boolean;
  /** The grants that permit it; absent: all grants of its definition. */
  readonly live?: readonly Grant[];
}

/** Decides whether a call is held from its intent on. */
export function holds(known: HoldFacts, { capability, hasHandles, live }: HoldSubject): boolean {
  const { facts, policy, handed, ranHeld } = known;
  if (facts.holding !== true || isReading(capability)) return false;
  if (hasHandles || ranHeld.has(capability.hash)) return true;
  const { hash, manifest } = capability;
  const grants = live ?? grantsOf(policy, hash);
  const labels = declaredLabels(known, capability);
  // what is let out bit by bit is held where no bits are left
  if (grants.some(({ release }) => release !== undefined)) return true;
  if (isHeld([manifest.held, ...grants.map(({ held }) => held)], facts.hold, labels)) return true;
  if (manifest.host !== undefined) return handed.has(sourceOf(manifest.name, manifest.host.origin));
  return heldUses(known, capability).size > 0;
}

/** The tools and powers of a capability whose results hold, by their hashes. */
export function heldUses(
  known: Pick<HoldFacts, 'facts' | 'policy' | 'handed'>,
  capability: Capability,
): ReadonlySet<string> {
  const { facts, policy, handed } = known;
  const own = innerOf(known, capability).filter(
    (each) =>
      isHeld([each.held, ...grantsOf(policy, each.hash).map(({ held }) => held)], facts.hold, each.labels) ||
      handed.has(each.source) ||
      earlier(known, each.source)?.held === true,
  );
  return new Set(own.map(({ hash }) => hash));
}

function grantsOf({ grants }: Policy, hash: string): readonly Grant[] {
  return grants.filter(({ capability_hash, mode }) => capability_hash === hash && mode !== 'deny');
}

function isHeld(terms: readonly (Held | undefined)[], hold: Hold | undefined, labels: readonly Label[]): boolean {
  if (hold === 'all') return true;
  return [...terms, hold].some((term) => term === true || (term !== undefined && labels.includes(term)));
}

/** What a capability may use while it runs: tools, and powers of the program. */
export interface InnerUse {
  readonly name: string;
  readonly hash: string;
  readonly held: Held | undefined;
  readonly labels: readonly Label[];
  readonly source: string;
  readonly echoes: boolean;
}

export function innerOf(
  { facts, policy }: Pick<HoldFacts, 'facts' | 'policy'>,
  { manifest }: Capability,
): readonly InnerUse[] {
  const tools = (manifest.tools ?? []).flatMap((name): readonly InnerUse[] => {
    const tool = facts.registry.capabilities.get(name);
    if (tool === undefined) return [];
    const { held, labels = [], host, echoes } = tool.manifest;
    return [{ name, hash: tool.hash, held, labels, source: sourceOf(name, host?.origin), echoes: echoes !== false }];
  });
  const powers = manifest.powers.flatMap((name): readonly InnerUse[] => {
    const power = facts.powers?.powers.get(name);
    if (power === undefined) return [];
    const { held, labels } = power.manifest;
    return [{ name, hash: power.hash, held, labels, source: powerSource(name), echoes: true }];
  });
  const content = manifest.powers.some(isContentPower) ? readsOf(policy) : [];
  return [...tools, ...powers, ...content, ...storeOf(manifest)];
}

/** The store of a capability's name. Earlier runs may have put anything: it gives data of every label. */
function storeOf({ name, powers }: Capability['manifest']): readonly InnerUse[] {
  if (!powers.some(isStorePower)) return [];
  const source = storeSource(name);
  return [{ name, hash: source, held: undefined, labels: LABELS, source, echoes: powers.includes('store.put') }];
}

/** The store that belongs to a capability's name, as a source. */
export function storeSource(name: string): string {
  return `${STORE_SOURCE}${name}`;
}

/** The capability's name whose store a source is; undefined for another source. */
export function storeIn(source: string): string | undefined {
  return source.startsWith(STORE_SOURCE) ? source.slice(STORE_SOURCE.length) : undefined;
}

/** True if a call can be given held values by its store, so that all that it sends may have come from there. */
export function hasHeldStore(known: Pick<HoldFacts, 'facts' | 'handed'>, { manifest }: Capability): boolean {
  return storeOf(manifest).some(({ source }) => known.handed.has(source) || earlier(known, source)?.held === true);
}

/** The sources from which the outcomes of these definitions can come, sorted. */
export function sourcesOf({ registry, powers }: Pick<HoldFacts['facts'], 'registry' | 'powers'>): readonly string[] {
  const all = [...registry.capabilities.values()].flatMap(({ manifest }) =>
    manifest.host === undefined
      ? storeOf(manifest).map(({ source }) => source)
      : [sourceOf(manifest.name, manifest.host.origin)],
  );
  const ofPowers = powers === undefined ? [] : [OWN_SOURCE, ...[...powers.powers.keys()].map(powerSource)];
  return [...new Set([...all, ...ofPowers])].sort();
}

function earlier({ facts }: Pick<HoldFacts, 'facts'>, source: string): EarlierSource | undefined {
  return facts.sources?.find((each) => each.source === source);
}

/** Labels that what comes from a source has at least: those of the held values that it was handed. */
function labelsFrom(known: Pick<HoldFacts, 'facts' | 'handed'>, source: string): readonly Label[] {
  const before = earlier(known, source)?.labels;
  const now = known.handed.get(source);
  return before === undefined || now === undefined ? (before ?? now ?? []) : joined(before, now);
}

/** Labels of what a call in the open can bring: those of its definition, and those that its source was handed. */
export function resultLabels(known: Pick<HoldFacts, 'facts' | 'handed'>, { manifest }: Capability): readonly Label[] {
  const { labels = [], host, name } = manifest;
  return host === undefined ? labels : joined(labels, labelsFrom(known, sourceOf(name, host.origin)));
}

/** Reads of content, as its grants say. */
function readsOf({ grants }: Policy): readonly InnerUse[] {
  return grants.flatMap(({ capability, capability_hash: hash, held }) =>
    capability === READ ? [{ name: READ, hash, held, labels: LABELS, source: READ, echoes: false }] : [],
  );
}

const READ = 'content.read';

/** Labels of what a tool or a power gives: its own, and those of the held values that its source was handed. */
export function givenLabels(
  known: Pick<HoldFacts, 'facts' | 'policy' | 'handed'>,
  capability: Capability,
  hash: string,
): readonly Label[] {
  const use = innerOf(known, capability).find((each) => each.hash === hash);
  return use === undefined ? [] : joined(use.labels, labelsFrom(known, use.source));
}

/** The tools and powers of the program itself are one source. */
const OWN_SOURCE = 'program';

/** The quarantined model tells nothing to the tools of the program, and so is a source of its own. */
function powerSource(name: string): string {
  return name === QUARANTINE_ASK ? name : OWN_SOURCE;
}

/** Where the data of a tool comes from, and its arguments go to. */
function sourceOf(_name: string, origin: string | undefined): string {
  return origin ?? OWN_SOURCE;
}

/** Labels of all that can come into the outcome of a call without handles, from these uses. */
export function declaredLabels(
  known: Pick<HoldFacts, 'facts' | 'policy' | 'handed'>,
  capability: Capability,
  inner: readonly InnerUse[] = innerOf(known, capability),
): readonly Label[] {
  const { manifest } = capability;
  const { labels = [], host } = manifest;
  const sources = host === undefined ? inner.map(({ source }) => source) : [sourceOf(manifest.name, host.origin)];
  const all = [...labels, ...inner.flatMap((each) => each.labels)];
  const given = sources.flatMap((source) => labelsFrom(known, source));
  return [...withLabels(new Set(), [...all, ...given])];
}

/** The same without what the store gives, whose own labels stand beside it. */
export function labelsBesideStore(
  known: Pick<HoldFacts, 'facts' | 'policy' | 'handed'>,
  capability: Capability,
): readonly Label[] {
  const own = storeSource(capability.manifest.name);
  const others = innerOf(known, capability).filter(({ source }) => source !== own);
  return declaredLabels(known, capability, others);
}

/** The sources of a call with held values that may answer with them later. */
export function echoingSources(known: Pick<HoldFacts, 'facts' | 'policy'>, capability: Capability): readonly string[] {
  const { manifest } = capability;
  if (manifest.host !== undefined)
    return manifest.echoes === false ? [] : [sourceOf(manifest.name, manifest.host.origin)];
  return [...new Set(innerOf(known, capability).flatMap(({ echoes, source }) => (echoes ? [source] : [])))];
}

/** True if something that is offered can hold: a definition, a power, a grant, the runtime or a store says so. */
export function canHold({
  registry,
  powers,
  policy,
  hold,
  sources,
}: Pick<HoldFacts['facts'], 'registry' | 'powers' | 'hold' | 'sources'> & Pick<HoldFacts, 'policy'>): boolean {
  return (
    hold !== undefined ||
    sources?.some(({ held }) => held === true) === true ||
    [...registry.capabilities.values()].some(({ manifest }) => manifest.held !== undefined) ||
    [...(powers?.powers.values() ?? [])].some(({ manifest }) => manifest.held !== undefined) ||
    policy.grants.some(({ held, release }) => held !== undefined || release !== undefined)
  );
}
