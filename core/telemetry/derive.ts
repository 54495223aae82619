import type { Capability } from '../capability/capability.ts';
import type { Draft, Evidence } from '../ledger/record.ts';
import type { RunEffect } from '../run/effect.ts';
import type { RunEvent } from '../run/event.ts';
import type { OpenStep, Phase, RunState } from '../run/state.ts';
import { EVENTS, executionId, type EventStatus, tell, type TelemetryEvent } from './event.ts';
import { eventsOf } from './records.ts';

/**
 * What one transition of a run tells: derived from its two states, its event and its effects, so that nothing can
 * happen untold and nothing is told that did not happen. Most of it is read off the records the transition made: who
 * counts events and who counts records gets the same numbers.
 *
 * @see FemtoClaw Protocol 16
 */
export function derive(
  before: RunState,
  event: RunEvent,
  after: RunState,
  effects: readonly RunEffect[],
): readonly TelemetryEvent[] {
  const { run_id } = after.facts;
  const drafts = newDrafts(before, after, effects);
  const told = [
    ...acknowledged(before, event, after),
    ...drafts.flatMap((draft) => eventsOf(run_id, draft)),
    ...closing(before, after, drafts),
    ...charges(before, after),
    ...effects.flatMap((effect) => ofEffect(after, effect)),
  ];
  return [...amongStates(before, after, told), ...ended(before, after, effects)];
}

/** The records this transition made: those about to be written or still held back, without those held back before. */
function newDrafts(before: RunState, after: RunState, effects: readonly RunEffect[]): readonly Draft[] {
  const known = new Set(openStep(before)?.drafts);
  const written = effects.flatMap((effect) => (effect.type === 'append' ? effect.drafts : []));
  return [...written, ...(openStep(after)?.drafts ?? [])].filter((draft) => !known.has(draft));
}

function openStep({ at }: RunState): OpenStep | undefined {
  return 'open' in at ? at.open : undefined;
}

/** The ledger's answer; one that comes when nothing is waited for changes nothing, and is not told. */
function acknowledged(before: RunState, event: RunEvent, after: RunState): readonly TelemetryEvent[] {
  if (before.at === after.at) return [];
  const id = executionId(after.facts.run_id, openStep(before)?.step_id);
  if (event.type === 'appended') return [tell('memory_committed', id, {})];
  return event.type === 'append_failed' ? [tell('memory_failed', id, LOG_FAILED)] : [];
}

const LOG_FAILED = { class: 'storage', code: 'log_failed' } as const;

/**
 * How a step ended whose gate never answered or whose call was on its way: every proposal is validated or rejected,
 * every request authorized or denied, every start completed or failed, also when the run is stopped between.
 */
function closing(before: RunState, after: RunState, drafts: readonly Draft[]): readonly TelemetryEvent[] {
  const { at } = before;
  if (!('open' in at)) return [];
  const receipt = drafts.find((draft) => draft.kind === 'receipt')?.body;
  if (receipt === undefined && after.at.phase !== 'SHUTDOWN') return [];
  const id = executionId(before.facts.run_id, at.open.step_id);
  const reason = receipt?.evidence.reason ?? LOG_FAILED;
  const made = (kind: Draft['kind']) => drafts.some((draft) => draft.kind === kind);
  switch (at.phase) {
    case 'PROTOCOL_VALIDATING': {
      const { class: kind, code } = reason;
      return made('verdict') ? [] : [tell('protocol_rejected', id, { class: kind, code, ...gate(reason) })];
    }
    case 'AUTHORIZATION_EVALUATING':
    case 'AWAITING_APPROVAL': {
      const { class: kind, code } = reason;
      const denied = { ...named(at.asked.validated.capability), class: kind, code };
      return made('approval') || made('decision') ? [] : [tell('capability_denied', id, denied)];
    }
    case 'CAPABILITY_EXECUTING':
      return at.waiting === 'intent' ? [] : [outcome(id, at.charged.capability, receipt)];
  }
}

function gate(reason: NonNullable<Evidence['reason']>): { readonly gate?: NonNullable<typeof reason.step> } {
  return reason.step === undefined ? {} : { gate: reason.step };
}

function named({ hash, manifest }: Capability): { readonly capability: string; readonly capability_hash: string } {
  return { capability: manifest.name, capability_hash: hash };
}

type ReceiptBody = Extract<Draft, { kind: 'receipt' }>['body'];

/** Without a receipt the ledger was lost under the call. */
function outcome(id: string, capability: Capability, body: ReceiptBody | undefined): TelemetryEvent {
  const { reason = LOG_FAILED, fuel, image_hash = '', ended_by, result_hash = '' } = body?.evidence ?? {};
  if (body?.receipt.status === 'SUCCESS') {
    const [action] = body.receipt.actions;
    const result_bytes = action?.result.bytes ?? 0;
    return tell('capability_completed', id, { ...named(capability), fuel: fuel ?? 0, image_hash, result_hash, result_bytes });
  }
  const { class: kind, code } = reason;
  const why = { class: kind, code, ...(ended_by === undefined ? {} : { ended_by }), ...(fuel === undefined ? {} : { fuel }) };
  return tell('capability_failed', id, { ...named(capability), ...why });
}

/** Uses of grants that were taken now. */
function charges(before: RunState, after: RunState): readonly TelemetryEvent[] {
  if (before.used === after.used) return [];
  const id = executionId(after.facts.run_id, openStep(after)?.step_id);
  const taken = [...after.used].filter(([grant, used]) => before.used.get(grant) !== used);
  return taken.map(([grant, used]) => tell('budget_charged', id, { grant, used }));
}

function ofEffect({ facts, at }: RunState, effect: RunEffect): readonly TelemetryEvent[] {
  const { run_id } = facts;
  switch (effect.type) {
    case 'execute': {
      const id = executionId(run_id, 'open' in at ? at.open.step_id : undefined);
      const { capability } = effect.call;
      return [tell('capability_started', id, { ...named(capability), effect: capability.manifest.effect })];
    }
    case 'append': {
      const { drafts, payloads, durability } = effect;
      const bytes = payloads.reduce((sum, payload) => sum + payload.bytes.byteLength, 0);
      const [first] = drafts;
      const id = executionId(run_id, first !== undefined && 'step_id' in first.body ? first.body.step_id : undefined);
      return [tell('memory_write', id, { records: drafts.length, payloads: payloads.length, bytes, durability })];
    }
    default:
      return [];
  }
}

/** Puts the states the run went through between the events, each before the first event that belongs to it. */
function amongStates(before: RunState, after: RunState, events: readonly TelemetryEvent[]): readonly TelemetryEvent[] {
  const path: readonly Phase[] = [before.at.phase, ...after.trail];
  const told: TelemetryEvent[] = [];
  let at = 0;
  const advance = (to: number) => {
    for (; at < to; at++) {
      const [from, next] = [path[at], path[at + 1]];
      if (from === undefined || next === undefined || from === next) continue;
      told.push(tell('state_transition', after.facts.run_id, { from, to: next }));
    }
  };
  for (const event of events) {
    const { phase } = EVENTS[event.event_type];
    if (phase !== undefined) advance(path.indexOf(phase, at));
    told.push(event);
  }
  advance(path.length - 1);
  return told;
}

/** Told once, last of all. */
function ended(before: RunState, after: RunState, effects: readonly RunEffect[]): readonly TelemetryEvent[] {
  const end = effects.find((effect) => effect.type === 'end');
  if (end === undefined || isOver(before)) return [];
  const { state, code } = end.ending;
  const status: EventStatus = state === 'completed' ? 'ok' : state === 'failed' ? 'failed' : 'refused';
  const said = { state, steps: after.steps, ...(code === undefined ? {} : { code }) };
  return [tell('run_completed', after.facts.run_id, said, status)];
}

/** The run has ended; nothing it is told after this changes it. */
export function isOver({ at }: RunState): boolean {
  return at.phase === 'COMPLETED' || at.phase === 'SHUTDOWN';
}
