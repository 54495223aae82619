import { unreachable } from '../assert.ts';
import type { Bodies, LedgerRecord } from '../ledger/record.ts';
import type { RunEvent } from '../run/event.ts';
import { CUT_OFF, cutAt, execute, mismatchAt, replayParked } from './call.ts';
import { evidenceOf, loadedFrom, outdatedFrom, resolvedFrom } from './content.ts';
import { answered, consented, endingOf, isFromOutside, proposed, stopWithin } from './inputs.ts';
import {
  acceptAsRecorded,
  behindStep,
  happens,
  MISSING,
  type Move,
  type Of,
  openOf,
  recordAt,
  unexpectedRecord,
} from './move.ts';
import { isOutdated, type Player } from './player.ts';
import { endsCall, revocationAt, revoked } from './revocation.ts';
import { inStep, receiptAt, type Tape, textOf } from './tape.ts';

/** The next move of a run with these pending effects, by its records. A next record exists. */
export function nextMove(player: Player): Move {
  const isWork = openOf(player).work !== undefined;
  if (isWork && isEnded(player)) return acceptAsRecorded(player, 'a message that was ended is believed');
  const revocation = revocationAt(player);
  if (revocation !== undefined && !endsCall(player, revocation)) return revoked(player, revocation);
  for (const effect of player.effects) {
    switch (effect.type) {
      case 'append':
        return written(player, effect);
      case 'propose':
        return propose(player, effect);
      case 'resolve':
        return resolve(player, effect);
      case 'load':
        return load(player, effect);
      case 'check':
        return check(player, effect);
      case 'ask':
        return ask(player);
      case 'ask_consent':
        return askConsent(player, effect);
      case 'execute':
        return execute(player, effect);
      case 'unpark':
        return replayParked(player);
      // the host's records of a call are applied before the call is made
      case 'power':
      case 'answer_power':
      case 'answer_read':
      case 'park':
      case 'note':
      case 'cancel':
      case 'end':
        break;
      default:
        return unreachable(effect);
    }
  }
  return atRest(player);
}

/** True if a message was ended by a stop or by a revocation: no record tells during which operation. */
function isEnded(player: Player): boolean {
  const { tape, at } = player;
  if (isJudgedFrom(tape, at + openOf(player).drafts.length)) return false;
  if (stopWithin(tape, at) !== undefined) return true;
  const code = inStep(tape, at, 'receipt')?.evidence.reason?.code;
  return code === 'permission_revoked' && inStep(tape, at, 'revocation') !== undefined;
}

/**
 * True if the step's judgement is still ahead: it comes before the first operation, and is replayed however the
 * operations ended.
 */
function isJudgedFrom(tape: Tape, from: number): boolean {
  return inStep(tape, from, 'verdict') !== undefined || inStep(tape, from, 'decision') !== undefined;
}

/**
 * The answer to a write. If a stop came while an intent was written, its call never began, and no action was attempted.
 */
function written(player: Player, effect: Of<'append'>): Move {
  const { tape, at, state } = player;
  const outdated = isOutdated(player, effect) ? outdatedFrom(tape, at) : undefined;
  if (outdated !== undefined) return happens(outdated);
  // no record tells whether the run asked again by itself or its program continued it: it rests, and the next record
  // tells
  if (isFailure(tape.records[at - 1])) return happens({ type: 'pause' }, { type: 'appended' });
  const stop = state.at.phase === 'CAPABILITY_EXECUTING' ? stopWithin(tape, at) : undefined;
  const begun = inStep(tape, at, 'receipt')?.receipt.actions.length !== 0;
  if (stop === undefined || begun) return happens({ type: 'appended' });
  return stopped(stop, { type: 'appended' });
}

function isFailure(record: LedgerRecord | undefined): boolean {
  return record?.kind === 'state' && record.body.event === 'model_failed';
}

/** Restores the targets of a message's symbols, which are inputs. They may have been too large to be stored. */
function resolve(player: Player, { step }: Of<'resolve'>): Move {
  const { tape, at } = player;
  const event = resolvedFrom(tape, at, step);
  if (event !== undefined) return happens(event);
  const end = inStep(tape, at, 'verdict') === undefined ? endOf(player) : undefined;
  if (end !== undefined) return mismatchAt(player, end, 'the receipt of a message that nobody has judged');
  return acceptAsRecorded(player, 'what the symbols of a message stood for is not in this file');
}

function load(player: Player, { step }: Of<'load'>): Move {
  const { tape, at } = player;
  const { work } = openOf(player);
  const cut = cutAt(player);
  if (cut !== undefined) return acceptAsRecorded(player, CUT_OFF, cut);
  const event = work && loadedFrom(tape, at, step, work);
  if (event !== undefined) return happens(event);
  const isTold = work === undefined || evidenceOf(tape, at, work)?.source !== undefined;
  const end = isTold ? undefined : endOf(player);
  if (end !== undefined)
    return mismatchAt(player, end, 'the receipt of an operation, without the content that it worked on');
  return acceptAsRecorded(player, 'the content that a message worked on is not in this file');
}

/** The receipt of a step that came to its end. A step that a crash or the file cut off tells less. */
function endOf(player: Player): number | undefined {
  return cutAt(player) === undefined ? receiptAt(player.tape, player.at) : undefined;
}

function propose(player: Player, { step }: Of<'propose'>): Move {
  const { tape, at } = player;
  const record = recordAt(player);
  if (record.kind === 'proposal') {
    const event = proposed(tape, at, record.body, step);
    return event === undefined ? { rest: { why: 'a proposal that is not in this file' } } : happens(event);
  }
  if (record.kind === 'state' && record.body.event === 'model_failed') return failed(tape, at, record.body, step);
  if (record.kind !== 'seal') return unexpectedRecord(player);
  const ending = endingOf(tape, record.body);
  if (ending === undefined) return { rest: { until: at + 1, why: 'how the run ended is not in this file' } };
  const { code, message = '' } = ending;
  if (code === 'model_exhausted' || code === 'model_failed')
    return happens({ type: 'model_failed', step, code, error: { name: 'Error', message } });
  return isFromOutside(tape, ending) ? happens({ type: 'stop', ending }) : unexpectedRecord(player);
}

/** The model gave no answer, and the run waited or asked again. */
function failed(tape: Tape, at: number, { reason, after_ms }: Bodies['state'], step: number): Move {
  const message = reason && textOf(tape, reason);
  if (message === undefined) return { rest: { until: at + 1, why: 'why the model failed is not in this file' } };
  const error = { name: 'Error', message };
  const later = after_ms === undefined ? {} : { after_ms };
  return happens({ type: 'model_failed', step, code: 'model_failed', error, retryable: true, ...later });
}

function check(player: Player, { step, schemas, text, later = [] }: Of<'check'>): Move {
  const { tape, at, state } = player;
  const stop = stopWithin(tape, at);
  if (stop !== undefined && isBefore(tape.records[behindStep(player)]?.kind, state.at.phase)) return stopped(stop);
  const verdict = inStep(tape, at, 'verdict')?.refusal?.code;
  const receipt = inStep(tape, at, 'receipt')?.evidence.reason?.code;
  // a killed validator gave no result then, but would give a result now
  if ((verdict ?? receipt) === 'validator_lost')
    return happens({ type: 'checked', step, results: new Map(schemas.map((hash) => [hash, { failed: 'lost' }])) });
  return { ask: { type: 'check', facts: state.facts, step, schemas, text, later } };
}

/** True if the stop came before the answer to this check: there is no verdict, or the check is of the result. */
function isBefore(kind: string | undefined, phase: string): boolean {
  return phase === 'CAPABILITY_EXECUTING' || kind !== 'verdict';
}

function ask(player: Player): Move {
  const { tape, at, state } = player;
  const record = recordAt(player);
  const isAsked = state.at.phase === 'AWAITING_APPROVAL' && state.at.about === 'call';
  if (record.kind === 'approval' && record.body.event === 'answered' && isAsked) {
    const event = answered(tape, at, record.body, state.at.asked.digest);
    return event === undefined ? MISSING : happens(event);
  }
  const stop = stopWithin(tape, at);
  return stop === undefined ? unexpectedRecord(player) : stopped(stop);
}

/** The stop at this point, if the file still holds its ending. */
function stopped({ event }: NonNullable<ReturnType<typeof stopWithin>>, ...then: readonly RunEvent[]): Move {
  return event === undefined ? MISSING : happens(event, ...then);
}

function askConsent(player: Player, { question }: Of<'ask_consent'>): Move {
  const record = recordAt(player);
  if (record.kind === 'consent') return happens(consented(record.body, question.digest));
  return record.kind === 'seal' ? stopAt(player, record) : unexpectedRecord(player);
}

/** The next move between two steps, or behind the last: the next task, the next step, or the end. */
function atRest(player: Player): Move {
  const { tape, at, state } = player;
  const record = recordAt(player);
  const { phase } = state.at;
  if (phase !== 'IDLE' && phase !== 'COMPLETED') return unexpectedRecord(player);
  if (record.kind === 'task') {
    const task = textOf(tape, record.body.text);
    if (task === undefined) return { rest: { until: at + 1, why: 'a task that is not in this file' } };
    return happens({ type: 'say', task }, { type: 'pause' });
  }
  if (phase !== 'IDLE') return unexpectedRecord(player);
  if (record.kind === 'seal' && isFromOutside(tape, record.body)) return stopAt(player, record);
  return happens({ type: 'step' });
}

function stopAt(player: Player, { body }: Extract<LedgerRecord, { kind: 'seal' }>): Move {
  const { tape, at } = player;
  const ending = endingOf(tape, body);
  if (ending === undefined) return { rest: { until: at + 1, why: 'how the run ended is not in this file' } };
  return isFromOutside(tape, ending) ? happens({ type: 'stop', ending }) : unexpectedRecord(player);
}
