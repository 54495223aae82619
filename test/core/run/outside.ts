import type { CallSettled } from '../../../core/capability/call.ts';
import type { SchemaVerdict } from '../../../core/capability/check.ts';
import type { JsonObject } from '../../../core/json/value.ts';
import { payloadsIn } from '../../../core/ledger/payloads.ts';
import type { Bodies, Draft } from '../../../core/ledger/record.ts';
import type { RunEffect } from '../../../core/run/effect.ts';
import type { RunEvent } from '../../../core/run/event.ts';
import { initialState, type RunFacts, type RunState } from '../../../core/run/state.ts';
import { transition } from '../../../core/run/transition.ts';
import { legal } from './edges.ts';

type Kind = RunEffect['type'];
type Of<K extends Kind> = Extract<RunEffect, { type: K }>;

/**
 * The world around a run, in a single thread: its unanswered effects, its durable records, its executed calls. It is a
 * port in memory, not a mock: it carries out an effect when a test says so, and `send` checks the promises of the run
 * at every event.
 */
export interface Outside {
  state: RunState;
  readonly waiting: Map<Kind, RunEffect>;
  /** Noted behind a write that is not acknowledged yet. */
  readonly notes: Draft[];
  /** Acknowledged, in order. */
  readonly records: Draft[];
  readonly executed: Of<'execute'>[];
  readonly ends: Of<'end'>[];
  readonly events: RunEvent[];
  /** Trace of all states and effects, compared as text: two runs of the same events have the same trace. */
  readonly trace: object[];
}

export function outside(facts: RunFacts): Outside {
  return {
    state: initialState(facts),
    waiting: new Map(),
    notes: [],
    records: [],
    executed: [],
    ends: [],
    events: [],
    trace: [],
  };
}

/** Sends an event to the run and takes its effects. Throws when a promise is broken. */
export function send(world: Outside, event: RunEvent): readonly RunEffect[] {
  const before = world.state;
  const [after, effects] = transition(before, event);
  world.events.push(event);
  promise(sameState(transition(before, event)[0], after), 'the same event gives the same state');
  promise(
    !isOver(before, event) ||
      (effects.every(({ type }) => type === 'refuse_answer') && after.at.phase === before.at.phase),
    'a run that is over stays as it is',
  );
  promise(
    legal([before.at.phase, ...after.phasesEntered]),
    `no way from ${[before.at.phase, ...after.phasesEntered].join(' to ')}`,
  );
  world.state = after;
  for (const effect of effects) take(world, effect);
  world.trace.push({
    phase: after.at.phase,
    trail: after.phasesEntered,
    mode: after.mode,
    effects: effects.map(described),
  });
  return effects;
}

function take(world: Outside, effect: RunEffect): void {
  switch (effect.type) {
    case 'cancel':
      for (const kind of ['propose', 'check', 'resolve', 'load', 'ask', 'ask_consent', 'execute'] as const)
        world.waiting.delete(kind);
      return;
    case 'end':
      world.ends.push(effect);
      return;
    case 'refuse_answer':
      return;
    case 'note':
      promise(isNamed(world, effect), 'what is stored, a record names');
      // Records become durable in the order in which they were made.
      (world.waiting.has('append') ? world.notes : world.records).push(...effect.drafts);
      return;
    case 'execute':
      promise(
        mayExecute(world, effect),
        'only what was accepted, authorized and, with effects, written down is executed',
      );
      world.executed.push(effect);
      break;
    case 'append':
      promise(isNamed(world, effect), 'what is stored, a record names');
      break;
    case 'ask': {
      // a question shows who has signed so far
      const before = world.waiting.get('ask');
      if (before?.type === 'ask' && before.question.digest === effect.question.digest) world.waiting.delete('ask');
      break;
    }
    default:
  }
  promise(!world.waiting.has(effect.type), `one ${effect.type} at a time`);
  world.waiting.set(effect.type, effect);
}

/** True if each payload is named by a record: an export with unnamed bytes looks like an altered file. */
function isNamed({ records, notes, waiting }: Outside, { drafts, payloads }: Of<'append' | 'note'>): boolean {
  const before = waiting.get('append') as Of<'append'> | undefined;
  const all = [...drafts, ...(before?.drafts ?? []), ...notes, ...records];
  return payloads.every(({ ref }) => all.some((draft) => namesOf(draft).has(ref.sha256)));
}

/** Payloads that a draft names, looked up once: a draft never changes. */
function namesOf(draft: Draft): ReadonlySet<string> {
  const names = NAMES.get(draft) ?? payloadsIn([draft]);
  NAMES.set(draft, names);
  return names;
}
const NAMES = new WeakMap<Draft, ReadonlySet<string>>();

/** True if the log permits this call. It reads the records of this step, durable records first. */
function mayExecute(world: Outside, { step, call }: Of<'execute'>): boolean {
  const { at } = world.state;
  const open = 'open' in at ? at.open.drafts : [];
  const durable = world.records.filter((record) => ofStep(record, step));
  const all = [...durable, ...open.filter((record) => ofStep(record, step))];
  const accepted = all.some(({ kind, body }) => kind === 'verdict' && (body as { accepted: boolean }).accepted);
  const decisions = all.flatMap((record) => (record.kind === 'decision' ? [record.body] : []));
  const asked = all.flatMap((record) => (record.kind === 'verdict' ? (record.body.operations ?? []) : []));
  // Every operation of a message is decided before the first operation runs.
  const authorized = decisions.filter(({ decision }) => decision === 'AUTHORIZED');
  const permitted = authorized.some(({ capability_hash }) => capability_hash === call.capability.hash);
  const last = decisions.at(-1)?.decision === 'AUTHORIZED' && authorized.length >= asked.length;
  const effectful = call.capability.manifest.effect === 'write' || call.capability.manifest.effect === 'egress';
  const intended = durable.some(({ kind }) => kind === 'intent');
  return accepted && last && permitted && approved(all) && (!effectful || intended);
}

/** True if a question was answered with an approval of the same digest. */
function approved(records: readonly Draft[]): boolean {
  const approvals = records.flatMap((record) => (record.kind === 'approval' ? [record.body] : []));
  return approvals.every(
    (asked) =>
      asked.event !== 'asked' ||
      approvals.some((said) => said.event === 'answered' && said.approved && said.digest === asked.digest),
  );
}

function ofStep({ body }: Draft, step: number): boolean {
  if ('receipt' in body) return body.evidence.step === step;
  return 'step' in body && body.step === step;
}

/** The store has written all records, or it has failed and the run is lost. */
export function acknowledge(world: Outside, reason?: string): readonly RunEffect[] {
  const append = world.waiting.get('append') as Of<'append'>;
  world.waiting.delete('append');
  if (reason !== undefined) return send(world, { type: 'append_failed', reason });
  world.records.push(...append.drafts, ...world.notes.splice(0));
  promise(
    LOG.test(world.records.map(letter).join('').replaceAll('R', '')),
    `records in order: ${world.records.map(({ kind }) => kind).join(' ')}`,
  );
  return send(world, { type: 'appended' });
}

/** Answers the pending effect of this kind. */
export function reply<K extends Kind>(
  world: Outside,
  kind: K,
  event: (effect: Of<K>) => RunEvent,
): readonly RunEffect[] {
  const effect = world.waiting.get(kind) as Of<K>;
  world.waiting.delete(kind);
  return send(world, event(effect));
}

/** A letter for each kind of record; a verdict, a decision and an approval also have a letter for their content. */
function letter({ kind, body }: Draft): string {
  if (kind === 'verdict') return 'operations' in body ? 'W' : (body as { accepted: boolean }).accepted ? 'V' : 'v';
  if (kind === 'decision')
    return (body as { decision: string }).decision === 'AUTHORIZED'
      ? 'D'
      : (body as { decision: string }).decision === 'REQUIRES_APPROVAL'
        ? 'q'
        : 'd';
  if (kind === 'approval' && (body as { event: string }).event === 'part') return 'R';
  if (kind === 'approval')
    return (body as { event: string }).event === 'asked' ? '?' : (body as { approved: boolean }).approved ? '!' : 'x';
  return (
    {
      configuration: 'C',
      task: 't',
      proposal: 'p',
      intent: 'i',
      observation: 'o',
      receipt: 'r',
      seal: 'S',
      consent: 'c',
      state: 's',
      content: 'w',
      progress: 'g',
      // At any place where a record may stand, except behind a seal.
      revocation: 'R',
      rejection: 'R',
    }[kind as string] ?? '#'
  );
}

/**
 * Each proposal is refused, said, or called: decided (asked, answered, decided again), intended, observed. Then its
 * receipt.
 */
const CALL = 'V(?:d|D|q\\?(?:x|!D|!d)?|)i?';
/**
 * A message: every operation is decided; intents, and the outcomes of settled operations, follow only when all operations
 * may run; content comes last.
 */
const WORK = 'W(?:D|q\\?!D)*(?:(?:d|q\\?(?:x|!d)?)|[gi]*w*)';
const STEP = `p(?:v|${CALL}|${WORK})o?r`;
/** Stopped before a verdict: then only the seal follows. */
const STOPPED = 'porS';
const UNFINISHED = 'pV(?:q\\?(?:!D)?|D)i?|pW(?:D|q\\?!D)*(?:q\\?|[gi]*)';
const LOG = new RegExp(`^C(?:t|c|s|St|${STEP})*(?:S|${STOPPED}|${UNFINISHED})?$`);

/** A completed turn is over until the next task of the person; every other end is final. */
function isOver({ at }: RunState, event?: RunEvent): boolean {
  return (at.phase === 'COMPLETED' && event?.type !== 'say') || at.phase === 'SHUTDOWN';
}

function described(effect: RunEffect): unknown {
  switch (effect.type) {
    case 'append':
    case 'note':
      return { ...effect, payloads: effect.payloads.map(({ ref }) => ref) };
    case 'execute':
      return { ...effect, call: effect.call.capability.hash };
    case 'propose':
      return { type: 'propose', step: effect.step };
    default:
      return effect;
  }
}

/** Maps and sets become lists. The facts are not compared: they are given, and hold functions. */
function sameState(one: RunState, other: RunState): boolean {
  const plain = ({ facts: _, ...state }: RunState) =>
    JSON.stringify(state, (_name, value: unknown) =>
      value instanceof Map || value instanceof Set ? [...value] : value,
    );
  return plain(one) === plain(other);
}

function promise(kept: boolean, what: string): void {
  if (!kept) throw new Error(`broken: ${what}`);
}

/** A run at rest, its first records durable. */
export function begun(facts: RunFacts): Outside {
  const world = outside(facts);
  send(world, { type: 'start', task: 'Do it.' });
  acknowledge(world);
  return world;
}

/** Asks the model for a proposal and sends these bytes. */
export function propose(world: Outside, bytes: Uint8Array, now = 1): void {
  if (!world.waiting.has('propose')) send(world, { type: 'step' });
  reply(world, 'propose', ({ step }) => ({ type: 'proposed', step, bytes, now, nonce: `nonce ${step}` }));
}

/** The sandbox settles the call, and all pending writes are acknowledged. */
export function settle(world: Outside, settled: CallSettled): void {
  reply(world, 'execute', ({ step }) => ({ type: 'settled', step, settled, image_hash: 'i'.repeat(64) }));
}

/** The outside validators answer each schema with this result. */
export function check(world: Outside, results: (hash: string) => SchemaVerdict): void {
  reply(world, 'check', ({ step, schemas }) => ({
    type: 'checked',
    step,
    results: new Map(schemas.map((hash) => [hash, results(hash)])),
  }));
}

/** Bodies of all records of a kind, in order. */
export function bodies<K extends Draft['kind']>(world: Outside, kind: K): readonly Bodies[K][] {
  return world.records.flatMap((record) => (record.kind === kind ? [record.body as Bodies[K]] : []));
}

/** The last reply to the model. */
export function told(world: Outside): JsonObject {
  return JSON.parse(world.state.context?.message.content ?? 'null') as JsonObject;
}
