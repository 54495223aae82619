import { unreachable } from '../../assert.ts';
import { evaluatePolicy, type Permitted } from '../../capability/authorize.ts';
import { TOOLS_CALL } from '../../capability/built-in-power.ts';
import { holding } from '../../capability/check.ts';
import { allPlaces, joined, type Label, withLabels } from '../../capability/guard.ts';
import { givenLabels } from '../../capability/hold.ts';
import { type Power, type PowerAnswer, timeoutOf } from '../../capability/power.ts';
import { refuse } from '../../errors.ts';
import { canonicalText } from '../../json/canonical.ts';
import type { JsonValue } from '../../json/value.ts';
import { parseJson } from '../../ledger/line.ts';
import type { PayloadRef } from '../../ledger/payload-ref.ts';
import type { Draft } from '../../ledger/record.ts';
import type { Refusal, Refused } from '../../outcome.ts';
import { answerUse, type DecisionSubject, type Denied, decideUse } from '../authorize/approval.ts';
import { questionOf, questionRecord, withRecords } from '../authorize/question.ts';
import { revokedOf } from '../authorize/revoke.ts';
import { commit } from '../commit/commit.ts';
import type { Payload, RunEffect } from '../effect.ts';
import type { RunEvent, SettledReads } from '../event.ts';
import { openlyRead, placesOf, receivedBy } from '../held.ts';
import type { OpenStep } from '../open-step.ts';
import { hidden, parkedRole, powerPayload, touchedRole } from '../payload.ts';
import type { AfterWrite, OpenPower, PastPower, PendingPowerCalls } from '../pending-power-calls.ts';
import type { Executing, RunState } from '../state.ts';
import { executing, stay, type Transition } from '../step.ts';
import {
  decided,
  durabilityOf,
  failed,
  issue,
  nextAsked,
  parkedKey,
  place,
  powerEvidence,
  put,
  shown,
  tell,
  withReads,
  write,
} from './power-calls.ts';
import { powerDecision } from './power-ledger.ts';
import { isTool, powerOf, readArgument, readResult, soleArgument } from './power-text.ts';

type PowerRequest = Extract<RunEvent, { type: 'power_asked' }>;

/**
 * Handles a guest's call of a page power. The default is to deny, as for a proposal. The power needs a grant under its
 * own hash, because a capability's declaration is only its author's claim; the guard considers the data that the model
 * and this call have read. A refusal reaches the guest as an error named by its code.
 */
export function askPower(state: RunState, before: Executing, event: PowerRequest): Transition {
  const at = withReads(shown(before, event.labels), event.reads);
  const { ticket } = event;
  if (at.pendingCalls.open.has(ticket)) return stay(state);
  const past = at.pendingCalls.answered.get(ticket);
  if (past !== undefined) return sayAgain(state, at, event, past);
  const power = powerOf(state, at, event.name);
  if (power === undefined) return tell(state, at, ticket, failed(unknownPower(event.name).refusal));
  const argument = readArgument(power, event.args, event.checked);
  if (!argument.ok) {
    const verdict = powerDecision({ ...event, power }, { decision: 'DENIED_ARGUMENT_INVALID', refused: argument });
    const [next, judged] = decided(state, at, verdict);
    return tell(next, judged, ticket, failed(argument.refusal));
  }
  const argsText = canonicalText(argument.value);
  const { effect } = power.manifest;
  const open: OpenPower = {
    ticket,
    power,
    args: powerPayload(at.open, ticket, 'asked', argsText),
    argsText,
    constraintResults: holding(event.checked),
    now: event.now,
    recorded: effect === 'write' || effect === 'egress' || isTool(at, event.name),
    stage: 'issuing',
  };
  return decidePower(state, at, open);
}

function unknownPower(name: string): Refused {
  if (name !== TOOLS_CALL) return refuse('power_unknown', { name });
  return refuse('power_arguments', { name, reason: 'it takes the name of a tool and one JSON value' });
}

/**
 * Repeats a recorded answer. The question is recorded, too: a guest that asks a different question this time, because
 * unrecorded inputs have changed, does not get the answer.
 */
function sayAgain(state: RunState, at: Executing, { ticket, name, args }: PowerRequest, past: PastPower): Transition {
  const power = powerOf(state, at, name);
  const argument = power && soleArgument(args);
  const same =
    argument !== undefined &&
    power?.hash === past.power_hash &&
    powerPayload(at.open, ticket, 'asked', canonicalText(argument.value)).ref.sha256 === past.args_hash;
  if (same) return tell(state, shown(again(at, power), labelsFrom(state, at, power)), ticket, past.answer);
  const [next, effects] = interruptCall(state, at);
  return [next, [{ type: 'cancel' }, ...effects]];
}

function again({ pendingCalls, ...at }: Executing, { hash }: Power): Executing {
  return { ...at, pendingCalls: { ...pendingCalls, repeated: new Set(pendingCalls.repeated).add(hash) } };
}

/** Closes a parked call that cannot be continued: the ledger has its powers' effects, but not its result. */
export function interruptCall(state: RunState, at: Executing): Transition {
  const { refusal } = refuse('interrupted', {}, { step: 'execute' });
  const { capability } = at.charged;
  const call = { capability, args_hash: at.call.args.ref.sha256, cut: true, strict: true };
  return commit(state, at.open, { ...call, ...powerEvidence(state, at), refusal });
}

/**
 * Applies the page's answer, or its timeout. The answer is a stranger's text, and the guest gets exactly the recordable
 * part of it.
 */
export function returnPower(
  state: RunState,
  at: Executing,
  event: Extract<RunEvent, { type: 'power_answered' }>,
): Transition {
  const open = at.pendingCalls.open.get(event.ticket);
  if (open?.stage !== 'issued') return stay(state);
  const { manifest } = open.power;
  const read =
    event.answer === 'timeout'
      ? refuse('power_timeout', { name: manifest.name, limit: timeoutOf(open.power) })
      : readResult(open.power, event.answer, event.checked, at.charged.capability.manifest.limits.bytesIn);
  const answer = read.ok ? read.value : failed(read.refusal);
  const told = shown(at, labelsFrom(state, at, open.power));
  if (!open.recorded) return tell(state, withReads(told, readOf(told, open, answer)), open.ticket, answer);
  const kept = powerPayload(at.open, open.ticket, 'answered', canonicalText(answer));
  const record = returnedRecord(at.open, open, answer.ok, kept.ref);
  const after = { then: 'answer', ticket: open.ticket, answer } as const;
  return write(state, put(told, { ...open, stage: 'answering' }), [record], [kept], after, {
    durability: durabilityOf(open),
  });
}

/** Labels of the answer of a power. */
export function labelsFrom(state: RunState, { charged }: Executing, { hash, manifest }: Power): readonly Label[] {
  if (state.handed.size === 0 && state.facts.sources === undefined) return manifest.labels;
  return joined(manifest.labels, givenLabels(state, charged.capability, hash));
}

/** The read by a power without a record of its own. */
function readOf(
  { pendingCalls }: Executing,
  { ticket, power, argsText }: OpenPower,
  answer: PowerAnswer,
): SettledReads {
  const heard = answer.ok ? { result: parseJson(answer.text) ?? null } : { result: null, error: answer.error };
  const call = { name: power.manifest.name, args: [parseJson(argsText) ?? null], ...heard };
  return { calls: [{ ticket, call }], touched: pendingCalls.reads.touched };
}

/** Stores the heap of a parked call in a single write with its record. */
export function parkCall(state: RunState, at: Executing, event: Extract<RunEvent, { type: 'parked' }>): Transition {
  const pendingCalls = { ...withReads(shown(at, event.labels), event.reads).pendingCalls, parked: true };
  const record = parkedRecord(at.open, event, pendingCalls);
  const row = { key: parkedKey(state.facts.run_id), value: event.kept };
  return write(state, { ...at, pendingCalls }, [record.draft], record.payloads, { then: 'parked' }, { kept: [row] });
}

/** Continues after a durable write of the running call, unless the call has ended meanwhile. */
export function powerWritten(state: RunState, at: Executing): Transition {
  const { pendingCalls } = at;
  const [after, ...writes] = pendingCalls.writes;
  const next = { ...at, pendingCalls: { ...pendingCalls, writes } };
  const over = state.stopping !== undefined || pendingCalls.settled !== undefined || revokedOf(state, at) !== undefined;
  return after === undefined || over ? [place(state, next), []] : act(state, next, after);
}

function act(state: RunState, at: Executing, after: AfterWrite): Transition {
  switch (after.then) {
    case 'nothing':
      return [place(state, at), []];
    case 'parked':
      return putQuestions(state, at);
    case 'unpark': {
      const { digest, image_hash, touched } = after;
      const { step } = at.open;
      return [place(state, at), [{ type: 'unpark', step, call: at.charged, digest, image_hash, touched }]];
    }
    case 'answer':
      return tell(state, at, after.ticket, after.answer);
    case 'issue':
      return withOpen(state, at, after.ticket, issue);
    case 'ask':
      return withOpen(state, at, after.ticket, putQuestion);
    default:
      return unreachable(after);
  }
}

function withOpen(
  state: RunState,
  at: Executing,
  ticket: number,
  act: (state: RunState, at: Executing, open: OpenPower) => Transition,
): Transition {
  const open = at.pendingCalls.open.get(ticket);
  return open === undefined ? stay(state) : act(state, at, open);
}

/**
 * Puts the question, unless another question is put at the moment: questions are put in sequence. The first question of
 * a call waits until the call is parked, so that nobody is asked a question that a crash would withdraw.
 */
function putQuestion(state: RunState, at: Executing, open: OpenPower): Transition {
  const { step } = at.open;
  if (!at.pendingCalls.puts) return [place(state, put(at, { ...open, stage: 'parking' })), [{ type: 'park', step }]];
  const isFirst = nextAsked(at.pendingCalls) === undefined;
  const asked: OpenPower = { ...open, stage: 'asked' };
  return [place(state, put(at, asked)), isFirst ? askPerson(state, at, asked) : []];
}

/** Puts the questions that waited until the call is parked, or until it is known that it cannot be. */
export function putQuestions(state: RunState, { pendingCalls, ...at }: Executing): Transition {
  const stages = [...pendingCalls.open].map(([ticket, open]): [number, OpenPower] => [
    ticket,
    open.stage === 'parking' ? { ...open, stage: 'asked' } : open,
  ]);
  const next: Executing = { ...at, pendingCalls: { ...pendingCalls, open: new Map(stages), puts: true } };
  const waiting = pendingCalls.puts ? undefined : nextAsked(next.pendingCalls);
  return [place(state, next), waiting === undefined ? [] : askPerson(state, next, waiting)];
}

/** Evaluates the policy for a power that the running call asks for. */
function decidePower(state: RunState, at: Executing, open: OpenPower): Transition {
  return decideUse(state, subjectOf(state, at, open));
}

/**
 * A use of a power, as the subject of a decision. The guard considers the data that the model and the call have read;
 * what a call holds counts at the places of the argument.
 */
function subjectOf(state: RunState, at: Executing, open: OpenPower): DecisionSubject<Permitted> {
  const { ticket, power } = open;
  const { name, effect } = power.manifest;
  const { nonce, work } = at.open;
  const received = receivedBy(state, at);
  const subject: DecisionSubject<Permitted> = {
    name,
    hash: power.hash,
    effect,
    step: at.open,
    args: open.args,
    argsText: open.argsText,
    constraintResults: open.constraintResults,
    now: open.now,
    // a call may ask the same question twice, and so may two operations of a message
    nonce: powerNonce(nonce, work?.done.length, ticket),
    during: { ticket, capability: at.charged.capability.manifest.name },
    ...carriedInto(state, at, parseJson(open.argsText) ?? null),
    ...(received && { sources: received.sources }),
    evaluate: (input) => evaluatePolicy({ name, hash: power.hash, effect }, input),
    permit: (before, decision) => permit(before, at, open, decision),
    ask: (before, _, asked) => question(before, at, { ...open, asked }, questionRecord(subject, asked)),
    deny: (before, refusal, decision = deniedBy(refusal)) => deny(before, at, open, decision),
    answered: (said) => subjectOf(state, { ...at, open: withRecords(at.open, said) }, open),
  };
  return subject;
}

/** What a use by a running call may carry: labels for the guard, and of a call that holds those of each place. */
export function carriedInto(
  state: RunState,
  at: Executing,
  argument: JsonValue,
): Pick<DecisionSubject<Permitted>, 'labels' | 'places' | 'isMixed'> {
  const labels = withLabels(withLabels(state.labels, at.open.work?.labels ?? []), openlyRead(state, at));
  if (at.open.held === undefined) return { labels };
  // all that the guest has received may stand at any place
  const places = allPlaces(argument, receivedBy(state, at)?.labels ?? []);
  // in a message, that the call is made at all follows from held outcomes
  const made = placesOf(state, at.open, at.open.work?.done.length).filter(({ pointer }) => pointer === '');
  return { labels, places: [...places, ...made], isMixed: true };
}

/** Counts the use, and issues the power: at once, or when its record is durable. */
function permit(before: RunState, asking: Executing, open: OpenPower, decision: Permitted): Transition {
  const { ticket, args, recorded } = open;
  const [state, at] = decided(before, asking, powerDecision(open, decision));
  if (!recorded) return issue(state, at, open);
  const record = issuedRecord(at.open, state, open, decision.grant.id);
  return write(
    state,
    put(at, { ...open, stage: 'issuing' }),
    [record],
    [args],
    { then: 'issue', ticket },
    { durability: durabilityOf(open) },
  );
}

function question(state: RunState, at: Executing, open: OpenPower, record: Draft): Transition {
  const asking: OpenPower = { ...open, recorded: true, stage: 'asking' };
  return write(state, put(at, asking), [record], [open.args], { then: 'ask', ticket: open.ticket });
}

function deniedBy(refusal: Refusal): Denied {
  return { decision: 'DENIED_POLICY_VIOLATION', refused: { ok: false, refusal } };
}

/** Answers the guest with the refusal: at once, or when the record of a person's answer is durable. */
function deny(before: RunState, asking: Executing, open: OpenPower, decision: Denied): Transition {
  const { ticket, stage } = open;
  const [state, at] = decided(before, asking, powerDecision(open, decision));
  const answer = failed(decision.refused.refusal);
  if (stage !== 'answering') return tell(state, at, ticket, answer);
  return write(state, put(at, open), [], [], { then: 'answer', ticket, answer });
}

/** Puts the question to a person. The question is durable. */
function askPerson(state: RunState, at: Executing, open: OpenPower): readonly RunEffect[] {
  if (open.asked === undefined) return [];
  return [{ type: 'ask', question: questionOf(state, subjectOf(state, at, open), open.asked) }];
}

/** Applies an answer to the question about a power. Then the next question is put: questions are put in sequence. */
export function answerPower(
  state: RunState,
  at: Executing,
  event: Extract<RunEvent, { type: 'answered' }>,
): Transition {
  const open = openAsked(at, event.digest);
  if (open?.asked === undefined || revokedOf(state, at) !== undefined) return stay(state);
  const answering: OpenPower = { ...open, now: event.now, stage: 'answering' };
  const subject = subjectOf(state, put(at, answering), answering);
  const [next, effects] = answerUse(state, subject, open.asked, event);
  const during = executing(next);
  const waiting = during && nextAsked(during.pendingCalls);
  if (during === undefined || waiting === undefined || effects.length === 0) return [next, effects];
  return [next, [...effects, ...askPerson(next, during, waiting)]];
}

/** The open question about a power that has this digest. */
export function openAsked({ pendingCalls }: Executing, digest: string): OpenPower | undefined {
  return [...pendingCalls.open.values()].find(({ asked, stage }) => stage === 'asked' && asked?.digest === digest);
}

/** Constructors of the records of power calls. Each body is made here only. */

function useOf({ step, step_id }: OpenStep, { ticket, power }: OpenPower) {
  return { step, step_id, ticket, power: power.manifest.name, power_hash: power.hash };
}

function issuedRecord(step: OpenStep, state: RunState, open: OpenPower, grant: string): Draft {
  const { effect } = open.power.manifest;
  const decided = { grant, policy_hash: state.policy.hash, labels: [...state.labels], now: open.now };
  return { kind: 'power', body: { ...useOf(step, open), event: 'issued', effect, args: open.args.ref, ...decided } };
}

function returnedRecord(step: OpenStep, open: OpenPower, ok: boolean, answer: PayloadRef): Draft {
  const status = ok ? 'success' : 'error';
  return { kind: 'power', body: { ...useOf(step, open), event: 'answered', status, answer } };
}

function parkedRecord(
  open: OpenStep,
  event: Extract<RunEvent, { type: 'parked' }>,
  { labels, decisions }: PendingPowerCalls,
): { readonly draft: Draft; readonly payloads: readonly Payload[] } {
  const { step, step_id, nonce } = open;
  const { image_hash } = event;
  const digest = hidden(open, parkedRole(open), event.digest);
  const touched = event.touched.length > 0 ? hidden(open, touchedRole(open), event.touched) : undefined;
  const body = {
    step,
    step_id,
    image_hash,
    digest: digest.told,
    nonce,
    labels: [...labels],
    powers: [...decisions],
    ...(touched && { touched: touched.told }),
  };
  const payloads = [digest.payload, touched?.payload].filter((payload) => payload !== undefined);
  return { draft: { kind: 'parked', body }, payloads };
}

/** Nonce of a question about a power: the operation of a message, counted from zero, and the ticket. */
export function powerNonce(step: string, operation: number | undefined, ticket: number): string {
  return operation === undefined ? `${step}:${ticket}` : `${step}/${operation}:${ticket}`;
}
