import { approvalDigest } from '../../capability/approval.ts';
import {
  type ApprovalReason,
  type Authorization,
  type Authorized,
  authorize,
  type PolicyInput,
} from '../../capability/authorize.ts';
import { charge } from '../../capability/charge.ts';
import type { Validated } from '../../capability/check.ts';
import { commit } from '../commit/commit.ts';
import * as draft from '../commit/records.ts';
import type { Question } from '../effect.ts';
import type { RunEvent } from '../event.ts';
import { launch } from '../execute/execute.ts';
import { runNext } from '../execute/operation.ts';
import type { OpenCall, OpenStep, Permit, Plan, Work } from '../open-step.ts';
import { answerPower } from '../powers/power.ts';
import type { PendingQuestion, RunState, RunStatus } from '../state.ts';
import { enter, stay, type Transition } from '../step.ts';
import { nonceOf } from '../validate/work.ts';
import { answerConsent } from './consent.ts';
import { exactHashes, withGrant } from './exact.ts';
import { noOf, REASONS, standingGrant, yesOf } from './question.ts';

/** Evaluates the policy for a validated call. */
export function decide(state: RunState, open: OpenStep, validated: Validated, call: OpenCall): Transition {
  const evaluating = { ...state, phasesEntered: [...state.phasesEntered, 'AUTHORIZATION_EVALUATING' as const] };
  const authorization = judge(state, validated, call, open.now, { approved: false });
  const decided = withDecision(state, open, validated, call, authorization, open.now);
  if (authorization.decision === 'AUTHORIZED') return start(evaluating, decided, authorization.value, call);
  if (authorization.decision === 'REQUIRES_APPROVAL')
    return question(state, decided, validated, call, authorization.why);
  return refused(evaluating, decided, validated, call, authorization.refused.refusal);
}

function judge(state: RunState, validated: Validated, call: OpenCall, now: number, said: Approvals): Authorization {
  const { policy, labels, used } = state;
  const { registry } = state.facts;
  const registered = registry.capabilities.get(validated.capability.manifest.name) === validated.capability;
  const args_hash = call.args.ref.sha256;
  const exact = exactHashes(state, validated.capability.hash, call);
  return authorize(validated, {
    policy,
    registered,
    now,
    used,
    holds: call.constraintResults,
    args_hash,
    exact,
    labels,
    ...said,
  });
}

type Approvals = Pick<PolicyInput, 'approved' | 'authorizerApproved'>;

function withDecision(
  state: RunState,
  open: OpenStep,
  validated: Validated,
  call: OpenCall,
  authorization: Authorization,
  now: number,
): OpenStep {
  const record = draft.decision(open, state, validated.capability, call.args.ref.sha256, authorization, now);
  return { ...open, drafts: [...open.drafts, record] };
}

function refused(
  state: RunState,
  open: OpenStep,
  validated: Validated,
  call: OpenCall,
  refusal: draft.StepEnding['refusal'],
): Transition {
  return commit(state, open, {
    ...(refusal && { refusal }),
    capability: validated.capability,
    args_hash: call.args.ref.sha256,
  });
}

/** Writes the question before it is put, so that it survives a crash. */
function question(
  state: RunState,
  open: OpenStep,
  validated: Validated,
  call: OpenCall,
  why: ApprovalReason,
): Transition {
  const digest = approvalDigest({
    capability_hash: validated.capability.hash,
    args_hash: call.args.ref.sha256,
    run_id: state.facts.run_id,
    step_id: open.step_id,
    nonce: open.nonce,
  });
  const asked: PendingQuestion = { validated, digest, why };
  const drafts = [...open.drafts, draft.question(open, asked, call.args.ref)];
  const written = { ...open, drafts: [], payloads: [] };
  const at: RunStatus = { phase: 'AUTHORIZATION_EVALUATING', open: written, call, asked };
  return [enter(state, at), [{ type: 'append', drafts, payloads: open.payloads, durability: 'strict' }]];
}

/** Puts the question to a person. The question is durable. */
export function ask(state: RunState, at: Extract<RunStatus, { phase: 'AUTHORIZATION_EVALUATING' }>): Transition {
  const { open, call, asked } = at;
  const { hash, manifest } = asked.validated.capability;
  const question: Question = {
    run_id: state.facts.run_id,
    step_id: open.step_id,
    capability: manifest.name,
    capability_hash: hash,
    effect: manifest.effect,
    args: call.argsText,
    digest: asked.digest,
    reason: REASONS[asked.why],
    ...(asked.why === 'authorizer' && { why: asked.why }),
  };
  return [enter(state, { ...at, phase: 'AWAITING_APPROVAL', about: 'call' }), [{ type: 'ask', question }]];
}

/**
 * Applies an answer. An answer to another question is ignored, and so is an authorizer's answer if the policy names no
 * authorizer or the question is not put to it. A yes is evaluated against the policy again.
 */
export function answer(state: RunState, event: Extract<RunEvent, { type: 'answered' }>): Transition {
  const { at } = state;
  if (at.phase !== 'AWAITING_APPROVAL') return stay(state);
  const isOfRules = event.answer.via === 'authorizer';
  if (isOfRules && (at.about === 'consent' || state.policy.authorizer === undefined)) return stay(state);
  if (at.about === 'consent')
    return event.digest === at.consent.digest ? answerConsent(state, at.consent, event) : stay(state);
  if (at.about === 'power') return answerPower(state, at.during, event);
  if (event.digest !== at.asked.digest) return stay(state);
  const { open, call, asked } = at;
  const { hash, manifest } = asked.validated.capability;
  const standing = standingGrant({ name: manifest.name, hash }, asked.digest, call.args, event.answer);
  const said = draft.answered(open, asked, event.answer, standing);
  const heard = { ...open, drafts: [...open.drafts, said.draft], payloads: [...open.payloads, ...said.payloads] };
  if (!event.answer.approved) {
    return refused(state, heard, asked.validated, call, noOf(event.answer, { step: 'approve' }));
  }
  const yes = yesOf(event.answer, asked.why);
  if (yes === undefined) return stay(state);
  const permitted = withGrant(state, standing, call.args);
  const authorization = judge(permitted, asked.validated, call, event.now, yes);
  const decided = withDecision(permitted, heard, asked.validated, call, authorization, event.now);
  if (authorization.decision === 'AUTHORIZED') return start(permitted, decided, authorization.value, call);
  if (authorization.decision === 'REQUIRES_APPROVAL') {
    // the authorizer has said yes, and the policy has come to need a person as well
    return 'authorizerApproved' in yes
      ? question(permitted, decided, asked.validated, call, authorization.why)
      : stay(state);
  }
  return refused(permitted, decided, asked.validated, call, authorization.refused.refusal);
}

/** Charges the grant, and starts the call; in a message it goes on to the next operation. */
function start(state: RunState, open: OpenStep, authorized: Authorized, call: OpenCall): Transition {
  const { charged, used } = charge(authorized, state.used);
  const paid = { ...state, used };
  return open.work === undefined
    ? launch(paid, open, charged, call)
    : permitted(paid, open, open.work, { charged, call });
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
