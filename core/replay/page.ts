import { approvalDigest } from '../capability/approval.ts';
import { guarded } from '../capability/authorize.ts';
import type { PowerCall } from '../capability/call.ts';
import type { Grant } from '../capability/grant.ts';
import { type Label, withLabels } from '../capability/guard.ts';
import { revoke } from '../capability/policy.ts';
import type { PowerAnswer } from '../capability/power.ts';
import { refuse } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import { isObject, type JsonValue } from '../json/value.ts';
import { found } from '../ledger/export.ts';
import type { Bodies, OperationEvidence, PowerDecision } from '../ledger/record.ts';
import { EMPTY_DESK, type OpenPower } from '../run/desk.ts';
import { powerOf } from '../run/power-text.ts';
import { chargedPowers, fold, type Restored } from '../run/restore.ts';
import { revocationOf } from '../run/revoke.ts';
import { revokedOf } from '../run/revoked.ts';
import type { Executing, RunState } from '../run/state.ts';
import { isTakenUp } from './inputs.ts';
import { isOfPage, isSame, ownRecords, type PageRecord, pageRecords } from './page-records.ts';
import { compare, type Player, stray } from './player.ts';
import { callEvidence, isUnanswered, recordedCalls } from './recorded.ts';
import { bytesOrPlaceholder, inStep, jsonOf, receiptAt, type Tape } from './tape.ts';

/**
 * Takes what the page did for a call from the records: its powers' answers, and when they came, are inputs like the
 * model's bytes. They must fit the run's facts and each other: the powers that the page provides and the capability
 * declares, grants that are theirs, questions bound to this very use, answers that the guest was given. The call goes on
 * with what they leave.
 */
export function hearPage(player: Player, at: Executing): void {
  const { tape } = player;
  const { work } = at.open;
  const evidence = callEvidence(tape, player.at, work);
  // a message that has no receipt does not tell which of its operations the page did something for
  if (work !== undefined && evidence === undefined) return;
  const { powers: decisions = [] } = evidence ?? {};
  const following = pageRecords(tape, player.at + at.open.drafts.length);
  const own = work === undefined ? following : ownRecords(following, work.done.length, decisions);
  const records = isCutOff(tape, player.at) ? own : untilRevoked(player.state, at, own);
  const cutWith = evidence === undefined ? [] : labelsOfCut(tape, player.at, evidence);
  if (records.length === 0 && decisions.length === 0 && cutWith.every((label) => player.state.labels.has(label)))
    return;
  // what the step had not written yet was written before the first of them
  if (records.length > 0) compare(player, at.open.drafts, at.open.payloads);
  if (player.wrong !== undefined) return;
  player.skipped.push(found(player.at, refuse('not_replayed', { what: 'what the page did for a call' })));
  const before = work === undefined ? tape.records.slice(0, player.at).filter(isOfPage) : [];
  const told: Told = {
    decisions,
    records: [...before, ...records],
    since: records,
    answers: recordedCalls(tape, evidence?.power_calls),
    unanswered: evidence !== undefined && isUnanswered(evidence),
  };
  let run = soFar(player, work !== undefined);
  for (const record of records) {
    const fault = unfit(tape, run.state, at, record, told);
    if (fault !== undefined) return stray(player, `the ${record.kind} of a power: ${fault}`);
    const next = fold(run, record, bytesOrPlaceholder(tape));
    if (next.ok) run = next.value;
    player.at += 1;
  }
  // the receipt is that of the call as it was gone on with
  if (player.at >= tape.records.length || isTakenUp(tape, player.at)) return;
  const fault = evidence && contradiction(player.state, run.state, at, told);
  if (fault !== undefined) return stray(player, fault);
  const { state } = chargedPowers(run, decisions);
  const written = records.length === 0 ? {} : { open: { ...at.open, drafts: [], payloads: [] } };
  const parked = at.desk?.parked === true || records.some(({ kind }) => kind === 'parked');
  const open = told.unanswered ? unanswered(player, state, at, told) : EMPTY_DESK.open;
  const labels = [...withLabels(new Set(cutWith), shownTo(player, state, at, told))];
  const desk = { ...EMPTY_DESK, open, decisions, labels, parked };
  player.state = { ...state, at: { ...at, ...written, desk } };
}

/** What takes the call's own permission away ends it, or comes when it has come back. */
function untilRevoked(state: RunState, at: Executing, records: readonly PageRecord[]): readonly PageRecord[] {
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

/** No receipt tells how the call ended: the process did, or the file. */
function isCutOff(tape: Tape, from: number): boolean {
  const end = receiptAt(tape, from);
  return end === undefined || tape.records.slice(from, end).some((_, at) => isTakenUp(tape, from + at));
}

/** What the records tell of a call: its own receipt, or its part in that of its message. */
interface Told {
  readonly decisions: readonly PowerDecision[];
  /** Of this call, up to where it is gone on with. */
  readonly records: readonly PageRecord[];
  /** Those since the run was last taken up: the receipt does not tell of every decision before a crash. */
  readonly since: readonly PageRecord[];
  /** What the guest was given, by ticket; undefined where the file does not have it. */
  readonly answers: readonly PowerCall[] | undefined;
  /** It failed for want of an answer. */
  readonly unanswered: boolean;
}

/** Where what was decided, what was written down and what the guest heard do not go together. */
function contradiction(before: RunState, after: RunState, at: Executing, told: Told): string | undefined {
  const { decisions, since, answers = [] } = told;
  // what is no longer permitted may have been when the call asked for it
  const grants = [...before.policy.grants, ...after.policy.grants];
  const wrong = decisions.find((decided) => !isPermitted({ ...after, grants }, at, decided, told));
  if (wrong !== undefined) return `what was decided about the power ${wrong.power}`;
  const undecided = since.find(({ kind, body }) => {
    if (kind !== 'power' || body.event !== 'issued') return false;
    return !decisions.some((decided) => decided.decision === 'AUTHORIZED' && isSame(decided, body));
  });
  if (undecided !== undefined) return 'a power that was issued and not permitted';
  const unfounded = answers.findIndex((call, index) => !isFounded(before, at, call, index + 1, told));
  return unfounded < 0 ? undefined : `what the guest heard from its power call ${unfounded + 1}`;
}

/** The run as it stands, and which uses of this step have been counted in it. */
function soFar({ tape, at, state }: Player, isOperation: boolean): Restored {
  const from = tape.records.findLastIndex((record, i) => i < at && record.kind === 'proposal');
  const before = tape.records.slice(Math.max(from, 0), at);
  const find = bytesOrPlaceholder(tape);
  const counted = before.reduce<Restored>(
    (run, record) => {
      const next = fold(run, record, find);
      return next.ok ? next.value : run;
    },
    { state },
  );
  // each operation counts its tickets anew
  const anew = isOperation ? { charged: [], powers: [] } : {};
  return { state, ...(counted.unfinished && { unfinished: { ...counted.unfinished, ...anew } }) };
}

/** Why a record cannot be what this run wrote of its call; undefined when it can. */
function unfit(tape: Tape, state: RunState, at: Executing, { kind, body }: PageRecord, told: Told): string | undefined {
  if (kind === 'revocation') return revocationFault(state, body);
  if (body.step !== at.open.step || body.step_id !== at.open.step_id) return 'it is of another step';
  if (kind === 'parked') return undefined;
  const [name, hash] = kind === 'power' ? [body.power, body.power_hash] : [body.capability, body.capability_hash];
  const power = powerOf(state, at, name);
  if (power?.hash !== hash) return 'it is not one that the capability may ask for';
  if (kind === 'approval') return questionFault(state, at, body, power.manifest.effect);
  if (body.event === 'answered') return answerFault(tape, body, told);
  const { policy, labels } = state;
  if (body.effect !== power.manifest.effect) return 'its effect is another';
  if (body.policy_hash !== policy.hash || canonicalText([...labels]) !== canonicalText([...body.labels]))
    return 'it was issued under another policy';
  const grant = policy.grants.find(({ id }) => id === body.grant);
  if (grant?.capability_hash !== hash || grant.mode === 'deny') return 'the grant is not one for it';
  return grant.expires !== undefined && grant.expires <= body.now ? 'the grant had expired' : undefined;
}

/** It takes away what was there, and leaves what it says. */
function revocationFault({ policy }: RunState, body: Bodies['revocation']): string | undefined {
  const { hash } = revoke(policy, revocationOf(body));
  return hash === body.policy_hash && hash !== policy.hash ? undefined : 'it leaves another policy';
}

/** A question is bound to the power, its argument, the run, the step and its nonce. */
function questionFault(
  state: RunState,
  { open }: Executing,
  body: Bodies['approval'],
  effect: string,
): string | undefined {
  if (body.event === 'answered') return undefined;
  const { capability_hash, nonce, args } = body;
  const bound = { capability_hash, args_hash: args.sha256, run_id: state.facts.run_id, step_id: open.step_id, nonce };
  return body.effect === effect && approvalDigest(bound) === body.digest ? undefined : 'the question is another';
}

/** The guest was given what the ledger says that the page had answered. */
function answerFault(
  tape: Tape,
  body: Extract<Bodies['power'], { event: 'answered' }>,
  { answers }: Told,
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
 * A use that was permitted had a grant that is the power's own, and a person's yes where that says so or the guard does;
 * one that can change something was written down before, and what was written down has an answer if the guest heard one.
 */
function isPermitted(
  { grants, ...state }: RunState & { readonly grants: readonly Grant[] },
  at: Executing,
  decided: PowerDecision,
  { records, answers = [] }: Told,
): boolean {
  const power = powerOf(state, at, decided.power);
  if (power?.hash !== decided.power_hash) return false;
  const own = records.filter(
    ({ body }) => 'step' in body && body.step === at.open.step && 'ticket' in body && body.ticket === decided.ticket,
  );
  const isDenied = own.some(({ kind, body }) => kind === 'approval' && body.event === 'answered' && !body.approved);
  if (decided.decision !== 'AUTHORIZED') return isDenied || decided.code !== 'approval_denied';
  const grant = grants.find(({ id }) => id === decided.grant);
  if (grant?.capability_hash !== power.hash || grant.mode === 'deny') return false;
  const { effect } = power.manifest;
  const isIssued = own.some(({ kind, body }) => kind === 'power' && body.event === 'issued');
  const yeses = own.flatMap(({ kind, body }) =>
    kind === 'approval' && body.event === 'answered' && body.approved ? [body.via] : [],
  );
  const approved = yeses.some((via) => via !== 'authorizer');
  if (!isIssued && (effect === 'write' || effect === 'egress')) return false;
  const isAnswered = own.some(isAnswerTo(at.open.step, decided.ticket));
  if (isIssued && !isAnswered && decided.ticket <= answers.length) return false;
  if (grant.mode === 'ask' && !approved) return false;
  // what its other powers have shown it by then can only have asked for more
  return guarded(effect, { ...state, approved, cleared: yeses.length > 0 }, grant) === undefined;
}

/** The guest hears a refusal where its use was refused, and no answer of the page's where none was permitted. */
function isFounded(
  state: RunState,
  at: Executing,
  { name, error }: PowerCall,
  ticket: number,
  { decisions, records }: Told,
): boolean {
  if (powerOf(state, at, name) === undefined) return true;
  const decided = decisions.findLast((each) => each.ticket === ticket);
  // an argument that its schema does not accept is refused before anything is decided
  if (decided === undefined) return error !== undefined || records.some(isAnswerTo(at.open.step, ticket));
  if (decided.power !== name) return false;
  return decided.decision === 'AUTHORIZED' || error?.name === decided.code;
}

function isAnswerTo(step: number, ticket: number) {
  return ({ kind, body }: PageRecord): boolean =>
    kind === 'power' && body.event === 'answered' && body.step === step && body.ticket === ticket;
}

/** Of a call that never came back nobody but its receipt knows what the runtime's own powers had shown it. */
function labelsOfCut(tape: Tape, from: number, { image_hash }: Partial<OperationEvidence>): readonly Label[] {
  return image_hash === undefined ? (inStep(tape, from, 'receipt')?.evidence.labels ?? []) : [];
}

/** Labels of what the powers have answered. Of one that was under way at the end nobody knows but the receipt. */
function shownTo(
  { tape, at: from }: Player,
  state: RunState,
  at: Executing,
  { decisions, answers = [] }: Told,
): readonly Label[] {
  const { labels = [] } = inStep(tape, from, 'receipt')?.evidence ?? {};
  const permitted = decisions.filter(({ decision }) => decision === 'AUTHORIZED');
  const shown = permitted.flatMap(({ power, ticket }) => {
    const all = powerOf(state, at, power)?.manifest.labels ?? [];
    return ticket <= answers.length ? all : all.filter((label) => labels.includes(label));
  });
  return [...new Set(shown)].sort();
}

/** What was issued and not answered. Of one that had not begun yet the model was not told. */
function unanswered(
  { tape, at: from }: Player,
  state: RunState,
  at: Executing,
  { records }: Told,
): ReadonlyMap<number, OpenPower> {
  const uses = records.flatMap(({ kind, body }) => (kind === 'power' && body.step === at.open.step ? [body] : []));
  const answered = new Set(uses.flatMap(({ event, ticket }) => (event === 'answered' ? [ticket] : [])));
  const out = uses.flatMap((body): OpenPower[] => {
    const power = powerOf(state, at, body.power);
    if (body.event === 'answered' || answered.has(body.ticket) || power === undefined) return [];
    const args = { ref: body.args, bytes: NONE };
    const { ticket, now } = body;
    return [{ ticket, power, args, argsText: '', holds: new Map(), now, recorded: true, stage: 'issued' }];
  });
  const observed = inStep(tape, from, 'observation');
  const reply = observed && jsonOf(tape, observed.payload);
  const name = isObject(reply) && isObject(reply['details']) ? reply['details']['name'] : undefined;
  const named = out.filter(({ power }) => power.manifest.name === name);
  return new Map((named.length > 0 ? named : out).map((open) => [open.ticket, open]));
}

const NONE = new Uint8Array();
