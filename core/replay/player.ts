import type { Grant, Policy } from '../capability/policy.ts';
import { refuse } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { isObject, type JsonValue } from '../json/value.ts';
import type { Difference } from '../ledger/checks.ts';
import { type Finding, found } from '../ledger/export.ts';
import { isPayloadRef } from '../ledger/form.ts';
import { isCanonical, parseJson } from '../ledger/line.ts';
import { type PayloadRef, saltIn, unsalted } from '../ledger/payload-ref.ts';
import type { Draft, LedgerRecord } from '../ledger/record.ts';
import { rephrase } from '../run/context.ts';
import type { Payload, RunEffect } from '../run/effect.ts';
import type { RunEvent } from '../run/event.ts';
import { withoutSentences } from '../run/observe.ts';
import type { RunState } from '../run/state.ts';
import type { Transition } from '../run/step.ts';
import { transition } from '../run/transition.ts';
import { outdatedFrom } from './recorded.ts';
import { bytesOf, jsonOf, storedOf, type Tape } from './tape.ts';

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

/** A recorded reply whose sentences differ from this build's sentences. */
interface RewordedReply {
  /** Undefined if the reply is not in the file: then only its status can be compared. */
  readonly recorded: string | undefined;
  readonly again: string;
}

/**
 * Compares the reply of a step without its sentences: status, class, code, step, pointer and details. Any version may
 * improve a sentence, and no decision depends on it. Undefined for replies with any further difference, and for every
 * draft that is no error reply.
 */
function reworded(tape: Tape, at: number, draft: Draft, payloads: readonly Payload[]): RewordedReply | undefined {
  if (draft.kind !== 'observation' || draft.body.status !== 'error') return undefined;
  const record = tape.records[at];
  if (record?.kind !== 'observation') return undefined;
  const { payload: ref } = draft.body;
  if (canonicalText({ ...record.body, payload: ref }) !== canonicalText(draft.body)) return undefined;
  const made = payloads.find((each) => each.ref.sha256 === ref.sha256);
  if (made === undefined) return undefined;
  const again = decodeUtf8(unsalted(ref, made.bytes));
  if (again === undefined || !isSaltedAlike(tape, record.body.payload, made)) return undefined;
  const bytes = bytesOf(tape, record.body.payload);
  if (bytes === undefined) return { recorded: undefined, again };
  const recorded = decodeUtf8(bytes);
  return recorded !== undefined && isSame(recorded, again) ? { recorded, again } : undefined;
}

/**
 * True if both payloads have the same salt. A reworded reply of a secret step has a different hash, but the same salt.
 */
function isSaltedAlike(tape: Tape, recorded: PayloadRef, { ref, bytes }: Payload): boolean {
  if (recorded.salt !== ref.salt) return false;
  const stored = storedOf(tape, recorded);
  return stored === undefined || saltIn(recorded, stored) === saltIn(ref, bytes);
}

function isSame(recorded: string, again: string): boolean {
  const [was, is] = [parseJson(recorded), parseJson(again)];
  if (was === undefined || is === undefined || !isCanonical(was, recorded)) return false;
  return canonicalText(withoutSentences(was)) === canonicalText(withoutSentences(is));
}

type Find = (ref: PayloadRef) => Uint8Array | undefined;

/**
 * The first difference of two bodies. If both name payloads, their texts are compared from the first differing
 * character.
 */
function difference(recorded: JsonValue, again: JsonValue, find: { recorded: Find; again: Find }): Difference {
  const at = firstDifference(recorded, again, '');
  if (!isRef(at.recorded) || !isRef(at.again)) {
    return { pointer: at.pointer, recorded: shortened(at.recorded), again: shortened(at.again) };
  }
  const [was, is] = [decodeUtf8(find.recorded(at.recorded) ?? NONE), decodeUtf8(find.again(at.again) ?? NONE)];
  return was === undefined || is === undefined || was === is
    ? { pointer: at.pointer, recorded: at.recorded.sha256, again: at.again.sha256 }
    : { pointer: at.pointer, ...parted(was, is) };
}

const NONE = new Uint8Array();
const SHOWN = 120;
/** Number of common characters shown before the difference. */
const LEAD = 24;

interface Place {
  readonly pointer: string;
  readonly recorded: JsonValue | undefined;
  readonly again: JsonValue | undefined;
}

function firstDifference(recorded: JsonValue | undefined, again: JsonValue | undefined, pointer: string): Place {
  if (isObject(recorded) && isObject(again) && !(isRef(recorded) && isRef(again))) {
    for (const name of [...new Set([...Object.keys(recorded), ...Object.keys(again)])].sort()) {
      const [one, other] = [own(recorded, name), own(again, name)];
      if (written(one) !== written(other)) return firstDifference(one, other, `${pointer}/${name}`);
    }
  }
  return { pointer, recorded, again };
}

function own(value: { readonly [name: string]: JsonValue }, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function written(value: JsonValue | undefined): string {
  return value === undefined ? '(absent)' : canonicalText(value);
}

function isRef(value: JsonValue | undefined): value is JsonValue & PayloadRef {
  return isPayloadRef(value);
}

function shortened(value: JsonValue | undefined): string {
  return cut(written(value), 0);
}

function parted(recorded: string, again: string): Pick<Difference, 'recorded' | 'again'> {
  let at = 0;
  while (at < recorded.length && recorded[at] === again[at]) at += 1;
  return { recorded: cut(recorded, at), again: cut(again, at) };
}

function cut(text: string, at: number): string {
  const from = Math.max(at - LEAD, 0);
  const piece = text.slice(from, from + SHOWN).toWellFormed();
  return `${from > 0 ? '…' : ''}${piece}${from + SHOWN < text.length ? '…' : ''}`;
}
