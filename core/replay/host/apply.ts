import type { PowerCall } from '../../capability/call.ts';
import { type Label, withLabels } from '../../capability/guard.ts';
import { revoke } from '../../capability/policy.ts';
import { refuse } from '../../errors.ts';
import { isObject } from '../../json/value.ts';
import { found } from '../../ledger/export.ts';
import type { OperationEvidence } from '../../ledger/kinds/evidence.ts';
import type { PowerDecision } from '../../ledger/kinds/power.ts';
import type { Bodies } from '../../ledger/record.ts';
import { revocationOf } from '../../run/authorize/revoke.ts';
import { revokedOf } from '../../run/authorize/revoked.ts';
import { NO_POWER_CALLS, type OpenPower } from '../../run/pending-power-calls.ts';
import { type IssuedPower, NO_POWERS, unanswered } from '../../run/powers/power-ledger.ts';
import { powerOf, requestedPower } from '../../run/powers/power-text.ts';
import { fold } from '../../run/resume/restore.ts';
import { countUses, ledgerOf } from '../../run/resume/restore-powers.ts';
import { moreOf, type RestoredRun } from '../../run/resume/restored-run.ts';
import type { Executing, RunState } from '../../run/state.ts';
import { unwritten, written } from '../../run/step.ts';
import { isTakenUp } from '../inputs.ts';
import { behindStep } from '../move.ts';
import { compare, type Player, permitted, reportMismatch, seqAt } from '../player.ts';
import { isOfContent, readFault } from '../reads.ts';
import { callEvidence, recordedCalls } from '../recorded.ts';
import { bytesOrPlaceholder, inStep, jsonOf, receiptAt, stepBefore, type Tape } from '../tape.ts';
import { contradiction, type RecordedFacts } from './facts.ts';
import { type HostRecord, hostRecords, isOfPage } from './records.ts';
import { invalidReason } from './valid.ts';

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
    labels: isCutOff(tape, player.at) ? undefined : inStep(tape, player.at, 'receipt')?.evidence.labels,
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
  return image_hash === undefined ? (inStep(tape, from, 'receipt')?.evidence.labels ?? []) : [];
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
  const { labels = [] } = inStep(tape, from, 'receipt')?.evidence ?? {};
  const permitted = decisions.filter(({ decision }) => decision === 'AUTHORIZED');
  const shown = permitted.flatMap(({ power, ticket }) => {
    const all = powerOf(state, at, power)?.manifest.labels ?? [];
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
  const observed = inStep(tape, from, 'observation');
  const reply = observed && jsonOf(tape, observed.payload);
  const name = isObject(reply) && isObject(reply['details']) ? reply['details']['name'] : undefined;
  const named = out.filter(({ power }) => power.manifest.name === name);
  return new Map((named.length > 0 ? named : out).map((open) => [open.ticket, open]));
}

const NONE = new Uint8Array();
