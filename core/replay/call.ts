import type { SettledCall } from '../capability/call.ts';
import { ENGINE } from '../capability/engine.ts';
import type { Label } from '../capability/guard.ts';
import { refuse } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import type { JsonValue } from '../json/value.ts';
import { found } from '../ledger/export.ts';
import type { Bodies, LedgerRecord } from '../ledger/record.ts';
import { mayNote, revocationOf } from '../run/authorize/revoke.ts';
import type { RunEvent } from '../run/event.ts';
import { executeEffect } from '../run/execute/execute.ts';
import type { PendingPowerCalls } from '../run/pending-power-calls.ts';
import { place } from '../run/powers/power-calls.ts';
import type { RunFacts } from '../run/state.ts';
import { executing } from '../run/step.ts';
import { applyHostRecords, isRevokedBy } from './host/apply.ts';
import { isOfPage } from './host/facts.ts';
import { isTakenUp, stopWithin } from './inputs.ts';
import {
  acceptAsRecorded,
  behindStep,
  happens,
  type Move,
  type Of,
  type OutsideRequest,
  openOf,
  type ReplayStep,
  unexpectedRecord,
} from './move.ts';
import { type Player, seqAt } from './player.ts';
import { callEvidence, type RecordedCall, recordedCall } from './recorded.ts';
import { bytesOf, inStep, receiptAt } from './tape.ts';

/** Replays a parked call from its beginning: with the same answers it comes to the same end. */
export function replayParked(player: Player): Move {
  const at = executing(player.state);
  const effect = at && executeEffect(player.state, at);
  return effect === undefined ? unexpectedRecord(player) : execute(player, effect);
}

/** Replays a call if all of its inputs are in the file; otherwise its result is accepted as recorded. */
export function execute(player: Player, effect: Of<'execute'>): Move {
  const during = executing(player.state);
  const cut = during?.open.work && cutAt(player);
  if (cut !== undefined) return acceptAsRecorded(player, CUT_OFF, cut);
  if (during !== undefined) applyHostRecords(player, during);
  if (player.wrong !== undefined || player.tape.records.length <= player.at || isTakenUp(player.tape, player.at))
    return ONWARD;
  const revocation = revocationAt(player);
  if (revocation !== undefined) return revoked(player, revocation);
  return callAgain(player, effect);
}

export const CUT_OFF = 'what a message did before it was cut off is believed';

/** Marks that only records were taken. */
const ONWARD: Move = { events: [] };

/** Record at which a crash cut off a message: no record tells the result of its operations. */
export function cutAt({ tape, at }: Player): number | undefined {
  const end = receiptAt(tape, at) ?? tape.records.length;
  for (let place = at + 1; place < end; place++) if (isTakenUp(tape, place)) return place;
  return undefined;
}

function callAgain(player: Player, effect: Of<'execute'>): Move {
  const { tape, at, way } = player;
  const { work } = openOf(player);
  const behind = behindStep(player);
  const stop = stopWithin(tape, at);
  if (stop !== undefined && !stop.cameBack && stop.event !== undefined) return endOfCall(player, stop.event);
  const recorded = recordedCall(tape, at, work);
  const until = tape.records.slice(behind, receiptAt(tape, at));
  const isPlain = until.every(({ kind }) => (work === undefined ? ALONE : AMONG_OTHERS).has(kind));
  const why = inStep(tape, at, 'receipt')?.evidence.reason?.code;
  if (why === 'interrupted') return happens({ type: 'lost', step: effect.step });
  const twice = until.findIndex(({ kind }) => DECIDES.has(kind) && (work === undefined || kind !== 'intent'));
  if (twice >= 0) return mismatchAt(player, behind + twice);
  const end = receiptAt(tape, at);
  if (end !== undefined && isCut(recorded) && stop === undefined)
    return mismatchAt(player, end, 'the receipt of a call that did not come back, and that nothing ended');
  if ('missing' in recorded && recorded.missing && bytesOf(tape, recorded.missing) !== undefined)
    return mismatchAt(player, end ?? at, 'what a call told, which is no list of that');
  if (why === 'power_interrupted' && 'missing' in recorded)
    return acceptAsRecorded(player, 'a call that was cut off without the answer of a power is believed');
  if ('missing' in recorded && recorded.missing === undefined && cameBack(player))
    return mismatchAt(player, receiptAt(tape, at) ?? at, 'the receipt of a call that came back, without what it cost');
  if ('missing' in recorded || !isPlain)
    return acceptAsRecorded(
      player,
      'missing' in recorded && recorded.missing ? LEFT_OUT : 'the result of a call is not in this file',
    );
  const ask: ExecuteAsk = { type: 'execute', effect, recorded, labels: shownBy(player, effect) };
  // the answer of the program is an input, like that of a power
  if (effect.call.capability.manifest.host !== undefined) {
    const other = toolCost(recorded, effect.call.capability.hash);
    if (other !== undefined) return mismatchAt(player, end ?? at, other);
    return asRecorded(player, ask, way === 'replay' ? 'the answer of a tool' : undefined);
  }
  if (way === 'replay' && !BY_CLOCK.has(recorded.ended_by)) return { ask };
  return asRecorded(player, ask, way === 'replay' ? `a call ended by ${recorded.ended_by}` : undefined);
}

/** A tool's call costs no fuel, prints nothing and asks for no power; its own hash stands for its image. */
function toolCost({ fuel, image_hash, powerCalls, settled }: RecordedCall, hash: string): string | undefined {
  if (fuel !== 0) return 'the fuel of a tool, which costs none';
  if (image_hash !== hash) return 'the image of a tool, which is its own hash';
  const isQuiet = powerCalls.length === 0 && (settled?.console.length ?? 0) === 0 && heapHashOf(settled) === undefined;
  return isQuiet ? undefined : 'the receipt of a tool, which tells what only guest code does';
}

function heapHashOf(settled: SettledCall | undefined): string | undefined {
  return settled?.ok ? settled.heapHash : undefined;
}

type ExecuteAsk = Extract<OutsideRequest, { type: 'execute' }>;

const LEFT_OUT = 'the text of a result is not in this file: it was left out or erased';

/** Accepts the recorded result of a call; the replay lists it as not replayed. */
export function asRecorded(player: Player, { effect, recorded, labels }: ExecuteAsk, why?: string): ReplayStep {
  if (recorded.settled === undefined) {
    const why = recorded.isLeftOut ? LEFT_OUT : 'a result that was refused is not kept';
    return acceptAsRecorded(player, why);
  }
  if (why !== undefined) player.skipped.push(found(seqAt(player), refuse('not_replayed', { what: why })));
  const { settled, image_hash, touched, told } = recorded;
  const isTool = effect.call.capability.manifest.host !== undefined;
  const event = {
    type: 'settled',
    step: effect.step,
    settled,
    image_hash,
    labels,
    ...(touched && { touched }),
    // guest code tells nothing of that kind
    ...(isTool && told && { told }),
  } as const;
  return endOfCall(player, event);
}

export function isOtherEngine({ engine }: RunFacts): boolean {
  return engine.hash !== ENGINE.hash;
}

/**
 * Compares the value of a call that this build's engine has run again, where the run had another engine. The recorded
 * result goes on.
 */
export function inOtherEngine(player: Player, ask: ExecuteAsk, said: RunEvent): ReplayStep {
  const { recorded } = ask;
  const { at, state } = player;
  const details = { recorded: state.facts.engine.name, current: ENGINE.name };
  player.otherEngine.push(found(at, refuse('engine_other', details)));
  const again = said.type === 'settled' ? valueOf(said.settled) : undefined;
  const was = recorded.settled && valueOf(recorded.settled);
  if (was !== undefined && again !== was) {
    const name = ask.effect.call.capability.manifest.name;
    const what = `the value of ${name}: recorded ${clip(was)}, and here ${clip(again ?? 'nothing')}`;
    player.otherValues.push(found(at, refuse('replay_differs', { what })));
  }
  return asRecorded(player, ask);
}

/** What a call has come to, without what only its own engine repeats. */
function valueOf(settled: SettledCall): string {
  const { console: lines, powerCalls } = settled;
  const end = settled.ok ? settled.text : settled.kind;
  return canonicalText([end, lines, powerCalls] as unknown as JsonValue);
}

function clip(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120).toWellFormed()}…` : text;
}

/**
 * Records that must come before a call's result: a call and a message are decided before they run, and once only. The
 * next proposal comes behind the receipt.
 */
const DECIDES: ReadonlySet<string> = new Set(['proposal', 'verdict', 'decision', 'intent']);

export function mismatchAt(player: Player, place: number, what?: string): Move {
  player.at = place;
  return what === undefined ? unexpectedRecord(player) : { mismatch: what };
}

/** True if the receipt lacks the call's image or fuel. Neither is a payload, so neither can have been erased. */
function isCut(recorded: ReturnType<typeof recordedCall>): boolean {
  return 'missing' in recorded && recorded.missing === undefined;
}

function cameBack(player: Player): boolean {
  const { tape, at } = player;
  const { work } = openOf(player);
  const receipt = inStep(tape, at, 'receipt')?.receipt;
  const isGood = receipt?.actions[work?.done.length ?? 0]?.status === 'SUCCESS';
  return isGood || callEvidence(tape, at, work)?.ended_by !== undefined;
}

/**
 * Records that may follow a call within its step. Records of other kinds belong to powers, to people or to other
 * operations.
 */
const ALONE: ReadonlySet<string> = new Set(['observation', 'revocation']);
const OF_HOST = ['power', 'approval', 'parked', 'revocation'];
const AMONG_OTHERS: ReadonlySet<string> = new Set(['observation', 'intent', 'content', 'progress', ...OF_HOST]);

/** Ends by the clock, by a person or by a lost worker: a replay would not end the same way. */
const BY_CLOCK: ReadonlySet<string | undefined> = new Set([
  'deadline',
  'hang',
  'barred',
  'aborted',
  'corrupt',
  'worker',
]);

/** Labels of the stored values that a call read. Both are inputs of the call. */
function shownBy(player: Player, { call }: Of<'execute'>): readonly Label[] {
  const { tape, at } = player;
  const operation = openOf(player).work?.done.length;
  const settled = inStep(tape, at, 'progress', (body) => body.event === 'operation' && body.operation === operation);
  const isKeeper = call.capability.manifest.powers.some((name) => name === 'store.get' || name === 'store.put');
  return isKeeper ? (settled?.labels ?? inStep(tape, at, 'receipt')?.evidence.labels ?? []) : [];
}

/** The revocation that is recorded behind the step's own records here. */
export function revocationAt(player: Player): Bodies['revocation'] | undefined {
  const { tape, state } = player;
  const record = tape.records[behindStep(player)];
  return record?.kind === 'revocation' && mayNote(state) && isDue(player, record.body) ? record.body : undefined;
}

/**
 * True if the revocation comes next. A revocation that ended the current call comes once the call has begun, or
 * earlier, as its receipt tells; all other revocations may come sooner.
 */
function isDue({ tape, at, state }: Player, body: Bodies['revocation']): boolean {
  const call = executing(state);
  if (call === undefined || call.waiting === 'result' || !isRevokedBy(state, call, body)) return true;
  if (call.pendingCalls.writes.length > 0) return false;
  const { receipt, evidence } = inStep(tape, at, 'receipt') ?? {};
  const hasBegun = receipt?.actions.length !== 0;
  // a stop may come as well before the intent is durable: then its code stands in the receipt
  if (call.waiting === 'intent') return !hasBegun;
  return hasBegun && evidence?.reason?.code === 'permission_revoked';
}

/** True if the revocation ends the call. The host's records of the call come before it. */
export function endsCall({ state }: Player, body: Bodies['revocation']): boolean {
  const call = executing(state);
  return call?.waiting === 'call' && isRevokedBy(state, call, body);
}

/** The move for a revocation. Others may have come before the call that it ends had written its last record. */
export function revoked(player: Player, body: Bodies['revocation']): Move {
  const all = endsCall(player, body) ? revokedInWrite(player) : [];
  return all.length > 1 ? inWrite(player, all) : { aside: revokedBy(body) };
}

function revokedBy(body: Bodies['revocation']): RunEvent {
  return { type: 'revoked', ...revocationOf(body) };
}

/**
 * The end of a call by its return or by a stop. A revocation of its permission that did not end the call came while a
 * write of the call was in flight: the call had ended by then, or was stopped before that write was durable.
 */
export function endOfCall(player: Player, event: RunEvent): ReplayStep {
  const all = revokedInWrite(player);
  return all.length > 0 ? inWrite(player, all, event) : happens(event);
}

/** These events, and then the revocations, while a write of the running call is in flight. Then it is durable. */
function inWrite(
  player: Player,
  revocations: readonly Bodies['revocation'][],
  ...events: readonly RunEvent[]
): ReplayStep {
  const call = executing(player.state);
  if (call !== undefined) {
    const pendingCalls: PendingPowerCalls = { ...call.pendingCalls, writes: [{ then: 'nothing' }] };
    player.state = place(player.state, { ...call, pendingCalls });
  }
  return happens(...events, ...revocations.map(revokedBy), { type: 'appended' });
}

/** The revocations recorded next, if the record before them is one that the running call has waited for. */
function revokedInWrite({ tape: { records }, at }: Player): readonly Bodies['revocation'][] {
  const revocations: Bodies['revocation'][] = [];
  for (let next = at, record = records[next]; record?.kind === 'revocation'; record = records[++next])
    revocations.push(record.body);
  // every call ends here, and few are revoked
  if (revocations.length === 0) return revocations;
  let last = at - 1;
  while (records[last]?.kind === 'revocation') last--;
  const before = records[last];
  return before !== undefined && (isOfPage(before) || isResumed(before)) ? revocations : [];
}

function isResumed({ kind, body }: LedgerRecord): boolean {
  return kind === 'state' && body.event === 'resumed';
}
