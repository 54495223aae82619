import { unreachable } from '../assert.ts';
import type { Label } from '../capability/guard.ts';
import { refuse } from '../errors.ts';
import { found } from '../ledger/export.ts';
import type { Bodies, LedgerRecord } from '../ledger/record.ts';
import { executing } from '../run/desk.ts';
import type { RunEffect } from '../run/effect.ts';
import type { RunEvent } from '../run/event.ts';
import { executeEffect } from '../run/launch.ts';
import { mayNote, revocationOf } from '../run/revoke.ts';
import type { OpenStep, RunFacts } from '../run/state.ts';
import { openStep } from '../run/step.ts';
import { loadedFrom, outdatedFrom, resolvedFrom } from './content.ts';
import { answered, consented, endingOf, isFromOutside, isTakenUp, proposed, stopWithin } from './inputs.ts';
import { hearPage, isRevokedBy } from './page.ts';
import { compare, isOutdated, type Player, type Rest } from './player.ts';
import { type Recorded, recordedCall } from './recorded.ts';
import { inStep, receiptAt, textOf } from './tape.ts';

/** What a replay cannot do by itself; answered by the event that the run itself would have been answered by. */
export type Ask =
  | {
      readonly type: 'check';
      readonly facts: RunFacts;
      readonly step: number;
      readonly schemas: readonly string[];
      readonly text: string;
    }
  | {
      readonly type: 'execute';
      readonly effect: Extract<RunEffect, { type: 'execute' }>;
      /** The powers' answers, which are inputs. */
      readonly recorded: Recorded;
      /** What those have shown the call. */
      readonly labels: readonly Label[];
    };

/** How a replay goes on: by events, by a question to the outside, by believing the rest of a step, or not at all. */
export type Move =
  | { readonly events: readonly RunEvent[] }
  | { readonly ask: Ask }
  /** What was asked of the outside stays asked. */
  | { readonly aside: RunEvent }
  | { readonly rest: Rest }
  | { readonly stray: string };

type Of<T extends RunEffect['type']> = Extract<RunEffect, { type: T }>;

/** What happens next to a run that asks this of the outside, by what was recorded of it. There is a next record. */
export function nextMove(player: Player): Move {
  const { at } = player.state;
  const isWork = 'open' in at && at.open.work !== undefined;
  if (isWork && isEnded(player)) return believe(player, 'a message that was ended is believed');
  const revocation = revocationAt(player);
  if (revocation !== undefined && !endsCall(player, revocation)) return revoked(revocation);
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
        return goOn(player);
      // what the page does for a call is taken from the records before the call is made
      case 'power':
      case 'answer_power':
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

/** What the page did for a call is heard before the end of it. */
function endsCall({ state }: Player, body: Bodies['revocation']): boolean {
  const call = executing(state);
  return call?.waiting === 'call' && isRevokedBy(state, call, body);
}

function revoked(body: Bodies['revocation']): Move {
  return { aside: { type: 'revoked', ...revocationOf(body) } };
}

/** By whoever stopped the run, or revoked what the message was permitted by. */
function isEnded({ tape, at }: Player): boolean {
  if (stopWithin(tape, at) !== undefined) return true;
  return inStep(tape, at, 'receipt')?.evidence.reason?.code === 'permission_revoked';
}

/** A person revoked something here, behind what the step had made by then. */
function revocationAt(player: Player): Bodies['revocation'] | undefined {
  const { tape, at, state } = player;
  const record = tape.records[at + (openStep(state)?.drafts.length ?? 0)];
  return record?.kind === 'revocation' && mayNote(state) && isDue(player, record.body) ? record.body : undefined;
}

/** One that ended the call in hand came when the call had begun, or before, as the receipt says; others may come sooner. */
function isDue({ tape, at, state }: Player, body: Bodies['revocation']): boolean {
  const call = executing(state);
  if (call === undefined || typeof call.waiting !== 'string' || !isRevokedBy(state, call, body)) return true;
  if (call.desk !== undefined && call.desk.writes.length > 0) return false;
  const { receipt, evidence } = inStep(tape, at, 'receipt') ?? {};
  if (evidence?.reason?.code !== 'permission_revoked') return false;
  return (call.waiting === 'intent') === (receipt?.actions.length === 0);
}

function recordAt({ tape, at }: Player): LedgerRecord {
  return tape.records[at] as LedgerRecord;
}

function happens(...events: readonly RunEvent[]): Move {
  return { events };
}

function strays(player: Player): Move {
  return { stray: `a ${recordAt(player).kind} does not follow here` };
}

const MISSING = { rest: { why: 'what came from outside is not in this file' } } as const;

/** Where a stop came while an intent was written, its call never began: nothing was attempted. */
function written(player: Player, effect: Of<'append'>): Move {
  const { tape, at, state } = player;
  const outdated = isOutdated(player, effect) ? outdatedFrom(tape, at) : undefined;
  if (outdated !== undefined) return happens(outdated);
  const stop = state.at.phase === 'CAPABILITY_EXECUTING' ? stopWithin(tape, at) : undefined;
  const begun = inStep(tape, at, 'receipt')?.receipt.actions.length !== 0;
  if (stop === undefined || begun) return happens({ type: 'appended' });
  return stop.ending === undefined ? MISSING : happens({ type: 'stop', ending: stop.ending }, { type: 'appended' });
}

/** Content is an input: what a message met of it is read back from what was kept. */
function resolve(player: Player, { step }: Of<'resolve'>): Move {
  const event = resolvedFrom(player.tape, player.at, step);
  return event ? happens(event) : believe(player, 'what the symbols of a message stood for is not in this file');
}

function load(player: Player, { step }: Of<'load'>): Move {
  const { work } = openOf(player.state.at);
  const event = work && loadedFrom(player.tape, player.at, step, work);
  return event ? happens(event) : believe(player, 'the content that a message worked on is not in this file');
}

function propose(player: Player, { step }: Of<'propose'>): Move {
  const { tape, at } = player;
  const record = recordAt(player);
  if (record.kind === 'proposal') {
    const event = proposed(tape, at, record.body, step);
    return event === undefined ? { rest: { why: 'a proposal that is not in this file' } } : happens(event);
  }
  if (record.kind !== 'seal') return strays(player);
  const ending = endingOf(tape, record.body);
  if (ending === undefined) return { rest: { until: at + 1, why: 'how the run ended is not in this file' } };
  const { code, message = '' } = ending;
  if (code === 'model_exhausted' || code === 'model_failed')
    return happens({ type: 'model_failed', step, code, error: { name: 'Error', message } });
  return isFromOutside(ending) ? happens({ type: 'stop', ending }) : strays(player);
}

function check({ tape, at, state }: Player, { step, schemas, text }: Of<'check'>): Move {
  const stop = stopWithin(tape, at);
  if (stop !== undefined && isBefore(tape.records[at + openOf(state.at).drafts.length]?.kind, state.at.phase))
    return stop.ending === undefined ? MISSING : happens({ type: 'stop', ending: stop.ending });
  const verdict = inStep(tape, at, 'verdict')?.refusal?.code;
  const receipt = inStep(tape, at, 'receipt')?.evidence.reason?.code;
  // a validator that was killed says nothing, and would say something now
  if ((verdict ?? receipt) === 'validator_lost')
    return happens({ type: 'checked', step, results: new Map(schemas.map((hash) => [hash, { failed: 'lost' }])) });
  return { ask: { type: 'check', facts: state.facts, step, schemas, text } };
}

/** The stop came before this check was answered: no verdict stands here, or it is the result that was being checked. */
function isBefore(kind: string | undefined, phase: string): boolean {
  return phase === 'CAPABILITY_EXECUTING' || kind !== 'verdict';
}

function openOf(at: Player['state']['at']): Pick<OpenStep, 'drafts' | 'payloads' | 'work'> {
  return 'open' in at ? at.open : { drafts: [], payloads: [] };
}

function ask(player: Player): Move {
  const { tape, at, state } = player;
  const record = recordAt(player);
  if (record.kind === 'approval' && 'asked' in state.at) {
    const event = answered(tape, at, record.body, state.at.asked.digest);
    return event === undefined ? MISSING : happens(event);
  }
  const stop = stopWithin(tape, at);
  if (stop === undefined) return strays(player);
  return stop.ending === undefined ? MISSING : happens({ type: 'stop', ending: stop.ending });
}

function askConsent(player: Player, { question }: Of<'ask_consent'>): Move {
  const record = recordAt(player);
  if (record.kind === 'consent') return happens(consented(record.body, question.digest));
  return record.kind === 'seal' ? stopAt(player, record) : strays(player);
}

/** What may follow a call in its step: other kinds tell of powers and people. Other operations have records too. */
const ALONE: ReadonlySet<string> = new Set(['observation', 'revocation']);
const OF_PAGE = ['power', 'approval', 'parked', 'revocation'];
const AMONG_OTHERS: ReadonlySet<string> = new Set(['observation', 'intent', 'content', ...OF_PAGE]);

/** A call that the clock or a person ended would not end the same way again. */
const BY_CLOCK: ReadonlySet<string | undefined> = new Set(['deadline', 'hang', 'aborted', 'corrupt']);

/** A parked call is made again from its beginning: it is given the same answers, and comes to the same end. */
function goOn(player: Player): Move {
  const at = executing(player.state);
  const effect = at && executeEffect(player.state, at);
  return effect === undefined ? strays(player) : execute(player, effect);
}

/** Nothing but records were taken. */
const ONWARD: Move = { events: [] };

function execute(player: Player, effect: Of<'execute'>): Move {
  const during = executing(player.state);
  const cut = during?.open.work && cutAt(player);
  if (cut !== undefined) return believe(player, 'what a message did before it was cut off is believed', cut);
  if (during !== undefined) hearPage(player, during);
  if (player.wrong !== undefined || player.tape.records.length <= player.at || isTakenUp(player.tape, player.at))
    return ONWARD;
  const revocation = revocationAt(player);
  if (revocation !== undefined) return revoked(revocation);
  return callAgain(player, effect);
}

/** Where a message was cut off by a crash: of its operations no record tells how they ended. */
function cutAt({ tape, at }: Player): number | undefined {
  const end = receiptAt(tape, at) ?? tape.records.length;
  for (let place = at + 1; place < end; place++) if (isTakenUp(tape, place)) return place;
  return undefined;
}

function callAgain(player: Player, effect: Of<'execute'>): Move {
  const { tape, at, state, way } = player;
  const { drafts, work } = openOf(state.at);
  const stop = stopWithin(tape, at);
  if (stop !== undefined && !stop.cameBack && stop.ending !== undefined)
    return happens({ type: 'stop', ending: stop.ending });
  const recorded = recordedCall(tape, at, work);
  const until = tape.records.slice(at + drafts.length, receiptAt(tape, at));
  const isPlain = until.every(({ kind }) => (work === undefined ? ALONE : AMONG_OTHERS).has(kind));
  const why = inStep(tape, at, 'receipt')?.evidence.reason?.code;
  if (why === 'power_interrupted' && 'missing' in recorded)
    return believe(player, 'a call that was cut off without the answer of a power is believed');
  if (why === 'interrupted') return happens({ type: 'lost', step: effect.step });
  if ('missing' in recorded || !isPlain) return believe(player, 'the result of a call is not in this file');
  if (way === 'replay' && !BY_CLOCK.has(recorded.ended_by))
    return { ask: { type: 'execute', effect, recorded, labels: shownBy(player, effect) } };
  if (recorded.settled === undefined) return believe(player, 'a result that was refused is not kept');
  if (way === 'replay')
    player.skipped.push(found(at, refuse('not_replayed', { what: `a call ended by ${recorded.ended_by}` })));
  const { settled, image_hash, touched } = recorded;
  const labels = shownBy(player, effect);
  return happens({ type: 'settled', step: effect.step, settled, image_hash, labels, ...(touched && { touched }) });
}

/** What a call read of what was kept is an input, and so is what it was labelled with. */
function shownBy({ tape, at }: Player, { call }: Of<'execute'>): readonly Label[] {
  const reads = call.capability.manifest.powers.includes('store.get');
  return reads ? (inStep(tape, at, 'receipt')?.evidence.labels ?? []) : [];
}

/** What was decided before the call is compared; what came of it is believed. */
function believe(player: Player, why: string, until?: number): Move {
  const { drafts, payloads } = openOf(player.state.at);
  const proposal = inStep(player.tape, player.at, 'proposal') ?? lastProposal(player);
  compare(player, drafts, payloads);
  const upTo = until === undefined ? {} : { until };
  return { rest: { why, ...upTo, ...(proposal && { unfinished: { proposal } }) } };
}

function lastProposal({ tape, at }: Player) {
  for (let before = at - 1; before >= 0; before--) {
    const record = tape.records[before];
    if (record?.kind === 'proposal') return record.body;
  }
  return undefined;
}

/** Between two steps, or behind the last: the next task, the next step, or the end. */
function atRest(player: Player): Move {
  const { tape, at, state } = player;
  const record = recordAt(player);
  const { phase } = state.at;
  if (phase !== 'IDLE' && phase !== 'COMPLETED') return strays(player);
  if (record.kind === 'task') {
    const task = textOf(tape, record.body.text);
    if (task === undefined) return { rest: { until: at + 1, why: 'a task that is not in this file' } };
    return happens({ type: 'say', task }, { type: 'pause' });
  }
  if (phase !== 'IDLE') return strays(player);
  if (record.kind === 'seal' && isFromOutside(record.body)) return stopAt(player, record);
  return happens({ type: 'step' });
}

function stopAt(player: Player, { body }: Extract<LedgerRecord, { kind: 'seal' }>): Move {
  const { tape, at } = player;
  const ending = endingOf(tape, body);
  if (ending === undefined) return { rest: { until: at + 1, why: 'how the run ended is not in this file' } };
  return isFromOutside(ending) ? happens({ type: 'stop', ending }) : strays(player);
}
