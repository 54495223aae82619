import { unreachable } from '../assert.ts';
import type { SchemaVerdict } from '../capability/check.ts';
import { refuse } from '../errors.ts';
import { otherBehaviour } from '../ledger/behaviour.ts';
import type { Findings } from '../ledger/checks.ts';
import { type Finding, found } from '../ledger/export.ts';
import type { Bodies, LedgerRecord } from '../ledger/record.ts';
import { assertionIn } from '../run/authorize/signature.ts';
import type { RunEvent } from '../run/event.ts';
import { restoreFacts } from '../run/resume/facts.ts';
import { restore } from '../run/resume/restore.ts';
import { type Recheck, recheck, resume } from '../run/resume/resume.ts';
import { initialState, type RunFacts } from '../run/state.ts';
import { acceptRest } from './accepted.ts';
import {
  asRecorded,
  CUT_OFF,
  cutAt,
  endOfCall,
  endsCall,
  execute,
  inOtherEngine,
  isOtherEngine,
  mismatchAt,
  replayParked,
  revocationAt,
  revoked,
} from './call.ts';
import { answered, consented, endingOf, isFromOutside, isTakenUp, proposed, stopWithin } from './inputs.ts';
import {
  acceptAsRecorded,
  behindStep,
  happens,
  MISSING,
  type Move,
  type Of,
  type OutsideAnswer,
  type OutsideRequest,
  openOf,
  type ReplayStep,
  recordAt,
  type SignatureRequest,
  unexpectedRecord,
} from './move.ts';
import { isOutdated, type Player, reportMismatch, take, takeAside } from './player.ts';
import { evidenceOf, loadedFrom, outdatedFrom, resolvedFrom } from './recorded.ts';
import { bytesOf, bytesOrPlaceholder, inStep, receiptAt, storedOf, type Tape, textOf } from './tape.ts';

/**
 * Replays a run from its records by the same `transition` that made it, and compares each record with the recorded
 * record. Inputs from outside come from the records: the model's bytes, people's answers, consent, the clock. With
 * `decisions` the results of calls are inputs too; with `replay` the calls run again.
 *
 * In another engine than the run's, a call runs again and its value is compared; the recorded result goes on, so that fuel
 * and heap, which no other engine repeats, are not compared: both are parts that were not run (`engine_other`).
 *
 * The first difference ends the replay. Data missing from the file is taken as recorded and listed. The file's form,
 * hashes and links have been verified; its content is untrusted.
 */
export function* replay(
  tape: Tape,
  way: Player['way'],
  precompiled: RunFacts['precompiled'],
): Generator<OutsideRequest | SignatureRequest, Findings | undefined, OutsideAnswer> {
  const [first] = tape.records;
  if (first?.kind !== 'configuration') return undefined;
  const other = otherBehaviour(first);
  if (other !== undefined) return { count: 0, wrong: [], skipped: [found(0, other)] };
  const facts = restoreFacts(first.run_id, first.body, (ref) => bytesOf(tape, ref), precompiled);
  if (!facts.ok) return impossible(facts.refusal);
  const player = begin(tape, way, facts.value);
  while (player.wrong === undefined && player.at < tape.records.length) {
    if (isTakenUp(tape, player.at)) yield* takeUp(player);
    else {
      const move = nextMove(player);
      if ('ask' in move) follow(player, answeredBy(player, move.ask, yield move.ask));
      else follow(player, move);
    }
  }
  if (way === 'decisions') {
    player.wrong ??= timeFault(tape);
    yield* checkSignatures(player);
  }
  return findingsOf(player);
}

/** Checks the signatures of all yeses, also those of steps that were taken as recorded: an earlier fault counts first. */
function* checkSignatures(player: Player): Generator<SignatureRequest, void, OutsideAnswer> {
  for (const { kind, body, run_seq } of player.tape.records) {
    if (kind !== 'approval' || body.event === 'asked' || body.signed === undefined) continue;
    if (player.wrong !== undefined && player.wrong.run_seq <= run_seq) return;
    const said = yield { type: 'signature', assertion: assertionIn(body.signed) };
    if (said.type === 'unmade') player.skipped.push(found(run_seq, refuse('not_replayed', { what: said.why })));
    else if (said.type !== 'signature' || !said.isRight)
      player.wrong = found(run_seq, refuse('decision_differs', { what: 'the signature of an answer' }));
  }
}

function follow(player: Player, move: ReplayStep): void {
  if ('mismatch' in move) reportMismatch(player, move.mismatch);
  else if ('rest' in move) acceptRest(player, move.rest);
  else if ('aside' in move) takeAside(player, move.aside);
  else if (move.events.length > 0) take(player, move.events);
}

/** The step for an answer of the outside. Without an event the rest is taken as recorded, and listed. */
function answeredBy(player: Player, ask: OutsideRequest, said: OutsideAnswer): ReplayStep {
  if (said.type === 'unmade')
    return ask.type === 'execute' ? asRecorded(player, ask, said.why) : acceptAsRecorded(player, said.why);
  if (said.type === 'signature') return acceptAsRecorded(player, 'an answer to another request');
  if (ask.type !== 'execute') return happens(said);
  return isOtherEngine(player.state.facts) ? inOtherEngine(player, ask, said) : endOfCall(player, said);
}

/**
 * The findings for facts that cannot be restored: missing facts cannot be used for judging, and altered facts are a
 * fault.
 */
function impossible({ code, message }: { readonly code: Finding['code']; readonly message: string }): Findings {
  const why = { run_seq: 0, code, message };
  return code === 'payload_missing' ? { count: 0, wrong: [], skipped: [why] } : { count: 1, wrong: [why] };
}

function begin(tape: Tape, way: Player['way'], facts: RunFacts): Player {
  const player: Player = {
    tape,
    way,
    state: initialState(facts),
    effects: [],
    at: 0,
    compared: 0,
    judged: 0,
    skipped: [],
    otherEngine: [],
    otherValues: [],
    holes: false,
  };
  const task = tape.records[1];
  const text = task?.kind === 'task' ? textOf(tape, task.body.text) : '';
  if (text === undefined) acceptRest(player, { until: 2, why: 'the task is not in this file' });
  else take(player, [{ type: 'start', task: text }]);
  return player;
}

/** Resumes the run from its records, as the original process did after a crash. */
function* takeUp(player: Player): Generator<OutsideRequest, void, OutsideAnswer> {
  const { tape, at, state } = player;
  const { facts } = state;
  const restored = restore(tape.records.slice(0, at), bytesOrPlaceholder(tape), facts.precompiled);
  if (!restored.ok) return reportMismatch(player, restored.refusal.message);
  const again = recheck(restored.value, (ref) => storedOf(tape, ref));
  if (!again.ok) {
    player.state = restored.value.state;
    return acceptRest(player, { why: 'a proposal that is not in this file', ...restored.value });
  }
  const results: ReadonlyMap<string, SchemaVerdict>[] = [];
  for (const check of again.value.checks) {
    const said = yield* checkAgain(facts, state.steps, check);
    if ('why' in said) {
      player.state = restored.value.state;
      return acceptRest(player, { why: said.why, ...restored.value });
    }
    results.push(said);
  }
  take(player, resume(restored.value, again.value, results, bytesOrPlaceholder(tape)));
}

function* checkAgain(
  facts: RunFacts,
  step: number,
  { here, schemas, argsText }: Recheck,
): Generator<OutsideRequest, ReadonlyMap<string, SchemaVerdict> | { readonly why: string }, OutsideAnswer> {
  if (schemas.length === 0) return here;
  const said = yield { type: 'check', facts, step, schemas, text: argsText };
  if (said.type === 'unmade') return { why: said.why };
  return said.type === 'checked' ? new Map([...here, ...said.results]) : here;
}

function findingsOf(player: Player): Findings {
  const { way, compared, judged, wrong, difference, skipped, otherEngine, otherValues } = player;
  return {
    count: way === 'decisions' ? judged : compared,
    wrong: [...otherValues, ...(wrong === undefined ? [] : [wrong])],
    ...(difference === undefined ? {} : { difference }),
    skipped,
    parts: { fuel: otherEngine, heap: otherEngine },
  };
}

/**
 * The first clock value of a decision that the times of the records exclude. A decision comes after the records before
 * its step, and after its question; a record is written after each decision that it tells. The clock of a run never goes
 * back.
 */
function timeFault({ records }: Tape): Finding | undefined {
  let since = 0;
  let decided = 0;
  for (const [at, record] of records.entries()) {
    // the decision about a person's own call is by the clock of the answer that it came with
    if (record.kind === 'proposal' && record.body.by === undefined) since = startOf(records, at);
    if (isQuestion(record)) decided = Math.max(decided, record.at);
    for (const now of clockValues(record)) {
      const isAnswered = record.kind === 'decision' || record.kind === 'approval';
      const least = isAnswered ? Math.max(since, decided) : since;
      if (now < least) return wrong(record, `${least - now} ms before what it follows`);
      if (now > record.at) return wrong(record, `${now - record.at} ms after the record that tells it`);
      if (isAnswered) decided = now;
    }
  }
  return undefined;
}

/** Time of the last record of the run itself before this step; its call may have begun a moment later. */
function startOf(records: readonly LedgerRecord[], at: number): number {
  for (let before = at - 1; before >= 0; before--) {
    const record = records[before];
    // a person may revoke at any moment: the record is written where the step allows it
    if (record !== undefined && record.kind !== 'revocation') return record.at;
  }
  return 0;
}

/** A question about the call itself: its answer is decided later. */
function isQuestion({ kind, body }: LedgerRecord): boolean {
  return kind === 'approval' && body.event === 'asked' && body.ticket === undefined;
}

/** The clock values that a record holds, of its decision or of decisions about powers. */
function clockValues({ kind, body }: LedgerRecord): readonly number[] {
  switch (kind) {
    case 'decision':
      return [body.now];
    case 'approval':
      return body.event === 'answered' && body.instead !== undefined ? [body.instead.now] : [];
    case 'power':
      return body.event === 'issued' ? [body.now] : [];
    case 'parked':
      return timesOf(body.powers);
    case 'progress':
      return timesOf(body.event === 'reads' ? body.powers : body.evidence.powers);
    case 'receipt':
      return [
        ...timesOf(body.evidence.powers),
        ...(body.evidence.operations ?? []).flatMap((each) => timesOf(each.powers)),
      ];
    default:
      return [];
  }
}

function timesOf(powers: readonly { readonly now: number }[] = []): readonly number[] {
  return powers.map(({ now }) => now);
}

function wrong({ run_seq }: LedgerRecord, what: string): Finding {
  return found(run_seq, refuse('decision_differs', { what: `the time of a decision, ${what}` }));
}

/** The next move of a run with these pending effects, by its records. A next record exists. */
function nextMove(player: Player): Move {
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
      case 'recall':
        return recall(player, effect);
      case 'charge':
        return charge(player, effect);
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
      case 'refuse_answer':
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
  const sealed = recordAt(player);
  if (state.at.phase === 'MEMORY_COMMITTING' && state.at.then === 'replace' && sealed.kind === 'seal')
    return stopAt(player, sealed, { type: 'appended' });
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

/**
 * The stored values of handles, which the records hold. Where one is missing, the verdict tells whether it was missing then;
 * a value that was erased later leaves the rest of the step to be taken as recorded.
 */
function recall(player: Player, { step, refs }: Of<'recall'>): Move {
  const { tape, at, state } = player;
  const stop = stopWithin(tape, at);
  if (stop !== undefined && isBefore(tape.records[behindStep(player)]?.kind, state.at.phase)) return stopped(stop);
  const stored = refs.flatMap((ref) => {
    const bytes = storedOf(tape, ref);
    return bytes === undefined ? [] : [[ref.sha256, bytes] as const];
  });
  const wasMissing = inStep(tape, at, 'verdict')?.refusal?.code === 'held_unknown';
  if (wasMissing && stored.length === refs.length) return happens({ type: 'recalled', step, bytes: new Map() });
  if (!wasMissing && stored.length < refs.length)
    return acceptAsRecorded(player, 'a held value is not in this file: it was left out or erased');
  return happens({ type: 'recalled', step, bytes: new Map(stored) });
}

/** What the grants of a release had charged before: a fact of other runs, too, which the records of the step tell. */
function charge(player: Player, { step, grants }: Of<'charge'>): Move {
  const { tape, at } = player;
  const { charges } = inStep(tape, at, 'decision') ?? inStep(tape, at, 'receipt')?.evidence ?? {};
  if (charges !== undefined) {
    const before = new Map(charges.grants.map((each) => [each.grant, each.before] as const));
    // a grant that no record tells of has no bits left
    const known = grants.map(({ id, limit }) => [id, before.get(id) ?? limit] as const);
    return happens({ type: 'charged', step, before: new Map(known) });
  }
  const stop = stopWithin(tape, at);
  if (stop !== undefined) return stopped(stop);
  return receiptAt(tape, at) === undefined ? MISSING : { mismatch: 'a release whose bits nobody has charged' };
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
  if (record.kind === 'approval' && record.body.event !== 'asked' && isAsked) {
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
  if (record.kind === 'proposal' && record.body.by !== undefined) return personsOwn(player);
  if (record.kind === 'seal' && isFromOutside(tape, record.body)) return stopAt(player, record);
  return happens({ type: 'step' });
}

/** The call that a person has put in the place of one whose texts are not in the file. */
function personsOwn({ tape, at }: Player): Move {
  // the process may have died behind the answer, and a person may have revoked something meanwhile
  const before = tape.records.findLast(
    ({ kind }, place) => place < at && kind !== 'revocation' && !isTakenUp(tape, place),
  );
  const isReplaced = before?.kind === 'receipt' && before.body.evidence.reason?.code === 'replaced';
  return isReplaced
    ? { rest: { why: 'a call that a person has edited is not in this file' } }
    : { mismatch: 'a call of a person in the place of no other' };
}

function stopAt(player: Player, { body }: Extract<LedgerRecord, { kind: 'seal' }>, ...then: readonly RunEvent[]): Move {
  const { tape, at } = player;
  const ending = endingOf(tape, body);
  if (ending === undefined) return { rest: { until: at + 1, why: 'how the run ended is not in this file' } };
  return isFromOutside(tape, ending) ? happens({ type: 'stop', ending }, ...then) : unexpectedRecord(player);
}
