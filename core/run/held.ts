import { isStorePower } from '../capability/built-in-power.ts';
import type { Capability } from '../capability/capability.ts';
import { GRANT_TERMS, type GrantUse, type GrantUses, NO_USE } from '../capability/grant-terms.ts';
import { joined, type Label } from '../capability/guard.ts';
import {
  declaredLabels,
  echoingSources,
  givenLabels,
  handleOf,
  hasHeldStore,
  heldUses,
  type InnerUse,
  innerOf,
  type PlacedHandle,
  storeIn,
} from '../capability/hold.ts';
import type { Grant } from '../capability/policy.ts';
import { canonicalText } from '../json/canonical.ts';
import type { HeldEvidence } from '../ledger/kinds/evidence.ts';
import { GRANT_LIMITS } from '../limits.ts';
import type { Refusal } from '../outcome.ts';
import { keptLabels, labelRows, sourceRows } from './commit/storage.ts';
import type { Payload, StoredRow } from './effect.ts';
import type { HeldStep, OpenStep } from './open-step.ts';
import { resultPayload, stepPayload } from './payload.ts';
import type { Executing, KnownOutcome, RunState } from './state.ts';

/** The step of a call that holds, from here on. `handles`: of its arguments. */
export function heldStep(
  state: RunState,
  open: OpenStep,
  capability: Capability,
  handles?: readonly PlacedHandle[],
): OpenStep {
  const given = (handles ?? []).flatMap(({ handle }) => {
    const known = state.held.get(handle);
    return known === undefined ? [] : [{ step: Number(handle.slice(1)), ...known }];
  });
  const sources = given.flatMap((each) => each.sources);
  const places = (handles ?? []).flatMap(({ handle, pointer }) => {
    const labels = state.held.get(handle)?.labels ?? [];
    // in the place of all arguments a value decides which of them there are
    return pointer === ''
      ? [
          { pointer, labels, handle },
          { pointer: '/', labels },
        ]
      : [{ pointer, labels, handle }];
  });
  const held: HeldStep = {
    by: handles === undefined ? 'outcome' : 'handles',
    capability,
    outcome: {
      labels: joined(declaredLabels(state, capability), ...given.map((each) => each.labels)),
      sources: sorted([capability.manifest.name, ...usedNames(state, capability), ...sources]),
      steps: [...new Set(given.flatMap((each) => [each.step, ...each.steps]))].sort((a, b) => a - b),
    },
    places,
    sources: sorted(sources),
  };
  return { ...open, held };
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
  if (held.by === 'outcome' && used.length === 0 && !isStored) return undefined;
  return {
    labels: joined(at.pendingCalls.labels, ...held.places.map(({ labels }) => labels)),
    sources: sorted([
      ...held.sources,
      ...used.map(({ name }) => name),
      ...(isStored ? [held.capability.manifest.name] : []),
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
  { by, capability, outcome }: HeldStep,
  { refusal, resultText }: { readonly refusal?: Refusal; readonly resultText?: string },
): { readonly evidence: HeldEvidence; readonly payloads: readonly Payload[] } {
  const value = refusal === undefined && resultText !== undefined ? resultPayload(open, resultText) : undefined;
  const failed = value === undefined ? stepPayload(open, 'outcome', outcomeText(refusal)) : undefined;
  const { ref } = (value ?? failed) as Payload;
  const { labels, sources, steps } = outcome;
  const place = { by, capability_hash: capability.hash, now: open.now };
  return {
    evidence: { ...place, labels, sources, steps, outcome: ref },
    payloads: failed === undefined ? [] : [failed],
  };
}

/** A refusal without its sentence: every build writes that from the code. */
function outcomeText(refusal: Refusal | undefined): string {
  if (refusal === undefined) return canonicalText({});
  const { message: _, ...told } = refusal;
  return canonicalText({ ...told });
}

/** Reply to every held call, whatever its outcome. */
export function heldReply(step: number): { readonly $held: string } {
  return { $held: handleOf(step) };
}

/**
 * The run behind a held step. What changes follows from the message and from the earlier steps alone, so that no later
 * decision that is told depends on the outcome: all limited grants of the definition are charged, and of a program those
 * of all that it may have called are used up.
 */
export function afterHeld(
  state: RunState,
  step: number,
  evidence: HeldEvidence,
  ok: boolean,
  bytes: number,
): Pick<RunState, 'held' | 'handed' | 'ranHeld' | 'used' | 'heldBytes'> {
  const { labels, sources, steps, outcome: ref } = evidence;
  const known: KnownOutcome = { ok, ref, labels, sources, steps };
  const held = new Map(state.held).set(handleOf(step), known);
  const capability = byHash(state, evidence.capability_hash);
  const heldBytes = state.heldBytes + bytes;
  const { handed, ranHeld, used } = state;
  if (capability === undefined) return { held, handed, ranHeld, used, heldBytes };
  if (!isGiven(state, evidence, capability)) return { held, handed, ranHeld, used, heldBytes };
  return {
    held,
    heldBytes,
    handed: withHanded(handed, echoingSources(state, capability), labels),
    ranHeld: capability.manifest.host === undefined ? new Set(ranHeld).add(capability.hash) : ranHeld,
    used: chargedFor(state, capability, evidence),
  };
}

/** True for a step whose call was, or may have been, given held values. */
function isGiven(state: RunState, { by }: Pick<HeldStep, 'by'>, capability: Capability): boolean {
  return by === 'handles' || (capability.manifest.host === undefined && innerOf(state, capability).length > 0);
}

/**
 * Rows by which later runs know what a held step hands over. They follow from what is known before its intent, so that
 * no later run is told by them what the outcome was. `before`: rows that are written with the intent, since the values
 * leave before any outcome; the rows of a store come with the values that it keeps.
 */
export function handedBy(state: RunState, open: OpenStep, at: 'before' | 'end'): readonly StoredRow[] {
  const { held } = open;
  if (held === undefined || !isGiven(state, held, held.capability)) return [];
  const { capability, outcome } = held;
  return echoingSources(state, capability).flatMap((source) => {
    const name = storeIn(source);
    if (name === undefined) return sourceRows(source, outcome.labels);
    return at === 'before' ? [] : labelRows(name, keptLabels(state, open, held), true);
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
  { by, now }: HeldEvidence,
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

/** True for a grant whose terms are met as far as no argument takes part. */
function isOpen(grant: Grant, use: GrantUse, now: number): boolean {
  const facts = { now, use, holds: new Map<string, boolean>(), isExact: () => true };
  return (['expires', 'uses', 'rate'] as const).every(
    (term) => grant[term] === undefined || GRANT_TERMS[term].held?.miss(grant, facts) === undefined,
  );
}

function plus(use: GrantUse = NO_USE, now: number): GrantUse {
  return { count: use.count + 1, recent: [...use.recent.slice(1 - GRANT_LIMITS.rateCalls), now] };
}

function usedUp({ uses = 0 }: Grant, now: number): GrantUse {
  return { count: uses, recent: Array.from({ length: GRANT_LIMITS.rateCalls }, () => now) };
}
