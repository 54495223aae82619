import type { Grant, Policy } from '../capability/policy.ts';
import { refuse } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { isObject, type JsonValue } from '../json/value.ts';
import { type Finding, found } from '../ledger/export.ts';
import { parseJson } from '../ledger/line.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import type { Bodies, Draft, LedgerRecord, RecordKind } from '../ledger/record.ts';
import type { Difference } from '../ledger/report.ts';
import { unsalted } from '../ledger/salt.ts';
import { rephrase } from '../run/context.ts';
import type { Payload, RunEffect } from '../run/effect.ts';
import type { RunEvent } from '../run/event.ts';
import { fold } from '../run/resume/restore.ts';
import type { RestoredRun, UnfinishedStep } from '../run/resume/restored-run.ts';
import type { RunState } from '../run/state.ts';
import type { Transition } from '../run/step.ts';
import { transition } from '../run/transition.ts';
import { contradicted } from './accepted.ts';
import { outdatedFrom } from './content.ts';
import { difference } from './difference.ts';
import { replyFault } from './reply.ts';
import { reworded } from './reworded.ts';
import { acceptedFault } from './salts.ts';
import { bytesOf, bytesOrPlaceholder, jsonOf, stepBefore, type Tape } from './tape.ts';

/** A replay in progress: the run as replayed so far, and its position on the tape. */
export interface Player {
  readonly tape: Tape;
  readonly way: 'decisions' | 'replay';
  state: RunState;
  /** Pending effects of the run. */
  effects: readonly RunEffect[];
  /** Index of the next record to compare. */
  at: number;
  compared: number;
  /** The verdicts and decisions among the compared records. */
  judged: number;
  /** The context lacks a message that is not in the file. */
  holes: boolean;
  /** Cache of `permitted`. */
  permitted?: { readonly step: number; readonly grants: readonly Grant[] };
  wrong?: Finding | undefined;
  difference?: Difference;
  readonly skipped: Finding[];
  /** Calls of a run of another engine: their fuel and heap are not compared. */
  readonly otherEngine: Finding[];
  /** Values that another engine gives, where the run has another engine. */
  readonly otherValues: Finding[];
}

/** Applies events, or enters a state, and compares the records that the run writes. */
export function take(player: Player, happening: readonly RunEvent[] | Transition): void {
  const before = player.state.at;
  player.effects = [];
  if (isTransition(happening)) enter(player, happening);
  else for (const event of happening) enter(player, transition(player.state, event));
  if (player.effects.length === 0 && player.state.at === before) reportMismatch(player, 'nothing follows from it');
}

/**
 * Applies an event that leaves the pending effects unchanged, unless it causes new effects; for example a revocation.
 */
export function takeAside(player: Player, event: RunEvent): void {
  const { effects } = player;
  permitted(player);
  take(player, [event]);
  if (player.effects.every(({ type }) => type === 'note')) player.effects = effects;
}

/**
 * Grants of this step at any time so far. A call may have used a grant that is revoked by now; if no record tells the
 * time of use, it is accepted.
 */
export function permitted(player: Player, policy: Policy = player.state.policy): readonly Grant[] {
  const { steps: step } = player.state;
  const before = player.permitted?.step === step ? player.permitted.grants : [];
  const grants = [...new Set([...before, ...policy.grants])];
  player.permitted = { step, grants };
  return grants;
}

function isTransition(happening: readonly RunEvent[] | Transition): happening is Transition {
  return Array.isArray(happening[1]);
}

function enter(player: Player, [state, effects]: Transition): void {
  player.state = state;
  player.effects = [...player.effects, ...effects];
  for (const effect of effects)
    if (effect.type === 'note' || (effect.type === 'append' && !isOutdated(player, effect)))
      compare(player, effect.drafts, effect.payloads);
}

/** True for a content write that was refused, and therefore left no record. */
export function isOutdated({ tape, at }: Player, { content }: Extract<RunEffect, { type: 'append' }>): boolean {
  return content !== undefined && outdatedFrom(tape, at) !== undefined;
}

/** Compares drafts with the recorded records. A recording may end at any record. */
export function compare(player: Player, drafts: readonly Draft[], payloads: readonly Payload[]): void {
  for (const draft of drafts) {
    const record = player.tape.records[player.at];
    if (record === undefined || player.wrong !== undefined) return;
    player.compared += 1;
    if (draft.kind === 'verdict' || draft.kind === 'decision') player.judged += 1;
    if (record.kind !== draft.kind) return reportMismatch(player, `a ${draft.kind} comes here, not a ${record.kind}`);
    const text = canonicalText(draft.body);
    const isAsRecorded =
      text === player.tape.bodies[player.at] ||
      isExcused(player, draft) ||
      isRestaged(player.tape, record, draft, payloads);
    if (!isAsRecorded && !takeWords(player, draft, payloads)) return differ(player, text, payloads);
    player.at += 1;
  }
}

/**
 * True for a consent record whose context size cannot be counted again, because a message of the context is not in the
 * file.
 */
function isExcused({ holes, tape, at }: Player, draft: Draft): boolean {
  const record = tape.records[at];
  return holes && draft.kind === 'consent' && record?.kind === 'consent' && record.body.event === draft.body.event;
}

/**
 * True for the record of a WRITE that differs only in the file that it keeps for its message, and there only in the
 * symbols of the file: those that the message does not name are not in the records.
 */
function isRestaged(tape: Tape, record: LedgerRecord, draft: Draft, payloads: readonly Payload[]): boolean {
  if (record.kind !== 'progress' || draft.kind !== 'progress') return false;
  const [was, is] = [record.body, draft.body];
  if (was.event !== 'operation' || is.event !== 'operation' || !was.staged || !is.staged) return false;
  if (canonicalText({ ...was, staged: is.staged }) !== canonicalText({ ...is })) return false;
  const { sha256 } = is.staged;
  const made = payloads.find(({ ref }) => ref.sha256 === sha256);
  const [recorded, again] = [
    jsonOf(tape, was.staged),
    made && parseJson(decodeUtf8(unsalted(made.ref, made.bytes)) ?? ''),
  ];
  if (recorded === undefined || again === undefined) return true;
  return canonicalText(withoutSymbols(recorded)) === canonicalText(withoutSymbols(again));
}

function withoutSymbols(file: JsonValue): JsonValue {
  return isObject(file) ? { ...file, was: null, rows: null } : file;
}

/**
 * Accepts the recorded reply in place of this build's reply, because the model has the recorded reply in its context.
 */
function takeWords(player: Player, draft: Draft, payloads: readonly Payload[]): boolean {
  const reply = reworded(player.tape, player.at, draft, payloads);
  if (reply === undefined) return false;
  const { recorded, again } = reply;
  const what = recorded === undefined ? 'a reply that is not in this file' : 'the sentences of a reply';
  player.skipped.push(found(seqAt(player), refuse('not_replayed', { what })));
  const { context } = player.state;
  if (recorded === undefined) player.holes = true;
  else if (context?.message.content === again) player.state = { ...player.state, context: rephrase(context, recorded) };
  return true;
}

function differ(player: Player, again: string, payloads: readonly Payload[]): void {
  const { tape, at } = player;
  const made = new Map(payloads.map(({ ref, bytes }) => [ref.sha256, bytes]));
  const find = {
    recorded: bytesOf.bind(undefined, tape),
    again: (ref: PayloadRef) => bytesOf({ ...tape, payloads: made }, ref),
  };
  const found = difference(parseJson(tape.bodies[at] ?? '') ?? null, parseJson(again) ?? null, find);
  player.difference = found;
  reportMismatch(player, `the ${tape.records[at]?.kind} at ${found.pointer}`);
}

/** Place in the run of the record that comes next. The tape leaves out records that may stand anywhere. */
export function seqAt({ tape, at }: Player): number {
  return tape.records[at]?.run_seq ?? (tape.records.at(-1)?.run_seq ?? -1) + 1;
}

/** Reports the record at which the tape and the run differ, with the reason. */
export function reportMismatch(player: Player, what: string): void {
  player.wrong = found(
    seqAt(player),
    refuse(player.way === 'decisions' ? 'decision_differs' : 'replay_differs', { what }),
  );
}

/** Records to accept as recorded because they cannot be replayed. */
export interface AcceptedRest {
  readonly why: string;
  /** End of the accepted records (exclusive); absent: the end of the step. */
  readonly until?: number;
  readonly unfinished?: UnfinishedStep;
}

/**
 * Accepts the rest of a step as recorded: the run continues from the state that the records leave, as after a crash.
 */
export function acceptRest(player: Player, { why, until, unfinished }: AcceptedRest): void {
  const { tape } = player;
  player.skipped.push(found(seqAt(player), refuse('not_replayed', { what: why })));
  player.holes = true;
  player.effects = [];
  let run: RestoredRun = { state: player.state, ...(unfinished && { unfinished }) };
  const isStep = until === undefined || unfinished !== undefined;
  let [isOpen, step] = [unfinished !== undefined, unfinished && stepOf(unfinished.proposal)];
  for (let over = false; !over && player.at < (until ?? tape.records.length); player.at++) {
    const record = tape.records[player.at];
    if (record === undefined) break;
    const { registry } = player.state.facts;
    const salts = isStep ? acceptedFault(registry, tape, player.at) : undefined;
    const what = isStep
      ? (misplaced(run.state, tape, player.at, { isOpen, step }) ?? salts ?? contradicted(run.state, tape, player.at))
      : undefined;
    if (what !== undefined) return reportMismatch(player, what);
    isOpen = true;
    step ??= stepOf(record.body);
    const next = fold(run, record, bytesOrPlaceholder(tape));
    if (next.ok) run = next.value;
    over = isStep && record.kind === 'receipt';
  }
  const seal = tape.records[player.at];
  const sealed = seal?.kind === 'seal' && isStep;
  if (sealed) player.at += 1;
  player.state = {
    ...run.state,
    at: { phase: phaseAfter(sealed ? seal.body : undefined) },
    phasesEntered: [],
    mode: 'paused',
  };
}

interface AcceptedStep {
  readonly isOpen: boolean;
  /** Its number and its id. */
  readonly step: string | undefined;
}

/** Reason why a record cannot belong to the accepted step. A single step is accepted, up to its own receipt. */
function misplaced(state: RunState, tape: Tape, at: number, { isOpen, step }: AcceptedStep): string | undefined {
  const record = tape.records[at] as LedgerRecord;
  const isTold = isOpen && tape.records[at - 1]?.kind === 'observation' && record.kind !== 'receipt';
  if (isTold || record.kind === 'configuration' || (isOpen && BEYOND.has(record.kind)))
    return `a receipt comes here, not a ${record.kind}`;
  if (step !== undefined && (stepOf(record.body) ?? step) !== step) return `a ${record.kind} of another step`;
  if (record.kind === 'approval' && record.body.event === 'answered')
    return replyFault(state, record.body, stepBefore(tape, at));
  if (record.kind === 'progress' && !isOfMessage(tape, at, record.body)) return 'an operation that nobody has judged';
  return isJudged(tape, at) ? undefined : 'a receipt of what nobody has judged';
}

/** True for reads, and for an operation that the verdict names, in its place. */
function isOfMessage(tape: Tape, at: number, body: Bodies['progress']): boolean {
  if (body.event === 'reads') return true;
  const before = stepBefore(tape, at);
  const [verdict] = before.flatMap((record) => (record.kind === 'verdict' ? [record.body] : []));
  const settled = before.filter((record) => record.kind === 'progress' && record.body.event === 'operation').length;
  const judged = verdict?.operations?.[body.operation];
  const { action, evidence } = body;
  return (
    settled === body.operation &&
    judged?.type === action.type &&
    judged.target === action.target &&
    judged.capability_hash === evidence.capability_hash &&
    judged.args.sha256 === evidence.args_hash
  );
}

const BEYOND: ReadonlySet<string> = new Set(['proposal', 'task', 'seal', 'consent']);

function stepOf(body: Bodies[RecordKind]): string | undefined {
  if ('receipt' in body) return `${body.evidence.step} ${body.receipt.step_id}`;
  return 'step_id' in body ? `${body.step} ${body.step_id}` : undefined;
}

/** True unless the receipt lists actions of a step that has no verdict. */
function isJudged(tape: Tape, at: number): boolean {
  const receipt = tape.records[at];
  if (receipt?.kind !== 'receipt' || receipt.body.receipt.actions.length === 0) return true;
  return stepBefore(tape, at).some(({ kind }) => kind === 'verdict');
}

function phaseAfter(seal: Bodies['seal'] | undefined): 'IDLE' | 'COMPLETED' | 'SHUTDOWN' {
  if (seal === undefined) return 'IDLE';
  return seal.state === 'completed' ? 'COMPLETED' : 'SHUTDOWN';
}
