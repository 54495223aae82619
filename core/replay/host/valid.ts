import { approvalDigest } from '../../capability/approval.ts';
import type { PowerCall } from '../../capability/call.ts';
import { revoke } from '../../capability/policy.ts';
import type { PowerAnswer } from '../../capability/power.ts';
import { canonicalText } from '../../json/canonical.ts';
import type { JsonValue } from '../../json/value.ts';
import type { Bodies } from '../../ledger/record.ts';
import { concerned, revocationOf } from '../../run/authorize/revoke.ts';
import type { OpenStep } from '../../run/open-step.ts';
import { powerPayload } from '../../run/payload.ts';
import { powerNonce } from '../../run/powers/power-nonce.ts';
import { powerOf, requestedPower } from '../../run/powers/power-text.ts';
import type { Executing, RunState } from '../../run/state.ts';
import { recordedCalls } from '../recorded.ts';
import { replyFault } from '../reply.ts';
import { saltFault } from '../salts.ts';
import { jsonOf, type Tape } from '../tape.ts';
import type { RecordedFacts } from './facts.ts';
import { type HostRecord, isSame, type ReadsBody } from './records.ts';

/** Host records before the record to check: in its whole step, and since the last resumption. */
export interface Before {
  readonly all: readonly HostRecord[];
  readonly lately: readonly HostRecord[];
}

/** Reason why the run cannot have written this record of its call; undefined if it can. */
export function invalidReason(
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
      : (replyFault(state, body, before.all) ?? labelsFault(state, at, body, told));
  }
  if (body.event === 'answered') return answerFault(tape, body, told);
  if (isOther(at.open, told, body.ticket, body.args.sha256, before)) return 'the guest asked it something else';
  const { policy, labels } = state;
  if (body.effect !== power.manifest.effect) return 'its effect is another';
  if (body.policy_hash !== policy.hash || canonicalText([...labels]) !== canonicalText([...body.labels]))
    return 'it was issued under another policy';
  const grant = policy.grants.find(({ id }) => id === body.grant);
  if (grant?.capability_hash !== hash || grant.mode === 'deny') return 'the grant is not one for it';
  return grant.expires !== undefined && grant.expires <= body.now ? 'the grant had expired' : undefined;
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
  { ticket, grant }: Extract<Bodies['approval'], { event: 'answered' }>,
  { labels: shown = [], decisions }: RecordedFacts,
): string | undefined {
  const others = decisions.filter((decided) => decided.ticket !== ticket);
  const ofPowers = others.flatMap(({ power }) => powerOf(state, at, power)?.manifest.labels ?? []);
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
  return open > 0 || among(all, 'asked').length > among(all, 'answered').length ? undefined : 'nobody had asked it';
}

/** True if a question about this use waits for its answer. */
function isOpen(ticket: number, lately: readonly HostRecord[]): boolean {
  const last = lately.findLast(({ kind, body }) => kind === 'approval' && body.ticket === ticket);
  return last?.kind === 'approval' && last.body.event === 'asked';
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
