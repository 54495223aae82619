import { evaluatePolicy, type Permitted } from '../../capability/authorize.ts';
import type { Draft } from '../../ledger/record.ts';
import type { Refusal } from '../../outcome.ts';
import { answerUse, type DecisionSubject, type Denied, decideUse } from '../authorize/approval.ts';
import { questionOf, questionRecord, withRecords } from '../authorize/question.ts';
import { revokedOf } from '../authorize/revoked.ts';
import type { RunEffect } from '../effect.ts';
import type { RunEvent } from '../event.ts';
import type { OpenPower } from '../pending-power-calls.ts';
import type { Executing, RunState } from '../state.ts';
import { executing, stay, type Transition } from '../step.ts';
import { decided, durabilityOf, failed, issue, nextAsked, put, readBy, tell, write } from './power-calls.ts';
import { powerDecision } from './power-ledger.ts';
import { powerNonce } from './power-nonce.ts';
import * as draft from './power-records.ts';

/** Evaluates the policy for a power that the running call asks for. */
export function decidePower(state: RunState, at: Executing, open: OpenPower): Transition {
  return decideUse(state, subjectOf(state, at, open));
}

/** A use of a power, as the subject of a decision. The guard considers the data that the model and the call have read. */
function subjectOf(state: RunState, at: Executing, open: OpenPower): DecisionSubject<Permitted> {
  const { ticket, power } = open;
  const { name, effect } = power.manifest;
  const { nonce, work } = at.open;
  const subject: DecisionSubject<Permitted> = {
    name,
    hash: power.hash,
    effect,
    step: at.open,
    args: open.args,
    argsText: open.argsText,
    constraintResults: open.constraintResults,
    now: open.now,
    // a call may ask the same question twice, and so may two operations of a message
    nonce: powerNonce(nonce, work?.done.length, ticket),
    during: { ticket, capability: at.charged.capability.manifest.name },
    labels: readBy(state, at),
    evaluate: (input) => evaluatePolicy({ name, hash: power.hash, effect }, input),
    permit: (before, decision) => permit(before, at, open, decision),
    ask: (before, _, asked) => question(before, at, { ...open, asked }, questionRecord(subject, asked)),
    deny: (before, refusal, decision = deniedBy(refusal)) => deny(before, at, open, decision),
    answered: (said) => subjectOf(state, { ...at, open: withRecords(at.open, said) }, open),
  };
  return subject;
}

/** Counts the use, and issues the power: at once, or when its record is durable. */
function permit(before: RunState, asking: Executing, open: OpenPower, decision: Permitted): Transition {
  const { ticket, args, recorded } = open;
  const [state, at] = decided(before, asking, powerDecision(open, decision));
  if (!recorded) return issue(state, at, open);
  const record = draft.issued(at.open, state, open, decision.grant.id);
  return write(
    state,
    put(at, { ...open, stage: 'issuing' }),
    [record],
    [args],
    { then: 'issue', ticket },
    { durability: durabilityOf(open) },
  );
}

function question(state: RunState, at: Executing, open: OpenPower, record: Draft): Transition {
  const asking: OpenPower = { ...open, recorded: true, stage: 'asking' };
  return write(state, put(at, asking), [record], [open.args], { then: 'ask', ticket: open.ticket });
}

function deniedBy(refusal: Refusal): Denied {
  return { decision: 'DENIED_POLICY_VIOLATION', refused: { ok: false, refusal } };
}

/** Answers the guest with the refusal: at once, or when the record of a person's answer is durable. */
function deny(before: RunState, asking: Executing, open: OpenPower, decision: Denied): Transition {
  const { ticket, stage } = open;
  const [state, at] = decided(before, asking, powerDecision(open, decision));
  const answer = failed(decision.refused.refusal);
  if (stage !== 'answering') return tell(state, at, ticket, answer);
  return write(state, put(at, open), [], [], { then: 'answer', ticket, answer });
}

/** Puts the question to a person. The question is durable. */
export function askPerson(state: RunState, at: Executing, open: OpenPower): readonly RunEffect[] {
  if (open.asked === undefined) return [];
  return [{ type: 'ask', question: questionOf(state, subjectOf(state, at, open), open.asked) }];
}

/** Applies an answer to the question about a power. Then the next question is put: questions are put in sequence. */
export function answerPower(
  state: RunState,
  at: Executing,
  event: Extract<RunEvent, { type: 'answered' }>,
): Transition {
  const open = openAsked(at, event.digest);
  if (open?.asked === undefined || revokedOf(state, at) !== undefined) return stay(state);
  const answering: OpenPower = { ...open, now: event.now, stage: 'answering' };
  const subject = subjectOf(state, put(at, answering), answering);
  const [next, effects] = answerUse(state, subject, open.asked, event);
  const during = executing(next);
  const waiting = during && nextAsked(during.pendingCalls);
  if (during === undefined || waiting === undefined || effects.length === 0) return [next, effects];
  return [next, [...effects, ...askPerson(next, during, waiting)]];
}

function openAsked({ pendingCalls }: Executing, digest: string): OpenPower | undefined {
  return [...pendingCalls.open.values()].find(({ asked, stage }) => stage === 'asked' && asked?.digest === digest);
}
