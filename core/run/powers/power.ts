import { approvalDigest } from '../../capability/approval.ts';
import { codeOf, evaluatePolicy, type PolicyDecision, type PolicyInput } from '../../capability/authorize.ts';
import { holding } from '../../capability/check.ts';
import { type PowerAnswer, timeoutOf } from '../../capability/power.ts';
import { refuse } from '../../errors.ts';
import { canonicalText } from '../../json/canonical.ts';
import type { Draft } from '../../ledger/record.ts';
import type { Refusal } from '../../outcome.ts';
import { exactHashes, withGrant } from '../authorize/exact.ts';
import { noOf, REASONS, standingGrant, yesOf } from '../authorize/question.ts';
import { revokedOf } from '../authorize/revoked.ts';
import { commit } from '../commit/commit.ts';
import type { Payload, RunEffect } from '../effect.ts';
import type { RunEvent } from '../event.ts';
import { powerPayload } from '../payload.ts';
import {
  type AfterWrite,
  NO_POWER_CALLS,
  type OpenPower,
  type PastPower,
  type PendingPowerCalls,
} from '../pending-power-calls.ts';
import type { Executing, RunState } from '../state.ts';
import { executing, stay, type Transition } from '../step.ts';
import { nextAsked, parkedKey, place, powerEvidence, put, readBy, shown, tell, write } from './power-calls.ts';
import { powerNonce } from './power-nonce.ts';
import * as draft from './power-records.ts';
import { powerOf, readArgument, readResult, soleArgument } from './power-text.ts';

type PowerRequest = Extract<RunEvent, { type: 'power_asked' }>;

/**
 * Handles a guest's call of a page power. The default is to deny, as for a proposal. The power needs a grant under its
 * own hash, because a capability's declaration is only its author's claim; the guard considers the data that the model
 * and this call have read. A refusal reaches the guest as an error named by its code.
 */
export function askPower(state: RunState, at: Executing, event: PowerRequest): Transition {
  const pendingCalls = shown(at.pendingCalls ?? NO_POWER_CALLS, event.labels);
  const { ticket } = event;
  if (pendingCalls.open.has(ticket)) return stay(state);
  const before = pendingCalls.answered.get(ticket);
  if (before !== undefined) return sayAgain(state, { ...at, pendingCalls }, event, before);
  const power = powerOf(state, at, event.name);
  if (power === undefined)
    return tell(state, { ...at, pendingCalls }, ticket, failed(refuse('power_unknown', { name: event.name }).refusal));
  const argument = readArgument(power, event.args, event.checked);
  if (!argument.ok) return tell(state, { ...at, pendingCalls }, ticket, failed(argument.refusal));
  const argsText = canonicalText(argument.value);
  const { effect } = power.manifest;
  const open: OpenPower = {
    ticket,
    power,
    args: powerPayload(at.open, ticket, 'asked', argsText),
    argsText,
    constraintResults: holding(event.checked),
    now: event.now,
    recorded: effect === 'write' || effect === 'egress',
    stage: 'issuing',
  };
  const asking = { ...at, pendingCalls };
  const weighed = judge(state, asking, open, { approved: false });
  return decide(state, asking, open, weighed, []);
}

/**
 * Repeats a recorded answer. The question is recorded, too: a guest that asks a different question this time, because
 * unrecorded inputs have changed, does not get the answer.
 */
function sayAgain(state: RunState, at: Executing, { ticket, name, args }: PowerRequest, past: PastPower): Transition {
  const power = powerOf(state, at, name);
  const argument = power && soleArgument(args);
  const same =
    argument !== undefined &&
    power?.hash === past.power_hash &&
    powerPayload(at.open, ticket, 'asked', canonicalText(argument.value)).ref.sha256 === past.args_hash;
  if (same)
    return tell(
      state,
      { ...at, pendingCalls: shown(at.pendingCalls ?? NO_POWER_CALLS, power.manifest.labels) },
      ticket,
      past.answer,
    );
  const [next, effects] = interruptCall(state, at);
  return [next, [{ type: 'cancel' }, ...effects]];
}

/** Closes a parked call that cannot be continued: the ledger has its powers' effects, but not its result. */
export function interruptCall(state: RunState, at: Executing): Transition {
  const { refusal } = refuse('interrupted', {}, { step: 'execute' });
  const { capability } = at.charged;
  const call = { capability, args_hash: at.call.args.ref.sha256, cut: true, strict: true };
  return commit(state, at.open, { ...call, ...powerEvidence(state, at), refusal });
}

function judge(state: RunState, at: Executing, open: OpenPower, said: Approvals): PolicyDecision {
  const { name, effect } = open.power.manifest;
  const labels = readBy(state, at);
  const { policy, used } = state;
  const exact = exactHashes(state, open.power.hash, open);
  const args_hash = open.args.ref.sha256;
  const facts = { policy, used, labels, ...said, now: open.now, holds: open.constraintResults, args_hash, exact };
  return evaluatePolicy({ name, hash: open.power.hash, effect }, facts);
}

type Approvals = Pick<PolicyInput, 'approved' | 'authorizerApproved'>;

function decide(
  state: RunState,
  before: Executing,
  open: OpenPower,
  weighed: PolicyDecision,
  drafts: readonly Draft[],
  payloads: readonly Payload[] = [],
): Transition {
  if (weighed.decision === 'REQUIRES_APPROVAL') return question(state, before, open, weighed.why);
  const at = noted(before, open, weighed);
  if (weighed.decision !== 'AUTHORIZED') {
    const answer = failed(weighed.refused.refusal);
    if (drafts.length === 0) return tell(state, at, open.ticket, answer);
    return write(state, at, drafts, payloads, { then: 'answer', ticket: open.ticket, answer });
  }
  const { id } = weighed.grant;
  // a use that was counted before the call was parked is not counted again
  const charged =
    at === before ? state : { ...state, used: new Map(state.used).set(id, (state.used.get(id) ?? 0) + 1) };
  if (!open.recorded) return issue(charged, at, { ...open, stage: 'issued' });
  const record = draft.issued(at.open, charged, open, id);
  const after = { then: 'issue', ticket: open.ticket } as const;
  return write(charged, put(at, { ...open, stage: 'issuing' }), [...drafts, record], [...payloads, open.args], after);
}

function issue(state: RunState, at: Executing, open: OpenPower): Transition {
  const { ticket, power, argsText: args } = open;
  return [place(state, put(at, open)), [{ type: 'power', step: at.open.step, ticket, power, args }]];
}

/** Writes the question before it is put, bound to this use of the power. */
function question(state: RunState, at: Executing, open: OpenPower, why: NonNullable<OpenPower['why']>): Transition {
  const digest = approvalDigest({
    capability_hash: open.power.hash,
    args_hash: open.args.ref.sha256,
    run_id: state.facts.run_id,
    step_id: at.open.step_id,
    nonce: nonceOf(at, open),
  });
  const asked: OpenPower = { ...open, recorded: true, stage: 'asking', digest, why };
  const record = draft.question(at.open, asked, nonceOf(at, open));
  return write(state, put(at, asked), [record], [open.args], { then: 'ask', ticket: open.ticket });
}

/**
 * Nonce of the question. A call may ask the same question twice, and so may two operations of a message: each question
 * has its own answer.
 */
function nonceOf({ open: { nonce, work } }: Executing, { ticket }: OpenPower): string {
  return powerNonce(nonce, work?.done.length, ticket);
}

/** Applies a person's answer. A yes is evaluated against the policy again, as for a call. */
export function answerPower(state: RunState, at: Executing, event: AnswerEvent): Transition {
  if (revokedOf(state, at) !== undefined) return stay(state);
  const [next, effects] = applyAnswer(state, at, event);
  const during = executing(next);
  const waiting = during?.pendingCalls && nextAsked(during.pendingCalls);
  // questions are put in sequence
  if (during === undefined || waiting === undefined || effects.length === 0) return [next, effects];
  return [next, [...effects, askPerson(next, during, waiting)]];
}

type AnswerEvent = Extract<RunEvent, { type: 'answered' }>;

function applyAnswer(state: RunState, at: Executing, event: AnswerEvent): Transition {
  const pendingCalls = at.pendingCalls ?? NO_POWER_CALLS;
  const asked = [...pendingCalls.open.values()].find(
    ({ digest, stage }) => stage === 'asked' && digest === event.digest,
  );
  if (asked === undefined) return stay(state);
  const { name } = asked.power.manifest;
  const standing = standingGrant({ name, hash: asked.power.hash }, event.digest, asked.args, event.answer);
  const said = draft.heard(at.open, asked, event.answer, standing);
  if (!event.answer.approved) {
    const refusal = noOf(event.answer, {});
    const denied = noted(at, asked, { decision: 'DENIED_POLICY_VIOLATION', refused: { ok: false, refusal } });
    const after = { then: 'answer', ticket: asked.ticket, answer: failed(refusal) } as const;
    return write(state, put(denied, { ...asked, stage: 'answering' }), [said.draft], said.payloads, after);
  }
  const yes = yesOf(event.answer, asked.why ?? 'grant');
  if (yes === undefined) return stay(state);
  const permitted = withGrant(state, standing, asked.args);
  const open = { ...asked, now: event.now, stage: 'answering' } as const;
  const weighed = judge(permitted, at, open, yes);
  return decide(permitted, put(at, open), open, weighed, [said.draft], said.payloads);
}

/**
 * Applies the page's answer, or its timeout. The answer is a stranger's text, and the guest gets exactly the recordable
 * part of it.
 */
export function returnPower(
  state: RunState,
  at: Executing,
  event: Extract<RunEvent, { type: 'power_answered' }>,
): Transition {
  const pendingCalls = at.pendingCalls ?? NO_POWER_CALLS;
  const open = pendingCalls.open.get(event.ticket);
  if (open?.stage !== 'issued') return stay(state);
  const { manifest } = open.power;
  const read =
    event.answer === 'timeout'
      ? refuse('power_timeout', { name: manifest.name, limit: timeoutOf(open.power) })
      : readResult(open.power, event.answer, event.checked, at.charged.capability.manifest.limits.bytesIn);
  const answer = read.ok ? read.value : failed(read.refusal);
  const told = { ...at, pendingCalls: shown(pendingCalls, manifest.labels) };
  if (!open.recorded) return tell(state, told, open.ticket, answer);
  const kept = powerPayload(at.open, open.ticket, 'answered', canonicalText(answer));
  const record = draft.returned(at.open, open, answer.ok, kept.ref);
  const after = { then: 'answer', ticket: open.ticket, answer } as const;
  return write(state, put(told, { ...open, stage: 'answering' }), [record], [kept], after);
}

/** Stores the heap of a parked call in a single write with its record. */
export function parkCall(state: RunState, at: Executing, event: Extract<RunEvent, { type: 'parked' }>): Transition {
  const pendingCalls = { ...shown(at.pendingCalls ?? NO_POWER_CALLS, event.labels), parked: true };
  const record = draft.parked(at.open, event, pendingCalls);
  const row = { key: parkedKey(state.facts.run_id), value: event.kept };
  return write(state, { ...at, pendingCalls }, [record.draft], record.payloads, { then: 'nothing' }, [row]);
}

/** Continues after a durable write of the running call, unless the call has ended meanwhile. */
export function powerWritten(state: RunState, at: Executing): Transition {
  const pendingCalls = at.pendingCalls ?? NO_POWER_CALLS;
  const [after, ...writes] = pendingCalls.writes;
  const next = { ...at, pendingCalls: { ...pendingCalls, writes } };
  const over = state.stopping !== undefined || pendingCalls.settled !== undefined || revokedOf(state, at) !== undefined;
  if (after === undefined || over) return [place(state, next), []];
  return act(state, next, after);
}

function act(
  state: RunState,
  at: Executing & { readonly pendingCalls: PendingPowerCalls },
  after: AfterWrite,
): Transition {
  if (after.then === 'nothing') return [place(state, at), []];
  const { step } = at.open;
  if (after.then === 'unpark') {
    const { digest, image_hash, touched } = after;
    return [place(state, at), [{ type: 'unpark', step, call: at.charged, digest, image_hash, touched }]];
  }
  if (after.then === 'answer') return tell(state, at, after.ticket, after.answer);
  const open = at.pendingCalls.open.get(after.ticket);
  if (open === undefined) return stay(state);
  if (after.then === 'issue') return issue(state, at, { ...open, stage: 'issued' });
  const first = nextAsked(at.pendingCalls) === undefined;
  const asked = { ...open, stage: 'asked' } as const;
  return [place(state, put(at, asked)), first ? [askPerson(state, at, asked)] : []];
}

function askPerson({ facts: { run_id } }: RunState, at: Executing, open: OpenPower): RunEffect {
  const { hash, manifest } = open.power;
  const { name } = at.charged.capability.manifest;
  const question = {
    run_id,
    step_id: at.open.step_id,
    capability: manifest.name,
    capability_hash: hash,
    effect: manifest.effect,
    args: open.argsText,
    digest: open.digest ?? '',
    reason: `${name} asks for this power while it runs. ${REASONS[open.why ?? 'grant']}`,
    ...(open.why === 'authorizer' && { why: open.why }),
  };
  return { type: 'ask', question };
}

function failed({ code, message }: Refusal): PowerAnswer {
  return { ok: false, error: { name: code, message } };
}

/** The call with this decision in its list; the same call if the list already holds it. */
function noted(at: Executing, { ticket, power }: OpenPower, weighed: PolicyDecision): Executing {
  if (weighed.decision === 'REQUIRES_APPROVAL') return at;
  const { decisions } = at.pendingCalls ?? NO_POWER_CALLS;
  const code = codeOf(weighed);
  const grant = 'grant' in weighed ? weighed.grant.id : undefined;
  if (decisions.some((before) => before.ticket === ticket && before.grant === grant)) return at;
  const decision = {
    ticket,
    power: power.manifest.name,
    power_hash: power.hash,
    decision: weighed.decision,
    ...(code === undefined ? {} : { code }),
    ...(grant === undefined ? {} : { grant }),
  };
  return { ...at, pendingCalls: { ...(at.pendingCalls ?? NO_POWER_CALLS), decisions: [...decisions, decision] } };
}
