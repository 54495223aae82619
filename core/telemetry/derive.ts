import type { Capability } from '../capability/capability.ts';
import { makePolicy } from '../capability/policy.ts';
import { CONTENT_CAPABILITIES } from '../content/built-in.ts';
import { lengthOf, type PayloadRef } from '../ledger/payload-ref.ts';
import type { Draft } from '../ledger/record.ts';
import type { RunEffect } from '../run/effect.ts';
import type { RunEvent } from '../run/event.ts';
import type { Work } from '../run/open-step.ts';
import type { Executing, Phase, RunState } from '../run/state.ts';
import { executing, openStep } from '../run/step.ts';
import { type AttributesOf, EVENTS, type EventStatus, executionId, type TelemetryEvent, tell } from './event.ts';
import { askedPower, endOf, eventsOf, lostPowers, ofPowers } from './records.ts';

/**
 * Derives the events of a run's transition from its two states, its event and its effects. So every change is told, and
 * only changes are told. Most events come from the transition's records, so that counts of events equal counts of
 * records. `event` is absent when a run is resumed. Of a held call no more is told than that it was requested, started and
 * has ended; to a `person` all of it, marked. Where results can be held, nothing is told of the writes of notes: a second
 * answer of a person is one.
 *
 * @see FemtoClaw Protocol 16
 */
export function derive(
  before: RunState,
  event: RunEvent | undefined,
  after: RunState,
  effects: readonly RunEffect[],
  reader: 'any' | 'person' = 'any',
): readonly TelemetryEvent[] {
  const { run_id } = after.facts;
  const drafts = newDrafts(before, after, effects);
  const held = heldSteps(before, after, drafts);
  const isToPerson = reader === 'person';
  const isPartly = after.facts.holding === true && !isToPerson;
  // whether a person was asked depends on held values, and so does whether there is a second answer
  if (isPartly && event?.type === 'answered' && before.answered.has(event.digest)) return [];
  if (held !== undefined && !isToPerson)
    return [...ofHeld(before, event, after, drafts, held), ...ended(after, effects)];
  const happened = { before, event, after, effects, drafts };
  const told = [
    ...(isPartly && event?.type === 'noted' ? [] : acknowledged(before, event, after)),
    ...askedPower(happened),
    ...drafts.flatMap((draft) => eventsOf(run_id, draft)),
    ...ofPowers(happened),
    ...lostPowers(happened),
    ...closing(before, event, after, drafts),
    ...charges(before, after),
    ...drafts.flatMap((draft) => (draft.kind === 'receipt' ? endOf(draft.body) : [])),
    ...effects.flatMap((effect) => (isPartly && effect.type === 'note' ? [] : ofEffect(after, effect))),
    ...(isToPerson || event === undefined ? [] : beginsHeld(before, after, effects)),
  ];
  const all = [...amongStates(before, after, told), ...ended(after, effects)];
  if (held !== undefined) return all.map(asHeld);
  return isPartly ? withoutAnswers(all, before, after) : all;
}

function asHeld(event: TelemetryEvent): TelemetryEvent {
  return { ...event, held: true } as TelemetryEvent;
}

/** The held step that this transition is within, that it ends, or that it enters with handles. */
function heldSteps(before: RunState, after: RunState, drafts: readonly Draft[]): HeldTransition | undefined {
  const receipt = drafts.find((draft) => draft.kind === 'receipt')?.body;
  const [was, is] = [openStep(before)?.held, openStep(after)?.held];
  const by = was?.by ?? receipt?.evidence.held?.by ?? is?.by;
  // a call without handles is decided in the open, and enters with its intent
  if (by === undefined || (was === undefined && is?.by === 'outcome')) return undefined;
  return { by, isNew: was === undefined, receipt };
}

/**
 * The events without the answers that a person has given about held values, and with the hash of the policy without them:
 * whether somebody was asked depends on the values. An answer ends with the grant that asked, which tells no other end.
 */
function withoutAnswers(
  events: readonly TelemetryEvent[],
  before: RunState,
  { policy }: RunState,
): readonly TelemetryEvent[] {
  const grants = [...before.policy.grants, ...policy.grants];
  const answers = new Set(grants.flatMap(({ id, handled }) => (handled === undefined ? [] : [id])));
  if (answers.size === 0) return events;
  const told = policy.grants.filter(({ handled }) => handled === undefined);
  const { hash } = makePolicy(policy.enabled, told, policy.guarded, policy.authorizer);
  return events.flatMap((event) => {
    if (event.event_type === 'permission_revoked' && answers.has(event.grant ?? '')) return [];
    return 'policy_hash' in event ? [{ ...event, policy_hash: hash } as TelemetryEvent] : [event];
  });
}

interface HeldTransition {
  readonly by: 'handles' | 'outcome';
  readonly isNew: boolean;
  readonly receipt: ReceiptBody | undefined;
}

/**
 * Events of a held step: its verdict, and its end. Neither their number nor their order nor a value in them depends on
 * the outcome.
 */
function ofHeld(
  before: RunState,
  event: RunEvent | undefined,
  after: RunState,
  drafts: readonly Draft[],
  { by, isNew, receipt }: HeldTransition,
): readonly TelemetryEvent[] {
  const { run_id } = after.facts;
  const verdict = drafts.flatMap((draft) => (draft.kind === 'verdict' ? eventsOf(run_id, draft) : []));
  const isPersons = drafts.some((draft) => draft.kind === 'proposal' && draft.body.by === 'person');
  const judged = isPersons ? verdict.map(withoutSize) : verdict;
  // what persons and hosts do meanwhile belongs to no step
  const beside = drafts.flatMap((draft) =>
    draft.kind === 'revocation' || draft.kind === 'rejection' ? eventsOf(run_id, draft) : [],
  );
  // of an earlier process no more is known than that it ended
  const resumed = isNew && event === undefined ? [tell('run_resumed', run_id, {})] : [];
  const besides = withoutAnswers(beside, before, after);
  const id = executionId(run_id, receipt?.receipt.step_id ?? openStep(after)?.step_id);
  const call = heldCall(after, receipt);
  // whether a call with handles was permitted is held, so that each of them counts as started
  const isStarted = by === 'handles' && isNew && event !== undefined;
  const started = call && isStarted ? [asHeld(startOf(id, call))] : [];
  if (receipt === undefined) return [...resumed, ...judged, ...started, ...besides];
  const from = by === 'handles' ? 'PROTOCOL_VALIDATING' : 'CAPABILITY_EXECUTING';
  const open = by === 'outcome' ? openCalls(id, after, receipt) : [];
  const completed = call ? [asHeld(tell('capability_completed', id, named(call)))] : [];
  const start = event === undefined ? before.at.phase : from;
  const moved = tell('state_transition', run_id, { from: start, to: 'MEMORY_COMMITTING' });
  return [...resumed, ...judged, ...started, ...besides, ...open, ...completed, moved];
}

/** The event without the length of arguments, in which a person has left or changed held values. */
function withoutSize(event: TelemetryEvent): TelemetryEvent {
  if (event.event_type !== 'capability_requested') return event;
  const { args_bytes: _, ...told } = event;
  return told;
}

/** The start of a call whose outcome is held, told with its intent. It runs behind that, and is told no more then. */
function beginsHeld(before: RunState, after: RunState, effects: readonly RunEffect[]): readonly TelemetryEvent[] {
  const is = openStep(after);
  const call = heldCall(after, undefined);
  const isNew = is?.held?.by === 'outcome' && openStep(before)?.held === undefined;
  if (!isNew || call === undefined || effects.some(({ type }) => type === 'execute')) return [];
  return [asHeld(startOf(executionId(after.facts.run_id, is.step_id), call))];
}

/** The call of a held step; of a message its first that is held. READ and WRITE start no call. */
function heldCall(after: RunState, receipt: ReceiptBody | undefined): Capability | undefined {
  const hash = receipt?.evidence.held?.capability_hash ?? openStep(after)?.held?.capability.hash;
  const capability = [...after.facts.registry.capabilities.values()].find((each) => each.hash === hash);
  return capability === undefined || CONTENT_CAPABILITIES.includes(capability) ? undefined : capability;
}

function startOf(id: string, capability: Capability): TelemetryEvent {
  return tell('capability_started', id, { ...named(capability), effect: capability.manifest.effect });
}

/** Ends of the calls of a message before its first held operation, which are told. */
function openCalls(id: string, { facts }: RunState, { receipt, evidence }: ReceiptBody): readonly TelemetryEvent[] {
  const { operations = [], held, reason: _, ...rest } = evidence;
  return receipt.actions.slice(0, held?.operation ?? 0).flatMap((action, nth) => {
    const { capability_hash, ...ran } = operations[nth] ?? {};
    const capability = [...facts.registry.capabilities.values()].find(({ hash }) => hash === capability_hash);
    if (capability === undefined || action.type !== 'EXECUTE') return [];
    const body = { receipt: { ...receipt, status: action.status, actions: [action] }, evidence: { ...rest, ...ran } };
    return [outcome(id, capability, body as ReceiptBody)];
  });
}

/** The records that this transition made: written now or still held back, without the records held back before it. */
function newDrafts(before: RunState, after: RunState, effects: readonly RunEffect[]): readonly Draft[] {
  const known = new Set(openStep(before)?.drafts);
  const written = effects.flatMap((effect) => (isWrite(effect) ? effect.drafts : []));
  return [...written, ...(openStep(after)?.drafts ?? [])].filter((draft) => !known.has(draft));
}

/** The run's status; while a person is asked about a power, the status of the running call. */
function inCall(state: RunState): RunState['at'] {
  return executing(state) ?? state.at;
}

/** The ledger's answer. An answer without a pending write changes no state, and is not told. */
function acknowledged(before: RunState, event: RunEvent | undefined, after: RunState): readonly TelemetryEvent[] {
  if (event?.type === 'noted' && after.pendingNotes < before.pendingNotes) {
    return [tell('memory_committed', after.facts.run_id, {})];
  }
  if (event === undefined || before.at === after.at) return [];
  const id = executionId(after.facts.run_id, openStep(before)?.step_id);
  if (event.type === 'appended') return [tell('memory_committed', id, {})];
  return event.type === 'append_failed' ? [tell('memory_failed', id, LOG_FAILED)] : [];
}

const LOG_FAILED: AttributesOf['memory_failed'] = { class: 'storage', code: 'log_failed' };

/**
 * Closing events of a step without a verdict, or of a call without a return. Every proposal is validated or rejected,
 * every request authorized or denied, every start completed or failed, also if the run is stopped between.
 */
function closing(
  before: RunState,
  event: RunEvent | undefined,
  after: RunState,
  drafts: readonly Draft[],
): readonly TelemetryEvent[] {
  const at = inCall(before);
  const receipt = drafts.find((draft) => draft.kind === 'receipt')?.body;
  // a resumed run closes the call of an earlier process, whatever that call was waiting for
  const isResumed = event === undefined && receipt?.receipt.actions.length !== 0;
  if (receipt !== undefined && (isResumed || receipt.evidence.reason?.code === 'interrupted'))
    return interrupted(after, receipt);
  if (receipt === undefined && after.at.phase !== 'SHUTDOWN') return [];
  const id = executionId(before.facts.run_id, openStep(before)?.step_id);
  const lost = lossOf(after);
  const reason = reasonOf(receipt, lost);
  const made = (kind: Draft['kind']) => drafts.some((draft) => draft.kind === kind);
  switch (at.phase) {
    case 'PROTOCOL_VALIDATING':
      return made('verdict') ? [] : [tell('protocol_rejected', id, reason)];
    case 'CAPABILITY_EXECUTING':
      if (at.open.work !== undefined) return ofWork(id, at, at.open.work, receipt, lost);
      return at.waiting === 'intent' ? [] : [outcome(id, at.charged.capability, receipt, lost)];
    case 'AUTHORIZATION_EVALUATING':
    case 'AWAITING_APPROVAL':
      if ((at.phase === 'AWAITING_APPROVAL' && at.about !== 'call') || made('approval') || made('decision')) return [];
      return [tell('capability_denied', id, { ...named(at.asked.validated.capability), ...reason })];
    default:
      return [];
  }
}

/** Events of the calls of a message; READ and WRITE start no call. Without a receipt their end is unknown. */
function ofWork(
  id: string,
  { waiting }: Executing,
  work: Work,
  body: ReceiptBody | undefined,
  lost: Reason,
): readonly TelemetryEvent[] {
  if (body === undefined) {
    const begun = waiting === 'intent' ? 0 : 1;
    const started = work.permits.slice(0, work.done.length + begun).filter((_, nth) => isCall(work, nth));
    return started.map(({ charged }) => outcome(id, charged.capability, undefined, lost));
  }
  return body.receipt.actions.flatMap(({ type, status, result }, nth) => {
    const { charged } = work.permits[nth] ?? {};
    const evidence = body.evidence.operations?.[nth];
    if (type !== 'EXECUTE' || charged === undefined || evidence === undefined) return [];
    const { capability_hash: _, args_hash: __, ...ran } = evidence;
    const { reason: ___, ...rest } = body.evidence;
    const actions = [{ type, status, result, target: '' }];
    return [
      outcome(id, charged.capability, { receipt: { ...body.receipt, status, actions }, evidence: { ...rest, ...ran } }),
    ];
  });
}

function isCall({ message }: Work, nth: number): boolean {
  return message.ops[nth]?.type === 'EXECUTE';
}

type ReceiptBody = Extract<Draft, { kind: 'receipt' }>['body'];

type Reason = AttributesOf['memory_failed'];

/** Why an open step has no receipt: the ledger was lost, or the runtime failed. */
function lossOf({ ending }: RunState): Reason {
  return ending?.code === 'runtime_failed' ? { class: 'run', code: ending.code } : LOG_FAILED;
}

function reasonOf(body: ReceiptBody | undefined, lost: Reason): Reason {
  const { class: kind, code } = body?.evidence.reason ?? lost;
  return { class: kind, code };
}

function named({ hash, manifest }: Capability): { readonly capability: string; readonly capability_hash: string } {
  return { capability: manifest.name, capability_hash: hash };
}

function outcome(
  id: string,
  capability: Capability,
  body: ReceiptBody | undefined,
  lost: Reason = LOG_FAILED,
): TelemetryEvent {
  const { fuel, image_hash = '', ended_by, result_hash } = body?.evidence ?? {};
  if (body?.receipt.status === 'SUCCESS') {
    const { result } = body.receipt.actions[0] ?? {};
    const result_bytes = result && 'bytes' in result ? lengthOf(result as PayloadRef) : 0;
    const isTold = result_hash !== undefined && !(result && 'salt' in result);
    const hash = isTold ? { result_hash } : {};
    const completed = { ...named(capability), fuel: fuel ?? 0, image_hash, ...hash, result_bytes };
    return tell('capability_completed', id, completed);
  }
  const how = { ...(ended_by === undefined ? {} : { ended_by }), ...(fuel === undefined ? {} : { fuel }) };
  return tell('capability_failed', id, { ...named(capability), ...reasonOf(body, lost), ...how });
}

/** The call that an earlier process started and did not finish, or the calls of its message. */
function interrupted({ facts }: RunState, { receipt, evidence }: ReceiptBody): readonly TelemetryEvent[] {
  const { run_id, step_id, actions } = receipt;
  const { operations = [], ...rest } = evidence;
  const own = operations.length > 0 ? operations : [evidence];
  return own.flatMap(({ capability_hash, ...ran }, nth) => {
    const action = actions[nth];
    const capability = [...facts.registry.capabilities.values()].find(({ hash }) => hash === capability_hash);
    if (capability === undefined || action?.type !== 'EXECUTE') return [];
    const { reason: _, ...others } = rest;
    const body = { receipt: { ...receipt, status: action.status, actions: [action] }, evidence: { ...others, ...ran } };
    return [outcome(executionId(run_id, step_id), capability, body as ReceiptBody)];
  });
}

/** Uses of grants that this transition has counted. */
function charges(before: RunState, after: RunState): readonly TelemetryEvent[] {
  if (before.used === after.used) return [];
  const id = executionId(after.facts.run_id, openStep(after)?.step_id);
  const taken = [...after.used].filter(([grant, used]) => before.used.get(grant) !== used);
  return taken.map(([grant, used]) => tell('budget_charged', id, { grant, used: used.count }));
}

function ofEffect(after: RunState, effect: RunEffect): readonly TelemetryEvent[] {
  if (effect.type === 'execute') {
    const id = executionId(after.facts.run_id, openStep(after)?.step_id);
    const started = startOf(id, effect.call.capability);
    return [openStep(after)?.held === undefined ? started : asHeld(started)];
  }
  return isWrite(effect) ? [write(after.facts.run_id, effect)] : [];
}

type Write = Extract<RunEffect, { type: 'append' | 'note' }>;

function isWrite(effect: RunEffect): effect is Write {
  return effect.type === 'append' || effect.type === 'note';
}

function write(run_id: string, effect: Write): TelemetryEvent {
  const { drafts, payloads } = effect;
  const durability = effect.type === 'append' ? effect.durability : 'strict';
  const bytes = payloads.reduce((sum, payload) => sum + payload.bytes.byteLength, 0);
  const step = drafts.find((draft) => 'step_id' in draft.body)?.body;
  const id = executionId(run_id, step !== undefined && 'step_id' in step ? step.step_id : undefined);
  return tell('memory_write', id, { records: drafts.length, payloads: payloads.length, bytes, durability });
}

/** Inserts the states that the run went through, each before the first event that belongs to it. */
function amongStates(before: RunState, after: RunState, events: readonly TelemetryEvent[]): readonly TelemetryEvent[] {
  const path: readonly Phase[] = [before.at.phase, ...after.phasesEntered];
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

/** The last event of a run. */
function ended(after: RunState, effects: readonly RunEffect[]): readonly TelemetryEvent[] {
  const end = effects.find((effect) => effect.type === 'end');
  if (end === undefined) return [];
  const { state, code } = end.ending;
  const status: EventStatus = state === 'completed' ? 'ok' : state === 'failed' ? 'failed' : 'refused';
  const { steps, tokens } = after;
  const counted = tokens && { input_tokens: tokens.input, output_tokens: tokens.output };
  const said = { state, steps, ...(code === undefined ? {} : { code }), ...counted };
  return [tell('run_completed', after.facts.run_id, said, status)];
}

/** True if the run has ended. After a completed turn a person may continue it. */
export function isOver({ at }: RunState): boolean {
  return at.phase === 'COMPLETED' || at.phase === 'SHUTDOWN';
}
