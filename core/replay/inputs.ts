import type { Grant } from '../capability/grant.ts';
import type { Bodies, Evidence } from '../ledger/record.ts';
import { saltIn } from '../ledger/salt.ts';
import type { Answer, Ending, RunEvent, StandingYes } from '../run/event.ts';
import { messageNonce } from '../run/validate/work.ts';
import { bytesOf, inStep, receiptAt, storedOf, type Tape, textOf } from './tape.ts';

/** What came from outside, read back from what was recorded of it. Undefined: its bytes are not in the file. */

/** The model's answer, with the clock and the nonce that its decision and its question were made with. */
export function proposed(tape: Tape, at: number, body: Bodies['proposal'], step: number): RunEvent | undefined {
  const { payload, usage, finish } = body;
  const bytes = bytesOf(tape, payload);
  if (bytes === undefined) return undefined;
  const decision = inStep(tape, at, 'decision');
  const asked = inStep(tape, at, 'approval', ({ event, ticket }) => event === 'asked' && ticket === undefined);
  const nonce = asked?.event === 'asked' ? asked.nonce : '';
  const isWork = inStep(tape, at, 'verdict')?.kind === 'work';
  const answer = { ...(usage && { usage }), ...(finish && { finish }) };
  const now = decision?.now ?? 0;
  const salt = saltIn(payload, storedOf(tape, payload)) ?? NO_SALT;
  return { type: 'proposed', step, bytes, answer, now, nonce: isWork ? messageNonce(nonce) : nonce, salt };
}

/** Where a proposal has no salt. A secret step that is made with this one is not the one that was recorded. */
const NO_SALT = '0'.repeat(64);

/** A person's answer, and the clock it was weighed by. */
export function answered(tape: Tape, at: number, body: Bodies['approval'], digest: string): RunEvent | undefined {
  if (body.event !== 'answered') return undefined;
  const now = inStep(tape, at, 'decision')?.now ?? 0;
  const answer = answerOf(tape, body);
  return answer === undefined ? undefined : { type: 'answered', digest, answer, now };
}

function answerOf(tape: Tape, body: Extract<Bodies['approval'], { event: 'answered' }>): Answer | undefined {
  const how = body.via && { via: body.via };
  if (!body.approved) {
    const reason = body.reason === undefined ? '' : textOf(tape, body.reason);
    return reason === undefined ? undefined : { approved: false, reason, ...how };
  }
  if (body.grant === undefined) return { approved: true, ...how };
  return { approved: true, standing: standingOf(body.grant), ...how };
}

/** What a person permitted beyond the one call, read back from the grant that it became. */
export function standingOf({ args_hash, uses }: Grant): StandingYes {
  return { args: args_hash === undefined ? 'any' : 'exact', ...(uses === undefined ? {} : { uses }) };
}

export function consented(body: Bodies['consent'], digest: string): RunEvent {
  const said: Answer = body.approved === true ? { approved: true } : { approved: false, reason: '' };
  const answer: Answer = { ...said, ...(body.via && { via: body.via }) };
  return { type: 'answered', digest, answer, now: 0 };
}

/** How the run ended, as whoever ended it said. */
export function endingOf(tape: Tape, { state, code, message }: Bodies['seal']): Ending | undefined {
  const text = message === undefined ? undefined : textOf(tape, message);
  if (message !== undefined && text === undefined) return undefined;
  return { state, ...(code === undefined ? {} : { code }), ...(text === undefined ? {} : { message: text }) };
}

/** The outside may abort a run or let its time run out; any other end is the run's own doing. */
export function isFromOutside({ state, code }: Pick<Ending, 'state' | 'code'>): boolean {
  return (state === 'aborted' && code === undefined) || (state === 'limit' && code === 'limit_wall');
}

/**
 * The end that came in the middle of a step: its receipt says `call_aborted`, or that a power was out, and a seal
 * follows. A call that was ended with it has left nothing behind; one that had come back has.
 */
export function stopWithin(tape: Tape, at: number): Stop | undefined {
  const receipt = receiptAt(tape, at);
  const evidence = inStep(tape, at, 'receipt')?.evidence;
  if (receipt === undefined || evidence === undefined || !isStopped(evidence)) return undefined;
  const seal = tape.records[receipt + 1];
  if (seal?.kind !== 'seal' || !isFromOutside(seal.body)) return undefined;
  return { ending: endingOf(tape, seal.body), cameBack: evidence.image_hash !== undefined };
}

function isStopped({ reason, ended_by, image_hash }: Evidence): boolean {
  if (reason?.code === 'power_interrupted') return ended_by === 'aborted' && image_hash === undefined;
  return reason?.code === 'call_aborted' && ended_by === undefined;
}

/** Without an ending: its words are not in the file. */
interface Stop {
  readonly ending: Ending | undefined;
  readonly cameBack: boolean;
}

/** Taken up again after a crash: no event of the run, but a beginning from its records. */
export function isTakenUp({ records }: Tape, at: number): boolean {
  const record = records[at];
  return record?.kind === 'state' && (record.body.event === 'resumed' || record.body.event === 'interrupted');
}
