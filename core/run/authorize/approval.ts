import { type Permitted, type PolicyInput, permittedBy, type Unauthorized } from '../../capability/authorize.ts';
import { joined } from '../../capability/guard.ts';
import { addGrant, type Grant } from '../../capability/policy.ts';
import { refuse } from '../../errors.ts';
import type { SignedYes } from '../../ledger/kinds/authority.ts';
import { saltIn } from '../../ledger/payload-ref.ts';
import type { Refusal } from '../../outcome.ts';
import type { Payload } from '../effect.ts';
import type { QuestionAnswer, RunEvent } from '../event.ts';
import type { AskedQuestion, OpenCall } from '../open-step.ts';
import { saltedPayload } from '../payload.ts';
import type { RunState } from '../state.ts';
import { stay, type Transition } from '../step.ts';
import { refuseAnswer } from './instead.ts';
import {
  type Approvals,
  answerRecord,
  askedAbout,
  type DraftedRecords,
  noOf,
  partRecord,
  type QuestionSubject,
  questionOf,
  standingGrant,
  yesOf,
} from './question.ts';
import { takesNotes } from './revoke.ts';
import { partsOf, signedYes, signersOf, withAnswer, withQuestion } from './signature.ts';

/**
 * A use that the policy decides: a call of a capability, or a running call's use of a power. The decision, its question
 * and the answer are the same for both. The methods are the part that differs.
 */
export interface DecisionSubject<P extends Permitted> extends QuestionSubject, Pick<OpenCall, 'constraintResults'> {
  /** Integer ms of the decision. */
  readonly now: number;
  /** Labels of the data that the use may carry on. */
  readonly labels: RunState['labels'];
  readonly isInside?: true;
  readonly isMixed?: true;
  /** The decision is told, also where the use carries held values. */
  readonly isTold?: true;
  /** Of a release: the grants that may permit it. */
  readonly released?: readonly string[];
  evaluate(input: PolicyInput): P | Unauthorized;
  permit(state: RunState, decision: P): Transition;
  /** Writes the question before it is put, so that it survives a crash. */
  ask(state: RunState, decision: Asking, asked: AskedQuestion): Transition;
  /** `decision` is absent for a no. */
  deny(state: RunState, refusal: Refusal, decision?: Denied): Transition;
  /** The subject with the record of an answer added to its step. */
  answered(said: DraftedRecords): DecisionSubject<P>;
}

type Asking = Extract<Unauthorized, { readonly decision: 'REQUIRES_APPROVAL' }>;
export type Denied = Exclude<Unauthorized, { readonly decision: 'REQUIRES_APPROVAL' }>;

/** Evaluates the policy for a use. */
export function decideUse<P extends Permitted>(
  state: RunState,
  subject: DecisionSubject<P>,
  approvals: Approvals = { approved: false },
): Transition {
  return act(state, subject, evaluate(state, subject, approvals));
}

export function evaluate<P extends Permitted>(
  state: RunState,
  subject: DecisionSubject<P>,
  approvals: Approvals,
): P | Unauthorized {
  const { policy, used } = state;
  const { hash, args, constraintResults: holds, now, labels, places, isInside, isMixed, isTold, released } = subject;
  const exact = exactHashes(state, hash, subject);
  const carried = {
    ...(places?.length && { places }),
    ...(isInside && { isInside }),
    ...(isMixed && { isMixed }),
    ...(isTold && { isTold }),
    ...(released && { released }),
  };
  const given = { policy, used, labels, now, holds, args_hash: args.ref.sha256, exact, ...carried, ...approvals };
  return subject.evaluate(given);
}

function act<P extends Permitted>(
  state: RunState,
  subject: DecisionSubject<P>,
  decision: P | Unauthorized,
): Transition {
  switch (decision.decision) {
    case 'AUTHORIZED':
      return subject.permit(state, decision);
    case 'REQUIRES_APPROVAL':
      return ask(state, subject, decision);
    default:
      return subject.deny(state, decision.refused.refusal, decision);
  }
}

function ask<P extends Permitted>(state: RunState, subject: DecisionSubject<P>, decision: Asking): Transition {
  const asked = askedAbout(state, subject, decision);
  return subject.ask(withQuestion(state, asked.digest), decision, asked);
}

/**
 * Applies the answer to a question about a use. A yes is evaluated first, against the policy that is left; only if it
 * permits the use is the grant of a standing answer made. A yes that the grant which asks does not take leaves the question
 * open: it is one part of a signed yes, or its answerer is told why it does not count.
 */
export function answerUse<P extends Permitted>(
  state: RunState,
  subject: DecisionSubject<P>,
  asked: AskedQuestion,
  event: Extract<RunEvent, { type: 'answered' }>,
): Transition {
  const { answer } = event;
  const { digest } = asked;
  if (!answer.approved)
    return subject
      .answered(answerRecord(subject, asked, answer))
      .deny(withAnswer(state, digest), noOf(subject, answer));
  const yes = yesOf(answer, asked.why);
  if (yes === undefined) return stay(state);
  const use = { capability_hash: subject.hash, digest };
  const heard = signedYes(state, use, event);
  if (!heard.ok) return refuseAnswer(state, heard.refusal);
  const signed = heard.value;
  const parts = signed === undefined ? [] : [...partsOf(state, digest, signed.answer), signed];
  const decision = evaluate(state, subject, { ...yes, signers: signersOf(state, use, parts) });
  if (decision.decision === 'REQUIRES_APPROVAL' && yes.approved)
    return signed === undefined
      ? refuseAnswer(state, refuse('assertion_missing', {}, { step: 'approve' }).refusal)
      : notePart(state, subject, asked, answer, signed);
  const after = decision.decision === 'REQUIRES_APPROVAL' ? state : withAnswer(state, digest);
  const parent = decision.decision === 'AUTHORIZED' ? askingGrant(state, decision.grant) : undefined;
  const { args, labels, places = [], released } = subject;
  // an answer that is told to no model serves no call that is
  const handled = places.length > 0 || released ? { handled: joined(...places.map((place) => place.labels)) } : {};
  const question = { run: state.facts.run_id, digest, args, labels, ...handled };
  const child = parent && standingGrant(parent, question, answer);
  const answered = subject.answered(answerRecord(subject, asked, answer, { grant: child, signed }));
  if (child === undefined || decision.decision !== 'AUTHORIZED') return act(after, answered, decision);
  return act(withGrant(after, child, subject.args), answered, permittedBy(decision, child));
}

/** Records a part of a signed yes, and shows the question with those who have signed. */
function notePart<P extends Permitted>(
  before: RunState,
  subject: DecisionSubject<P>,
  asked: AskedQuestion,
  answer: QuestionAnswer,
  signed: SignedYes,
): Transition {
  const state = withAnswer(before, asked.digest, signed);
  const drafts = [partRecord(subject, asked, answer, signed)];
  return [
    { ...state, pendingNotes: state.pendingNotes + 1 },
    [
      { type: 'note', drafts, payloads: [] },
      { type: 'ask', question: questionOf(state, subject, asked) },
    ],
  ];
}

/** Later answers to a question that are recorded. */
const LATE_MAX = 16;

/** Turns an answer away that came after the first that counted, and records it. */
export function refuseLate(
  state: RunState,
  { digest, answer: { approved, via } }: Extract<RunEvent, { type: 'answered' }>,
): Transition {
  const before = state.answered.get(digest);
  if (before === undefined) return stay(state);
  const { refusal } = refuse('question_answered', {}, { step: 'approve' });
  if (!takesNotes(state) || before >= LATE_MAX) return refuseAnswer(state, refusal);
  const { class: kind, code } = refusal;
  const body = { event: 'answer', class: kind, code, digest, approved, ...(via && { via }) } as const;
  const answered = new Map(state.answered).set(digest, before + 1);
  return [
    { ...state, answered, pendingNotes: state.pendingNotes + 1 },
    [
      { type: 'note', drafts: [{ kind: 'rejection', body }], payloads: [] },
      { type: 'refuse_answer', refusal },
    ],
  ];
}

/** The grant that asked. Behind a standing answer it is the parent: all standing answers to a grant are its children. */
function askingGrant({ policy }: RunState, grant: Grant): Grant | undefined {
  return grant.parent === undefined ? grant : policy.grants.find(({ id }) => id === grant.parent);
}

/**
 * Hashes of secret arguments in the grants for exactly these arguments. A grant's hash of secret arguments has the salt
 * of the step in which a person gave the grant. A grant whose salt is missing permits no call.
 */
function exactHashes(
  { policy, salts }: RunState,
  subject: string,
  { argsText }: Pick<OpenCall, 'argsText'>,
): ReadonlySet<string> {
  if (salts.size === 0) return NONE;
  const hashes = policy.grants.flatMap(({ capability_hash, args_hash }) =>
    capability_hash === subject && args_hash !== undefined ? [args_hash] : [],
  );
  return new Set(hashes.filter((hash) => isOf(salts.get(hash), argsText, hash)));
}

const NONE: ReadonlySet<string> = new Set();

function isOf(salt: string | undefined, argsText: string, hash: string): boolean {
  return salt !== undefined && saltedPayload(salt, argsText).ref.sha256 === hash;
}

/** The arguments of a question; their bytes may be missing. */
type QuestionArguments = Pick<Payload, 'ref'> & { readonly bytes: Uint8Array | undefined };

/** The run with a standing answer that a person has given; for secret arguments, with their salt. */
export function withGrant(state: RunState, grant: Grant | undefined, args: QuestionArguments | undefined): RunState {
  if (grant === undefined) return state;
  const parents = grant.parent === undefined ? state.parents : new Map(state.parents).set(grant.id, grant.parent);
  const permitted = { ...state, parents, policy: addGrant(state.policy, grant) };
  const salt = args && saltIn(args.ref, args.bytes);
  if (grant.args_hash === undefined || salt === undefined || grant.args_hash !== args?.ref.sha256) return permitted;
  return { ...permitted, salts: new Map(state.salts).set(grant.args_hash, salt) };
}
