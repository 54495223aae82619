import { guarded } from '../../capability/authorize.ts';
import { TOOLS_CALL } from '../../capability/built-in-power.ts';
import type { PowerCall } from '../../capability/call.ts';
import { joined, type Label, withLabels } from '../../capability/guard.ts';
import { givenLabels } from '../../capability/hold.ts';
import { revoke } from '../../capability/policy.ts';
import type { PowerAnswer } from '../../capability/power.ts';
import { refuse } from '../../errors.ts';
import { canonicalText } from '../../json/canonical.ts';
import { isObject, type JsonValue } from '../../json/value.ts';
import { found } from '../../ledger/export.ts';
import type { OperationEvidence } from '../../ledger/kinds/evidence.ts';
import type { PowerDecision } from '../../ledger/kinds/power.ts';
import type { Bodies } from '../../ledger/record.ts';
import { approvalDigest } from '../../run/authorize/question.ts';
import { concerned, revocationOf, revokedOf } from '../../run/authorize/revoke.ts';
import type { OpenStep } from '../../run/open-step.ts';
import { powerPayload } from '../../run/payload.ts';
import { NO_POWER_CALLS, type OpenPower } from '../../run/pending-power-calls.ts';
import { carriedInto, labelsFrom, powerNonce } from '../../run/powers/power.ts';
import { type IssuedPower, NO_POWERS, unanswered } from '../../run/powers/power-ledger.ts';
import { powerOf, requestedPower } from '../../run/powers/power-text.ts';
import { countUses, fold, ledgerOf, moreOf, type RestoredRun } from '../../run/resume/restore.ts';
import type { Executing, RunState } from '../../run/state.ts';
import { unwritten, written } from '../../run/step.ts';
import { isTakenUp, replyFault, yesFor } from '../inputs.ts';
import { behindStep } from '../move.ts';
import { compare, type Player, permitted, reportMismatch, seqAt } from '../player.ts';
import { callEvidence, recordedCalls, replyIn } from '../recorded.ts';
import { saltFault } from '../salts.ts';
import { bytesOrPlaceholder, inStep, jsonOf, receiptAt, stepBefore, type Tape } from '../tape.ts';
import {
  contradiction,
  type HostRecord,
  hostRecords,
  isOfContent,
  isOfPage,
  isSame,
  type ReadsBody,
  type RecordedFacts,
  readFault,
} from './facts.ts';

/**
 * Applies the host's records of a call: its powers' answers and their order are inputs, as the model's bytes are. The
 * records must fit the run's facts and each other: powers that the page provides and the capability declares, grants
 * for these powers, questions bound to this use, answers that the guest received. The call continues in the resulting
 * state.
 */
export function applyHostRecords(player: Player, at: Executing): void {
  const { tape } = player;
  const { work } = at.open;
  const evidence = callEvidence(tape, player.at, work);
  // without a receipt a message does not tell which of its operations these records belong to
  if (work !== undefined && evidence === undefined) return;
  const { powers: decisions = [] } = evidence ?? {};
  const own = hostRecords(tape, behindStep(player));
  const records = isCutOff(tape, player.at) ? own : untilRevoked(player.state, at, own);
  const cutWith = evidence === undefined ? [] : labelsOfCut(tape, player.at, evidence);
  const answers = recordedCalls(tape, evidence?.power_calls)?.map(requestedPower);
  const isAsked = answers?.some(({ name }) => powerOf(player.state, at, name) !== undefined) === true;
  const isTold = records.length > 0 || !decisions.every(isOfContent) || isAsked;
  if (!isTold && cutWith.every((label) => player.state.labels.has(label)))
    return applyReadDecisions(player, at, decisions, answers);
  // the step's pending records were written before the first of them
  if (records.length > 0) compareUnwritten(player, at);
  if (player.wrong !== undefined) return;
  player.skipped.push(found(seqAt(player), refuse('not_replayed', { what: 'what the page did for a call' })));
  const before = earlierRecords(tape, player.at, at);
  const told: RecordedFacts = {
    decisions,
    records: [...before, ...records],
    since: records,
    answers,
    image_hash: evidence?.image_hash,
    labels: isCutOff(tape, player.at) ? undefined : labelsShown(tape, player.at),
  };
  permitted(player);
  let run = soFar(player, at);
  for (const [nth, record] of records.entries()) {
    const lately = records.slice(0, nth);
    const fault = invalidReason(tape, run.state, at, record, told, { all: [...before, ...lately], lately });
    if (fault !== undefined) return reportMismatch(player, `the ${record.kind} of a power: ${fault}`);
    const next = fold(run, record, bytesOrPlaceholder(tape));
    if (next.ok) run = next.value;
    permitted(player, run.state.policy);
    player.at += 1;
  }
  // the receipt describes the call after it was continued
  if (player.at >= tape.records.length || isTakenUp(tape, player.at)) return;
  const after = { ...run.state, grants: permitted(player) };
  const fault = evidence && (readFault(after, decisions, answers) ?? contradiction(player.state, after, at, told));
  if (fault !== undefined) return reportMismatch(player, fault);
  const { state } = countUses(run, decisions);
  const step = records.length === 0 ? {} : { open: written(at.open) };
  const parked = at.pendingCalls.parked || records.some(({ kind }) => kind === 'parked');
  const open = openPowers(player, state, at, unanswered(ledgerOf(run)));
  const labels = [...withLabels(new Set(cutWith), shownTo(player, state, at, told))];
  const pendingCalls = { ...NO_POWER_CALLS, open, decisions, labels, parked };
  player.state = { ...state, at: { ...at, ...step, pendingCalls } };
}

/** Applies the decisions about content that a call read, if the host has no records of the call. */
function applyReadDecisions(
  player: Player,
  at: Executing,
  decisions: readonly PowerDecision[],
  answers: readonly PowerCall[] | undefined,
): void {
  const fault = readFault({ ...player.state, grants: permitted(player) }, decisions, answers);
  if (fault !== undefined) return reportMismatch(player, fault);
  if (decisions.length === 0) return;
  const { state } = countUses(soFar(player, at), decisions);
  player.state = { ...state, at: { ...at, pendingCalls: { ...at.pendingCalls, decisions } } };
}

/**
 * The records up to a revocation of the call's own permission. This revocation ends the call, or comes after its
 * return.
 */
function untilRevoked(state: RunState, at: Executing, records: readonly HostRecord[]): readonly HostRecord[] {
  let { policy } = state;
  const end = records.findIndex(({ kind, body }) => {
    if (kind !== 'revocation') return false;
    policy = revoke(policy, revocationOf(body));
    return revokedOf({ ...state, policy }, at) !== undefined;
  });
  return end < 0 ? records : records.slice(0, end);
}

export function isRevokedBy(state: RunState, at: Executing, body: Bodies['revocation']): boolean {
  return revokedOf({ ...state, policy: revoke(state.policy, revocationOf(body)) }, at) !== undefined;
}

/** True if no receipt tells the end of the call: the process or the file ended first. */
function isCutOff(tape: Tape, from: number): boolean {
  const end = receiptAt(tape, from);
  return end === undefined || tape.records.slice(from, end).some((_, at) => isTakenUp(tape, from + at));
}

function compareUnwritten(player: Player, at: Executing): void {
  const { drafts, payloads } = unwritten(at.open);
  compare(player, drafts, payloads);
}

/** The host's records of this call before this index: of a call that was continued after a crash. */
function earlierRecords(tape: Tape, at: number, { open: { work } }: Executing): readonly HostRecord[] {
  // an operation whose record is still ahead is not the current one
  if (work !== undefined && work.progress.drafts.length > 0) return [];
  const step = stepBefore(tape, at);
  const settled = step.findLastIndex(({ kind, body }) => kind === 'progress' && body.event === 'operation');
  return step.slice(settled + 1).filter(isOfPage);
}

/** The current run, and the uses of this step that it has counted. */
function soFar(player: Player, { open: { work } }: Executing): RestoredRun {
  const { state } = player;
  const find = bytesOrPlaceholder(player.tape);
  const counted = stepBefore(player.tape, player.at).reduce<RestoredRun>(
    (run, record) => {
      const next = fold(run, record, find);
      return next.ok ? next.value : run;
    },
    { state },
  );
  // each operation numbers its tickets anew
  const anew = work?.progress.drafts.length ? { powers: { ...NO_POWERS, used: ledgerOf(counted).used } } : {};
  return { state, ...moreOf(counted.unfinished, anew) };
}

/** Labels that the runtime's own powers had shown a call that never returned: only its receipt holds them. */
function labelsOfCut(tape: Tape, from: number, { image_hash }: Partial<OperationEvidence>): readonly Label[] {
  return image_hash === undefined ? (labelsShown(tape, from) ?? []) : [];
}

/** Labels of what the step has shown: to the run, and of a held step to its handle. */
function labelsShown(tape: Tape, from: number): readonly Label[] | undefined {
  const { labels, held } = inStep(tape, from, 'receipt')?.evidence ?? {};
  return labels && [...labels, ...(held?.labels ?? [])];
}

/**
 * Labels of the data that the powers have shown. The labels of a power in flight at the end are only in the receipt.
 */
function shownTo(
  { tape, at: from }: Player,
  state: RunState,
  at: Executing,
  { decisions, answers = [] }: RecordedFacts,
): readonly Label[] {
  const labels = labelsShown(tape, from) ?? [];
  const permitted = decisions.filter(({ decision }) => decision === 'AUTHORIZED');
  const shown = permitted.flatMap(({ power, ticket }) => {
    const used = powerOf(state, at, power);
    const all = used === undefined ? [] : labelsFrom(state, at, used);
    return ticket <= answers.length ? all : all.filter((label) => labels.includes(label));
  });
  return [...new Set(shown)].sort();
}

/** The power that was issued and not answered. The model was told of a single power. */
function openPowers(
  { tape, at: from }: Player,
  state: RunState,
  at: Executing,
  issued: readonly IssuedPower[],
): ReadonlyMap<number, OpenPower> {
  const out = issued.flatMap(({ ticket, now, ...body }): OpenPower[] => {
    const power = powerOf(state, at, body.power);
    if (power === undefined) return [];
    const args = { ref: body.args, bytes: NONE };
    return [{ ticket, power, args, argsText: '', constraintResults: new Map(), now, recorded: true, stage: 'issued' }];
  });
  const ref = replyIn(tape, from);
  const reply = ref && jsonOf(tape, ref);
  const name = isObject(reply) && isObject(reply['details']) ? reply['details']['name'] : undefined;
  const named = out.filter(({ power }) => power.manifest.name === name);
  return new Map((named.length > 0 ? named : out).map((open) => [open.ticket, open]));
}

const NONE = new Uint8Array();

/** Host records before the record to check: in its whole step, and since the last resumption. */
interface Before {
  readonly all: readonly HostRecord[];
  readonly lately: readonly HostRecord[];
}

/** Reason why the run cannot have written this record of its call; undefined if it can. */
function invalidReason(
  tape: Tape,
  state: RunState,
  at: Executing,
  record: HostRecord,
  told: RecordedFacts,
  before: Before,
): string | undefined {
  const { kind, body } = record;
  if (kind === 'revocation') return revocationFault(state, body);
  if (body.step !== at.open.step || body.step_id !== at.open.step_id) return 'it is of another step';
  const mixed = saltFault(tape, at.open, record);
  if (mixed !== undefined) return mixed;
  if (kind === 'parked') return parkedFault(at, body, told, before);
  if (kind === 'progress') return readsFault(tape, body, told);
  const turn = outOfTurn(record, before);
  if (turn !== undefined) return turn;
  const [name, hash] = kind === 'power' ? [body.power, body.power_hash] : [body.capability, body.capability_hash];
  const power = powerOf(state, at, name);
  if (power?.hash !== hash) return 'it is not one that the capability may ask for';
  if (kind === 'approval') {
    return body.event === 'asked'
      ? questionFault(state, at, body, power.manifest.effect, told)
      : (replyFault(state, body, before.all) ??
          labelsFault(state, at, body, told) ??
          handledFault(state, at, body, before));
  }
  if (body.event === 'answered') return answerFault(tape, body, told);
  if (isOther(at.open, told, body.ticket, body.args.sha256, before)) return 'the guest asked it something else';
  const { policy, labels } = state;
  if (body.effect !== power.manifest.effect) return 'its effect is another';
  if (body.policy_hash !== policy.hash || canonicalText([...labels]) !== canonicalText([...body.labels]))
    return 'it was issued under another policy';
  const grant = policy.grants.find(({ id }) => id === body.grant);
  if (grant?.capability_hash !== hash || grant.mode === 'deny') return 'the grant is not one for it';
  if (grant.expires !== undefined && grant.expires <= body.now) return 'the grant had expired';
  return isUnasked(tape, state, at, body, before)
    ? 'nobody was asked about the held values that it may carry'
    : undefined;
}

/** True if the rule for held values demanded a person by then, and no person has said yes. */
function isUnasked(
  tape: Tape,
  state: RunState,
  at: Executing,
  { ticket, effect, args, grant: id }: IssuedPower,
  before: Before,
): boolean {
  const grant = state.policy.grants.find((each) => each.id === id);
  if (at.open.held === undefined || grant === undefined) return false;
  const approvals = before.all.flatMap(({ kind, body }) =>
    kind === 'approval' && body.ticket === ticket ? [body] : [],
  );
  // arguments that were erased leave the place that the call is made at all
  const carried = carriedInto(state, callThen(state, at, before), jsonOf(tape, args) ?? null);
  const said = yesFor(approvals, grant);
  return guarded(effect, { policy: state.policy, ...carried, ...said }, grant) !== undefined;
}

/** The call with what its records say that it has received: before it was last parked, and since it was resumed. */
function callThen(state: RunState, at: Executing, { all, lately }: Before): Executing {
  const parked = all.findLastIndex(({ kind }) => kind === 'parked');
  const known = [...new Set([...all.slice(0, Math.max(0, parked)), ...lately])];
  const uses = known.flatMap(({ kind, body }) => (kind === 'power' ? [body] : []));
  const { capability } = at.charged;
  const decisions = uses.flatMap((body): PowerDecision[] => {
    if (body.event !== 'issued') return [];
    const { ticket, power, power_hash, grant, now } = body;
    return [{ ticket, power, power_hash, decision: 'AUTHORIZED', grant, now }];
  });
  const labels = uses.flatMap(({ event, power_hash }) =>
    event === 'answered' ? givenLabels(state, capability, power_hash) : [],
  );
  return { ...at, pendingCalls: { ...NO_POWER_CALLS, decisions, labels: joined(labels) } };
}

/** A standing answer names the labels of the held values that the call could carry by then. */
function handledFault(
  state: RunState,
  at: Executing,
  body: Exclude<Bodies['approval'], { event: 'asked' }>,
  before: Before,
): string | undefined {
  if (body.event === 'part' || body.grant === undefined) return undefined;
  const { handled } = body.grant;
  if (at.open.held === undefined) return handled === undefined ? undefined : 'the call has received no held value';
  // in a message the answer is also about the held operations that the call was made behind
  const { places = [] } = carriedInto(state, callThen(state, at, before), null);
  const received = joined(...places.map(({ labels }) => labels));
  // a power that only reads leaves no record of its own
  const isTold = at.charged.capability.manifest.powers.every((name) => name === TOOLS_CALL);
  const most = isTold ? received : [...received, ...at.open.held.outcome.labels];
  const fits =
    handled !== undefined &&
    received.every((each) => handled.includes(each)) &&
    handled.every((each) => most.includes(each));
  return fits ? undefined : 'the answer is not about what the call had received';
}

/** The reads are among the calls of the guest, with the same answers, and their decisions among those of the call. */
function readsFault(
  tape: Tape,
  { tickets, calls: ref, powers }: ReadsBody,
  { answers, decisions, image_hash }: RecordedFacts,
) {
  // the receipt of a call that was cut off is made from these records
  if (image_hash === undefined) return undefined;
  const unknown = powers.some((each) => !decisions.some((decided) => canonicalText(decided) === canonicalText(each)));
  if (unknown) return 'other things were decided about its powers';
  const calls = recordedCalls(tape, ref)?.map(requestedPower);
  if (calls === undefined || answers === undefined) return undefined;
  const isSame = (ticket: number, nth: number) =>
    canonicalText((answers[ticket - 1] ?? null) as JsonValue) === canonicalText((calls[nth] ?? null) as JsonValue);
  return calls.length === tickets.length && tickets.every(isSame) ? undefined : 'the guest heard something else';
}

/** A revocation takes away an existing permission, and leaves the policy that it names. */
function revocationFault(state: RunState, body: Bodies['revocation']): string | undefined {
  const revocation = revocationOf(body);
  const { hash } = revoke(state.policy, revocation);
  if (hash !== body.policy_hash || hash === state.policy.hash) return 'it leaves another policy';
  const revoked = canonicalText(concerned(state, revocation));
  return revoked === canonicalText(body.revoked) ? undefined : 'it names something else';
}

/**
 * A standing answer names no label that the run and the other powers of its call cannot have shown. The labels of
 * built-in powers are only in the receipt.
 */
function labelsFault(
  state: RunState,
  at: Executing,
  body: Exclude<Bodies['approval'], { event: 'asked' }>,
  { labels: shown = [], decisions }: RecordedFacts,
): string | undefined {
  const { ticket } = body;
  const grant = body.event === 'answered' ? body.grant : undefined;
  const others = decisions.filter((decided) => decided.ticket !== ticket);
  const ofPowers = others.flatMap(({ power }) => {
    const used = powerOf(state, at, power);
    return used === undefined ? [] : labelsFrom(state, at, used);
  });
  const isBuiltIn = at.charged.capability.manifest.powers.some((name) => powerOf(state, at, name) === undefined);
  const known = new Set([...state.labels, ...(at.open.work?.labels ?? []), ...ofPowers, ...(isBuiltIn ? shown : [])]);
  const unknown = grant?.labels?.some((label) => !known.has(label)) === true;
  return unknown ? 'nothing had shown a label by then' : undefined;
}

/** A question is bound to the power, its argument, the run, the step and its nonce. */
function questionFault(
  state: RunState,
  { open }: Executing,
  body: Extract<Bodies['approval'], { event: 'asked' }>,
  effect: string,
  told: RecordedFacts,
): string | undefined {
  const { capability_hash, nonce, args, ticket = 0 } = body;
  if (!nonce.endsWith(`:${ticket}`) || isOther(open, told, ticket, args.sha256))
    return 'the guest asked something else';
  const bound = { capability_hash, args_hash: args.sha256, run_id: state.facts.run_id, step_id: open.step_id, nonce };
  return body.effect === effect && approvalDigest(bound) === body.digest ? undefined : 'the question is another';
}

/** The guest received the recorded answer of the page. */
function answerFault(
  tape: Tape,
  body: Extract<Bodies['power'], { event: 'answered' }>,
  { answers }: RecordedFacts,
): string | undefined {
  const heard = answers?.[body.ticket - 1];
  const answer = jsonOf(tape, body.answer) as unknown as PowerAnswer | undefined;
  if (answer === undefined) return undefined;
  if ((body.status === 'success') !== answer.ok) return 'its status is another';
  return heard === undefined || sameAnswer(heard, answer) ? undefined : 'the guest heard another answer';
}

function sameAnswer({ result, error }: PowerCall, answer: PowerAnswer): boolean {
  if (!answer.ok) return canonicalText((error ?? null) as JsonValue) === canonicalText(answer.error);
  return error === undefined && canonicalText(result) === answer.text;
}

/**
 * True if the ticket's argument differs from the argument in the guest's power calls, or from the argument in the
 * question to a person.
 */
function isOther(
  open: OpenStep,
  { answers }: RecordedFacts,
  ticket: number,
  args_hash: string,
  { all }: Before = NOTHING,
): boolean {
  const heard = answers?.[ticket - 1]?.args;
  const [argument] = Array.isArray(heard) ? (heard as readonly JsonValue[]) : [];
  const asked = argument !== undefined && powerPayload(open, ticket, 'asked', canonicalText(argument));
  if (asked && asked.ref.sha256 !== args_hash) return true;
  return all.some(({ kind, body }) => {
    return kind === 'approval' && body.event === 'asked' && body.ticket === ticket && body.args.sha256 !== args_hash;
  });
}

const NOTHING: Before = { all: [], lately: [] };

/**
 * Reason why a record is out of order. A question comes once, before its answer; a power is issued once, and then
 * answered once.
 */
function outOfTurn(record: HostRecord, { all, lately }: Before): string | undefined {
  const among = (records: readonly HostRecord[], event: string) =>
    records.filter((each) => isAbout(each, record, event));
  if (record.kind === 'power') {
    if (among(all, record.body.event).length > 0) return `it was ${record.body.event} already`;
    if (record.body.event === 'issued' && isOpen(record.body.ticket, lately)) return 'it was asked and not answered';
    return record.body.event === 'answered' && among(all, 'issued').length === 0 ? 'nobody had issued it' : undefined;
  }
  if (record.kind !== 'approval') return undefined;
  const open = among(lately, 'asked').length - among(lately, 'answered').length;
  if (record.body.event === 'asked') return open > 0 ? 'it was asked already' : undefined;
  // a question may have several parts of a yes, and then its answer
  return open > 0 || among(all, 'asked').length > among(all, 'answered').length ? undefined : 'nobody had asked it';
}

/** True if a question about this use waits for its answer. */
function isOpen(ticket: number, lately: readonly HostRecord[]): boolean {
  const last = lately.findLast(({ kind, body }) => kind === 'approval' && body.ticket === ticket);
  return last?.kind === 'approval' && last.body.event !== 'answered';
}

/** True for a record of the same kind about the same use of a power. */
function isAbout(one: HostRecord, other: HostRecord, event: string): boolean {
  if (one.kind === 'power' && other.kind === 'power')
    return one.body.event === event && one.body.ticket === other.body.ticket && isOfPower(one.body, other.body);
  if (one.kind !== 'approval' || other.kind !== 'approval') return false;
  return one.body.event === event && one.body.ticket === other.body.ticket && one.body.digest === other.body.digest;
}

function isOfPower(one: Bodies['power'], other: Bodies['power']): boolean {
  return one.step === other.step && one.power === other.power && one.power_hash === other.power_hash;
}

/**
 * Reason why the record of a parked call is invalid. A call is parked once, with its image, the nonce of its questions,
 * and all decisions about its powers so far. The digest of its heap cannot be verified.
 */
function parkedFault(
  { open }: Executing,
  { nonce, image_hash, labels, powers }: Bodies['parked'],
  { decisions, image_hash: ran, labels: shown }: RecordedFacts,
  { all, lately }: Before,
): string | undefined {
  if (lately.findLast(({ kind }) => kind !== 'revocation')?.kind === 'parked') return 'it was out already';
  if (ran !== undefined && image_hash !== ran) return 'it ran on another image';
  const isBound = all.every(
    ({ kind, body }) =>
      kind !== 'approval' ||
      body.event !== 'asked' ||
      body.step !== open.step ||
      body.nonce === powerNonce(nonce, open.work?.done.length, body.ticket ?? 0),
  );
  // without a question, the nonce of a step tells only the operation
  const isOfStep = open.nonce === nonce || (/^(?:\/\d+)?$/.test(open.nonce) && nonce.endsWith(open.nonce));
  if (!isBound || !isOfStep) return 'its questions are bound to another nonce';
  // a call that was continued repeats an earlier answer without a decision
  const issued = lately.every(
    ({ kind, body }) =>
      kind !== 'power' ||
      body.event !== 'issued' ||
      body.step !== open.step ||
      powers.some((decided) => decided.decision === 'AUTHORIZED' && isSame(decided, body)),
  );
  if (!issued) return 'a power had been issued by then, and is not in it';
  const told = lately.flatMap((record) => (record.kind === 'progress' ? record.body.powers : []));
  const named = new Set(powers.map((each) => canonicalText({ ...each })));
  if (!told.every((each) => named.has(canonicalText({ ...each }))))
    return 'a power had been decided by then, and is not in it';
  if (shown === undefined) return undefined;
  if (labels.some((label) => !shown.includes(label))) return 'its receipt knows nothing of a label';
  return canonicalText(powers) === canonicalText(decisions.slice(0, powers.length))
    ? undefined
    : 'other things were decided about its powers';
}
