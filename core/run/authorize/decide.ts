import { type Authorization, authorize, liveGrants } from '../../capability/authorize.ts';
import { charge } from '../../capability/charge.ts';
import type { Validated } from '../../capability/check.ts';
import { holds } from '../../capability/hold.ts';
import type { Draft } from '../../ledger/record.ts';
import type { Refusal } from '../../outcome.ts';
import { commit } from '../commit/commit.ts';
import * as draft from '../commit/records.ts';
import type { RunEvent } from '../event.ts';
import { launch } from '../execute/execute.ts';
import { runNext } from '../execute/operation.ts';
import { heldStep, placesOf } from '../held.ts';
import type { AskedQuestion, OpenCall, OpenStep, Permit, Plan, Work } from '../open-step.ts';
import type { RunState, RunStatus } from '../state.ts';
import { enter, stay, type Transition } from '../step.ts';
import { nonceOf } from '../validate/work.ts';
import { answerUse, type DecisionSubject, type Denied, decideUse, evaluate } from './approval.ts';
import { approvalOf, replaceCall } from './instead.ts';
import { questionOf, questionRecord, withRecords } from './question.ts';

/** Evaluates the policy for a validated call. */
export function decide(state: RunState, open: OpenStep, validated: Validated, call: OpenCall): Transition {
  const subject = subjectOf(state, { open, validated, call });
  return open.replaces === undefined
    ? decideUse(state, subject)
    : decideUse(state, subject, approvalOf(state, subject));
}

/** What the policy says about a call that a person has edited, if the person says yes to it. */
export function decideEdited(state: RunState, edited: Omit<CallUse, 'answeredAt'>): Authorization {
  return evaluate(state, subjectOf(state, edited), { approved: true });
}

/** A call to decide when its proposal arrives, or when a question about it is answered. */
interface CallUse {
  readonly open: OpenStep;
  readonly validated: Validated;
  readonly call: OpenCall;
  /** Integer ms. */
  readonly answeredAt?: number;
}

type PermittedCall = Extract<Authorization, { decision: 'AUTHORIZED' }>;
type CallSubject = DecisionSubject<PermittedCall>;

function subjectOf(state: RunState, use: CallUse): CallSubject {
  const { open, validated, call } = use;
  const { capability } = validated;
  const { name, effect } = capability.manifest;
  const registered = state.facts.registry.capabilities.get(name) === capability;
  const isInside = capability.manifest.host === undefined;
  const subject: CallSubject = {
    name,
    hash: capability.hash,
    effect,
    step: open,
    args: call.args,
    argsText: call.argsText,
    constraintResults: call.constraintResults,
    nonce: open.nonce,
    now: nowOf(use),
    labels: state.labels,
    places: placesOf(state, open),
    ...(isInside && { isInside }),
    ...(open.held === undefined && { isTold: true as const }),
    ...(open.held?.release && { released: open.held.release.grants }),
    evaluate: (input) => authorize(validated, { ...input, registered }),
    permit: (before, decision) => permit(before, use, decision),
    ask: (before, decision, asked) => question(before, use, decision, asked, questionRecord(subject, asked)),
    deny: (before, refusal, decision) => refused(before, use, refusal, decision),
    answered: (said) => subjectOf(state, { ...use, open: withRecords(open, said) }),
  };
  return subject;
}

/** Clock of a decision. A person may answer long after the proposal arrived, and a grant may have expired meanwhile. */
function nowOf({ open, answeredAt }: CallUse): number {
  return answeredAt ?? open.work?.answeredAt ?? open.now;
}

/** Charges the grant, and starts the call; in a message it goes on to the next operation. */
function permit(state: RunState, use: CallUse, decision: PermittedCall): Transition {
  const { charged, used } = charge(decision.value, state.used, nowOf(use));
  const { work } = use.open;
  // a call with handles is charged when it ends, whatever was decided; within its message every operation counts
  const isCharged = use.open.held === undefined || work !== undefined;
  const paid = { ...evaluated(state, use), ...(isCharged && { used }) };
  const isHeld = willHold(state, use);
  const open = decided(state, use, decision, isHeld);
  const permit = { charged, call: use.call, ...(isHeld && { holds: true as const }) };
  if (work !== undefined) return permitted(paid, open, workAfter(use, work), permit);
  return launch(paid, isHeld ? heldStep(state, open, use.validated.capability) : open, permit);
}

/** True for a call without handles that holds from its intent on. */
function willHold(state: RunState, use: CallUse): boolean {
  const { open, validated, call } = use;
  if (state.facts.holding !== true || open.held !== undefined) return false;
  const { capability } = validated;
  const { policy, used, labels } = state;
  const facts = { policy, used, labels, now: nowOf(use), holds: call.constraintResults, approved: false };
  const args_hash = call.args.ref.sha256;
  const live = liveGrants({ name: capability.manifest.name, hash: capability.hash }, { ...facts, args_hash });
  return holds(state, { capability, hasHandles: false, live });
}

function workAfter({ answeredAt }: CallUse, work: Work): Work {
  return answeredAt === undefined ? work : { ...work, answeredAt };
}

function question(
  state: RunState,
  use: CallUse,
  decision: Authorization,
  asked: AskedQuestion,
  record: Draft,
): Transition {
  const { validated, call } = use;
  const { drafts, payloads, ...rest } = decided(state, use, decision);
  const open = { ...rest, drafts: [], payloads: [] };
  const at: RunStatus = { phase: 'AUTHORIZATION_EVALUATING', open, call, asked: { validated, ...asked } };
  return [enter(state, at), [{ type: 'append', drafts: [...drafts, record], payloads, durability: 'strict' }]];
}

function refused(state: RunState, use: CallUse, refusal: Refusal, decision: Denied | undefined): Transition {
  const { open, call, validated } = use;
  const closing = decision === undefined ? open : decided(state, use, decision);
  const args_hash = call.args.ref.sha256;
  return commit(evaluated(state, use), closing, { refusal, capability: validated.capability, args_hash });
}

/** The run in the phase of its first decision. After an answer the run is past this phase. */
function evaluated(state: RunState, { answeredAt }: CallUse): RunState {
  if (answeredAt !== undefined) return state;
  return { ...state, phasesEntered: [...state.phasesEntered, 'AUTHORIZATION_EVALUATING'] };
}

/** The step with the record of the decision. */
function decided(state: RunState, use: CallUse, decision: Authorization, isHeld = false): OpenStep {
  const { open, validated, call } = use;
  const { capability } = validated;
  const record = draft.decision(open, state, capability, call.args.ref.sha256, decision, nowOf(use), isHeld);
  return { ...open, drafts: [...open.drafts, record] };
}

/** Puts the question to a person. The question is durable. */
export function ask(state: RunState, at: Extract<RunStatus, { phase: 'AUTHORIZATION_EVALUATING' }>): Transition {
  const { open, call, asked } = at;
  const question = questionOf(state, subjectOf(state, { open, validated: asked.validated, call }), asked);
  return [enter(state, { ...at, phase: 'AWAITING_APPROVAL', about: 'call' }), [{ type: 'ask', question }]];
}

/** Applies an answer to the question about a call. An answer to another question is ignored. */
export function answerCall(
  state: RunState,
  { open, call, asked }: Extract<RunStatus, { phase: 'AWAITING_APPROVAL'; about: 'call' }>,
  event: Extract<RunEvent, { type: 'answered' }>,
): Transition {
  if (event.digest !== asked.digest) return stay(state);
  if (event.answer.approved && event.answer.instead !== undefined)
    return replaceCall(state, event, event.answer.instead, (at) =>
      subjectOf(state, { open: at.open, validated: at.asked.validated, call: at.call }),
    );
  const use = { open, validated: asked.validated, call, answeredAt: event.now };
  return answerUse(state, subjectOf(state, use), asked, event);
}

/** Decides the next operation. The first operation runs only after all are permitted. */
export function decideNext(state: RunState, open: OpenStep): Transition {
  const { plans = [], permits = [], nonce = '' } = open.work ?? {};
  const plan = plans[permits.length] as Plan;
  return decide(state, { ...open, nonce: nonceOf(nonce, permits.length) }, plan.validated, plan.call);
}

/** Adds a permit. With the last permit the first operation runs. */
function permitted(state: RunState, open: OpenStep, before: Work, permit: Permit): Transition {
  const work = { ...before, permits: [...before.permits, permit] };
  const opened = { ...open, work };
  return work.permits.length < work.plans.length ? decideNext(state, opened) : runNext(state, opened, work);
}
