import { isStorePower } from '../capability/built-in-power.ts';
import type { Capability } from '../capability/capability.ts';
import { type GrantUse, type GrantUses, NO_USE } from '../capability/grant-terms.ts';
import { joined, type Label, type LabelledPlace } from '../capability/guard.ts';
import {
  declaredLabels,
  echoingSources,
  givenLabels,
  type HeldOutcome,
  handleOf,
  hasHeldStore,
  heldUses,
  type InnerUse,
  innerOf,
  isReading,
  type PlacedHandle,
  stepIn,
  storeIn,
  valueAt,
} from '../capability/hold.ts';
import type { Grant } from '../capability/policy.ts';
import type { Bound } from '../capability/registry.ts';
import { type Charges, isOpen, NO_RELEASE, type ReleasedCall } from '../capability/release.ts';
import { refuse } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { HeldEvidence } from '../ledger/kinds/evidence.ts';
import { parseJson } from '../ledger/line.ts';
import { unsalted } from '../ledger/payload-ref.ts';
import { GRANT_LIMITS } from '../limits.ts';
import type { Refusal } from '../outcome.ts';
import type { StepEnding } from './commit/records.ts';
import { keptLabels, labelRows, sourceRows } from './commit/storage.ts';
import type { Payload } from './effect.ts';
import type { StoredRow } from './event.ts';
import type { HeldMessage, HeldStep, OpenStep, Plan, Work } from './open-step.ts';
import { resultPayload, stepPayload } from './payload.ts';
import type { Executing, KnownOutcome, RunState } from './state.ts';

/** The step of a call that holds, from here on. `handles`: of its arguments; with a release also where it has none. */
export function heldStep(
  state: RunState,
  open: OpenStep,
  capability: Capability,
  handles?: readonly PlacedHandle[],
  release?: ReleasedCall,
): OpenStep {
  const held: HeldStep = {
    by: handles === undefined ? 'outcome' : 'handles',
    capability,
    outcome: outcomeOf(state, [capability], handles),
    places: placesFor(state, handles),
    raised: raisedIn(state, handles),
    sources: sourcesIn(state, handles),
    ...(release && { release }),
  };
  return { ...open, held };
}

/** The run with the bits of a release counted. */
export function withBits<S extends Pick<RunState, 'released'>>(
  state: S,
  release: ReleasedCall | undefined,
  charges: Charges | undefined,
): S {
  if (release === undefined) return state;
  const released = new Map(state.released);
  for (const grant of release.grants) {
    const { before = 0 } = charges?.grants.find((each) => each.grant === grant) ?? {};
    released.set(grant, { own: (released.get(grant)?.own ?? 0) + release.bits, all: before + release.bits });
  }
  return { ...state, released };
}

/** What may come into the outcome of these calls, with these handles in their arguments. */
function outcomeOf(
  state: RunState,
  capabilities: readonly Capability[],
  handles: readonly PlacedHandle[] = [],
): HeldOutcome {
  const given = handles.flatMap(({ handle }) => {
    const known = state.held.get(handle);
    return known === undefined ? [] : [{ step: stepIn(handle), ...known }];
  });
  const declared = capabilities.map((each) => declaredLabels(state, each));
  const names = capabilities.flatMap((each) => [each.manifest.name, ...usedNames(state, each)]);
  return {
    labels: joined(...declared, ...given.map((each) => each.labels)),
    sources: sorted([...names, ...given.flatMap((each) => each.sources)]),
    steps: [...new Set(given.flatMap((each) => [each.step, ...each.steps]))].sort((a, b) => a - b),
  };
}

/**
 * Labels that the answers behind handles said of themselves. Once a source was handed values, any of them may come back in
 * any outcome.
 */
function raisedIn({ held, handed }: RunState, handles: readonly PlacedHandle[] = []): readonly Label[] {
  const known = handed.size > 0 ? [...held.values()] : handles.flatMap(({ handle }) => held.get(handle) ?? []);
  return joined(...known.map(({ raised = [] }) => raised));
}

/** All labels of a held outcome: for decisions that are held, too, and for a person. */
function allLabels({ labels = [], raised = [] }: Partial<KnownOutcome> = {}): readonly Label[] {
  return raised.length === 0 ? labels : joined(labels, raised);
}

/** Where the values of handles may have come from, sorted. */
function sourcesIn({ held }: RunState, handles: readonly PlacedHandle[] = []): readonly string[] {
  return sorted(handles.flatMap(({ handle }) => held.get(handle)?.sources ?? []));
}

/** The places of handles in the arguments of a call, with the labels of what they carry. */
function placesFor(state: RunState, handles: readonly PlacedHandle[] = []): readonly LabelledPlace[] {
  return handles.flatMap(({ handle, pointer }) => {
    const labels = allLabels(state.held.get(handle));
    // in the place of all arguments a value decides which of them there are
    return pointer === ''
      ? [
          { pointer, labels, handle },
          { pointer: '/', labels },
        ]
      : [{ pointer, labels, handle }];
  });
}

/** The handles of a call with their places in its arguments, instead of in the message. */
export function ownHandles({ validated: { call }, handles = [] }: CallAsWritten): readonly PlacedHandle[] {
  return handles.map((each) => ({ ...each, pointer: each.pointer.slice(call.at.args.length) }));
}

interface CallAsWritten {
  readonly validated: Pick<Bound, 'call'>;
  readonly handles?: readonly PlacedHandle[];
}

/** The message that is held from this operation on. With handles in it, all of it is decided by held values. */
export function heldWork(state: RunState, open: OpenStep, work: Work, from: number, by: HeldStep['by']): OpenStep {
  const capabilities = work.plans.map(({ validated }) => validated.capability);
  const handles = work.plans.flatMap((plan) => plan.handles ?? []);
  const before = { labels: work.labels, bytes: work.spent.bytes };
  return heldMessage(state, open, { capabilities, handles, by, from, ...before });
}

interface MessageParts extends Pick<HeldMessage, 'from' | 'labels' | 'bytes'> {
  readonly by: HeldStep['by'];
  /** Of all operations. */
  readonly capabilities: readonly Capability[];
  readonly handles: readonly PlacedHandle[];
}

/** The step of a message that is held, made of these parts. */
export function heldMessage(
  state: RunState,
  open: OpenStep,
  { by, capabilities, handles, from, labels, bytes }: MessageParts,
): OpenStep {
  const held = capabilities.slice(from);
  const [capability] = held;
  if (capability === undefined) return open;
  const used = by === 'handles' ? { used: state.used } : {};
  const message: HeldMessage = { from, labels, bytes, capabilities: held, ...used };
  const sources = sourcesIn(state, handles);
  const places = placesFor(state, handles);
  const raised = raisedIn(state, handles);
  const outcome = outcomeOf(state, held, handles);
  return { ...open, held: { by, capability, outcome, places, raised, sources, message } };
}

/**
 * The places of held values in a call: in its arguments, and in a message that it is made at all. An operation is made
 * only if the values of the others fit, and the held ones before it have succeeded.
 */
export function placesOf(
  state: RunState,
  { held, work }: OpenStep,
  operation: number = work?.permits.length ?? 0,
): readonly LabelledPlace[] {
  if (work === undefined || state.facts.holding !== true) return held?.places ?? [];
  const plan = work.plans[operation];
  const others = work.plans.flatMap((each) => (each === plan ? [] : (each.handles ?? [])));
  const before = work.permits.slice(0, operation).filter(({ holds }) => holds === true);
  const labels = joined(
    ...others.map(({ handle }) => allLabels(state.held.get(handle))),
    ...work.done.map(({ evidence }) => evidence.answer_labels ?? []),
    ...before.map(({ charged }) => declaredLabels(state, charged.capability)),
  );
  const own = plan === undefined ? [] : placesFor(state, ownHandles(plan));
  // an answer to its question is about held values, also where the values of the others have no labels
  return labels.length === 0 && others.length === 0 ? own : [{ pointer: '', labels }, ...own];
}

/** Labels of the values that the running call was given by handles; undefined for a call without handles. */
function givenByHandles(state: RunState, { held, work }: OpenStep): readonly Label[] | undefined {
  if (work === undefined)
    // a release may have none
    return held?.by === 'handles' && held.places.length > 0
      ? joined(...held.places.map(({ labels }) => labels))
      : undefined;
  const handles = work.plans[work.done.length]?.handles;
  return handles && joined(...placesFor(state, handles).map(({ labels }) => labels));
}

/** Arguments with the values of their handles, of a call or of an operation of a message. */
export function resolvedPayload(open: OpenStep, operation: number | undefined, argsText: string): Payload {
  return stepPayload(open, operation === undefined ? 'resolved args' : `resolved args ${operation}`, argsText);
}

/** What a call reads on purpose: the outcome behind its handle, as text of its arguments, and what took part in it. */
export function readingOf(
  { held }: Pick<RunState, 'held'>,
  { handles = [] }: Pick<Plan, 'handles'>,
  bytes: ReadonlyMap<string, Uint8Array>,
): { readonly outcome: NonNullable<OpenStep['reading']>; readonly argsText: string } {
  const [{ handle, at }] = handles as readonly [PlacedHandle];
  const known = held.get(handle);
  const { sources = [], steps = [] } = known ?? {};
  const outcome = {
    handle,
    labels: allLabels(known),
    sources,
    steps: [...steps, stepIn(handle)].sort((a, b) => a - b),
  };
  return { outcome, argsText: canonicalText({ handle: known ? told(known, { handle, at }, bytes) : {} }) };
}

function told(
  { ok, ref }: KnownOutcome,
  { handle, at }: Pick<PlacedHandle, 'handle' | 'at'>,
  bytes: ReadonlyMap<string, Uint8Array>,
): JsonObject {
  const stored = bytes.get(ref.sha256);
  const value = stored && parseJson(decodeUtf8(unsalted(ref, stored)) ?? '');
  if (!ok) return { refusal: value ?? {} };
  const part = value === undefined ? undefined : valueAt(value, at);
  if (part !== undefined) return { value: part };
  const { class: kind, code, details } = refuse('held_beyond', { handle, at }).refusal;
  return { refusal: { class: kind, code, details: { ...details } } };
}

/** The tools and powers that a guest may use. */
function usedNames(state: RunState, capability: Capability): readonly string[] {
  return capability.manifest.host === undefined ? innerOf(state, capability).map(({ name }) => name) : [];
}

/** What a running call of a guest has received so far. */
export interface Received {
  /** Labels of all of it: the guest may send any of it at any place. */
  readonly labels: readonly Label[];
  /** Where its held values may have come from, sorted. */
  readonly sources: readonly string[];
}

/** What a call that holds has received: from its first held value on; undefined before that. */
export function receivedBy(state: RunState, at: Executing): Received | undefined {
  const { held } = at.open;
  if (held === undefined) return undefined;
  const inner = heldUses(state, at.charged.capability);
  const used = usesOf(state, at).filter(({ hash }) => inner.has(hash));
  const isStored = hasHeldStore(state, at.charged.capability);
  const byHandles = givenByHandles(state, at.open);
  if (byHandles === undefined && used.length === 0 && !isStored) return undefined;
  return {
    labels: joined(at.pendingCalls.labels, byHandles ?? []),
    sources: sorted([
      ...held.sources,
      ...used.map(({ name }) => name),
      ...(isStored ? [at.charged.capability.manifest.name] : []),
    ]),
  };
}

/** Labels of the data that a running call of a guest has read, of a call that holds without its held values. */
export function openlyRead(state: RunState, at: Executing): readonly Label[] {
  const { open, charged, pendingCalls } = at;
  const { capability } = charged;
  // the labels of stored values stand in no decision
  if (open.held === undefined || capability.manifest.powers.some(isStorePower)) return pendingCalls.labels;
  const inner = heldUses(state, capability);
  const used = usesOf(state, at).flatMap(({ hash }) => (inner.has(hash) ? [] : givenLabels(state, capability, hash)));
  return pendingCalls.labels.filter((label) => used.includes(label));
}

/** The tools and powers that have been permitted to a running call, also before it was parked. */
function usesOf(state: RunState, { charged, pendingCalls: { decisions, repeated } }: Executing): readonly InnerUse[] {
  const hashes = new Set([
    ...repeated,
    ...decisions.flatMap(({ decision, power_hash }) => (decision === 'AUTHORIZED' ? power_hash : [])),
  ]);
  return innerOf(state, charged.capability).filter(({ hash }) => hashes.has(hash));
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}

/** The held outcome as the receipt names it, with the payload of a refusal. */
export function heldEvidence(
  open: OpenStep,
  { by, capability, outcome, raised: given, message, release }: HeldStep,
  { refusal, resultText, partial, evidence }: Pick<StepEnding, 'refusal' | 'resultText' | 'partial' | 'evidence'>,
): { readonly evidence: HeldEvidence; readonly payloads: readonly Payload[] } {
  const value = refusal === undefined && resultText !== undefined ? resultPayload(open, resultText) : undefined;
  const rest = refusal === undefined || partial !== undefined ? heldResults(open.work, message) : undefined;
  const made = value === undefined ? stepPayload(open, 'outcome', rest ?? outcomeText(refusal)) : undefined;
  const { ref } = (value ?? made) as Payload;
  const { labels, sources, steps } = outcome;
  const said = open.work?.done.slice(message?.from).map((done) => done.evidence.answer_labels ?? []) ?? [];
  const all = joined(given, evidence?.told?.labels ?? [], ...said);
  const raised = all.filter((label) => !labels.includes(label));
  const place = {
    by,
    capability_hash: capability.hash,
    now: open.now,
    ...(raised.length > 0 && { raised }),
    ...(release && { release }),
  };
  const split = message && { operation: message.from, ...(message.bytes > 0 && { open_bytes: message.bytes }) };
  return {
    evidence: { ...place, ...split, labels, sources, steps, outcome: ref },
    payloads: made === undefined ? [] : [made],
  };
}

/** The held part of a message's result. */
function heldResults(work: Work | undefined, message: HeldMessage | undefined): string | undefined {
  if (work === undefined || message === undefined) return undefined;
  return canonicalText({ operations: work.done.slice(message.from).map((done) => done.told) });
}

/** A refusal without its sentence: every build writes that from the code. */
function outcomeText(refusal: Refusal | undefined): string {
  if (refusal === undefined) return canonicalText({});
  const { message: _, ...told } = refusal;
  return canonicalText({ ...told });
}

/** Handle of a held step. */
export function heldHandle({ step }: OpenStep, { message }: HeldStep): { readonly $held: string } {
  return { $held: handleOf(step, message?.from) };
}

/** What a release tells: its value, or that there is none. */
export function releaseReply(
  { refusal, value }: Pick<StepEnding, 'refusal' | 'value'>,
  { raised }: Pick<HeldEvidence, 'raised'>,
): JsonValue {
  // a label that the answer itself has raised cannot come into the context: that it did would tell of the value
  return refusal === undefined && value !== undefined && raised === undefined ? value : NO_RELEASE;
}

/** Labels that a release brings into the context, whatever it tells. */
export function releaseLabels({ labels }: HeldOutcome, { drops = [] }: ReleasedCall): readonly Label[] {
  const dropped: readonly Label[] = drops;
  return labels.filter((label) => !dropped.includes(label));
}

/** Result of every held step, whatever its outcome; of a message behind the operations that are told. */
export function heldReply(open: OpenStep, held: HeldStep): JsonObject {
  const { from = 0 } = held.message ?? {};
  if (from === 0) return heldHandle(open, held);
  return { operations: open.work?.done.slice(0, from).map((done) => done.told) ?? [], rest: heldHandle(open, held) };
}

/**
 * The run behind a held step. What changes follows from the message and from the earlier steps alone, so that no later
 * decision that is told depends on the outcome: all limited grants of the definition are charged, and of a program those
 * of all that it may have called are used up.
 */
export function afterHeld(
  state: RunState,
  { step, evidence, isGood, bytes, operations = [evidence.capability_hash] }: HeldEnd,
): Pick<RunState, 'held' | 'handed' | 'ranHeld' | 'used' | 'heldBytes' | 'expandedBytes'> {
  const { labels, raised, sources, steps, outcome: ref, operation, open_bytes = 0 } = evidence;
  const known: KnownOutcome = { ok: isGood, ref, labels, ...(raised && { raised }), sources, steps };
  const after = {
    // a release leaves no handle
    held: evidence.release ? state.held : new Map(state.held).set(handleOf(step, operation), known),
    expandedBytes: state.expandedBytes + open_bytes,
    heldBytes: state.heldBytes + bytes - open_bytes,
  };
  let { handed, ranHeld } = state;
  for (const capability of givenTo(state, evidence, operations)) {
    handed = withHanded(handed, echoingSources(state, capability), labels);
    if (capability.manifest.host === undefined) ranHeld = new Set(ranHeld).add(capability.hash);
  }
  const used = usedBehind(state, evidence, operations);
  return { ...after, handed, ranHeld, used };
}

/** The capabilities of these held operations that were, or may have been, given held values. */
function givenTo(
  state: RunState,
  evidence: Pick<HeldStep, 'by'>,
  operations: readonly string[],
): readonly Capability[] {
  return operations.flatMap((hash, nth) => {
    const capability = byHash(state, hash);
    if (capability === undefined || isReading(capability)) return [];
    return isGiven(state, evidence, capability, nth) ? [capability] : [];
  });
}

function usedBehind(
  state: RunState,
  evidence: Pick<HeldEvidence, 'by' | 'now'>,
  operations: readonly string[],
): GrantUses {
  const all = givenTo(state, evidence, operations);
  return all.reduce((used, capability) => chargedFor({ ...state, used }, capability, evidence), state.used);
}

/**
 * The uses of grants behind the step that is open, as far as it is held: they follow from nothing that is held, as the count
 * in the middle of a program does. Of a step in the open, those that are counted.
 */
export function usedBehindStep(state: RunState, open: OpenStep | undefined): GrantUses {
  const { held, work, now } = open ?? {};
  if (held === undefined || now === undefined) return state.used;
  const { by, message, capability } = held;
  const plans = work?.plans.slice(message?.from).map(({ validated }) => validated.capability.hash);
  return usedBehind({ ...state, used: message?.used ?? state.used }, { by, now }, plans ?? [capability.hash]);
}

/** The end of a held step, as its receipt tells it. */
export interface HeldEnd {
  readonly step: number;
  readonly evidence: HeldEvidence;
  /** True for an outcome with a value. */
  readonly isGood: boolean;
  /** Bytes of content that the step has expanded. */
  readonly bytes: number;
  /** Of a message: the capabilities of its held operations, made or not, by their hashes. */
  readonly operations?: readonly string[];
}

/**
 * True for a call that was, or may have been, given held values. `nth`: of the held operations of a message. A later one
 * was made or not by a held outcome.
 */
function isGiven(state: RunState, { by }: Pick<HeldStep, 'by'>, capability: Capability, nth = 0): boolean {
  return (
    by === 'handles' || nth > 0 || (capability.manifest.host === undefined && innerOf(state, capability).length > 0)
  );
}

/**
 * Rows by which later runs know what a held step hands over. They follow from what is known before its intent, so that
 * no later run is told by them what the outcome was. `before`: rows that are written with the intent, since the values
 * leave before any outcome; the rows of a store come with the values that it keeps.
 */
export function handedBy(state: RunState, open: OpenStep, at: 'before' | 'end'): readonly StoredRow[] {
  const { held } = open;
  if (held === undefined) return [];
  const { outcome, message, capability } = held;
  const given = (message?.capabilities ?? [capability]).filter((each, nth) => isGiven(state, held, each, nth));
  const owners = new Map(given.map((each) => [each.manifest.name, each]));
  return [...new Set(given.flatMap((each) => echoingSources(state, each)))].flatMap((source) => {
    const name = storeIn(source);
    if (name === undefined) return sourceRows(source, outcome.labels);
    return at === 'before' ? [] : labelRows(name, keptLabels(state, held, owners.get(name) ?? capability), true);
  });
}

function byHash({ facts }: RunState, hash: string): Capability | undefined {
  return [...facts.registry.capabilities.values()].find((each) => each.hash === hash);
}

function withHanded(
  handed: RunState['handed'],
  sources: readonly string[],
  labels: readonly Label[],
): RunState['handed'] {
  const after = new Map(handed);
  for (const source of sources) after.set(source, joined(after.get(source) ?? [], labels));
  return after;
}

function chargedFor(
  { policy, used, ...state }: RunState,
  capability: Capability,
  { by, now }: Pick<HeldEvidence, 'by' | 'now'>,
): GrantUses {
  const after = new Map(used);
  if (by === 'handles')
    for (const grant of limited(policy.grants, capability.hash))
      if (isOpen(grant, used.get(grant.id) ?? NO_USE, now)) after.set(grant.id, plus(used.get(grant.id), now));
  if (capability.manifest.host !== undefined) return after;
  for (const { hash } of innerOf({ ...state, policy }, capability))
    for (const grant of policy.grants)
      if (grant.capability_hash === hash) {
        if (isLimited(grant)) after.set(grant.id, usedUp(grant, now));
        // no decision reads the count, which tells how often the program has called
        else after.delete(grant.id);
      }
  return after;
}

function limited(grants: readonly Grant[], hash: string): readonly Grant[] {
  return grants.filter((grant) => grant.capability_hash === hash && grant.mode !== 'deny' && isLimited(grant));
}

function isLimited({ uses, rate }: Grant): boolean {
  return uses !== undefined || rate !== undefined;
}

function plus(use: GrantUse = NO_USE, now: number): GrantUse {
  return { count: use.count + 1, recent: [...use.recent.slice(1 - GRANT_LIMITS.rateCalls), now] };
}

function usedUp({ uses = 0 }: Grant, now: number): GrantUse {
  return { count: uses, recent: Array.from({ length: GRANT_LIMITS.rateCalls }, () => now) };
}
