import { type Permitted, type PolicyInput, permittedBy, type Unauthorized } from '../../capability/authorize.ts';
import { joined } from '../../capability/guard.ts';
import { addGrant, type Grant } from '../../capability/policy.ts';
import { saltIn } from '../../ledger/payload-ref.ts';
import type { Refusal } from '../../outcome.ts';
import type { Payload } from '../effect.ts';
import type { RunEvent } from '../event.ts';
import type { AskedQuestion, OpenCall } from '../open-step.ts';
import { saltedPayload } from '../payload.ts';
import type { RunState } from '../state.ts';
import { stay, type Transition } from '../step.ts';
import {
  type Approvals,
  answerRecord,
  askedAbout,
  type DraftedRecords,
  noOf,
  type QuestionSubject,
  standingGrant,
  yesOf,
} from './question.ts';

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
  ask(state: RunState, decision: Unauthorized, asked: AskedQuestion): Transition;
  /** `decision` is absent for a no. */
  deny(state: RunState, refusal: Refusal, decision?: Denied): Transition;
  /** The subject with the record of an answer added to its step. */
  answered(said: DraftedRecords): DecisionSubject<P>;
}

export type Denied = Exclude<Unauthorized, { readonly decision: 'REQUIRES_APPROVAL' }>;

/** Evaluates the policy for a use. */
export function decideUse<P extends Permitted>(
  state: RunState,
  subject: DecisionSubject<P>,
  approvals: Approvals = { approved: false },
): Transition {
  return act(state, subject, evaluate(state, subject, approvals));
}

function evaluate<P extends Permitted>(
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
      return subject.ask(state, decision, askedAbout(state, subject, decision.why));
    default:
      return subject.deny(state, decision.refused.refusal, decision);
  }
}

/**
 * Applies the answer to a question about a use. A yes is evaluated first, against the policy that is left; only if it
 * permits the use is the grant of a standing answer made.
 */
export function answerUse<P extends Permitted>(
  state: RunState,
  subject: DecisionSubject<P>,
  asked: AskedQuestion,
  { answer }: Extract<RunEvent, { type: 'answered' }>,
): Transition {
  if (!answer.approved)
    return subject.answered(answerRecord(subject, asked, answer, undefined)).deny(state, noOf(subject, answer));
  const yes = yesOf(answer, asked.why);
  if (yes === undefined) return stay(state);
  const decision = evaluate(state, subject, yes);
  const parent = decision.decision === 'AUTHORIZED' ? askingGrant(state, decision.grant) : undefined;
  const { args, labels, places = [], released } = subject;
  // an answer that is told to no model serves no call that is
  const handled = places.length > 0 || released ? { handled: joined(...places.map((place) => place.labels)) } : {};
  const question = { run: state.facts.run_id, digest: asked.digest, args, labels, ...handled };
  const child = parent && standingGrant(parent, question, answer);
  const answered = subject.answered(answerRecord(subject, asked, answer, child));
  if (child === undefined || decision.decision !== 'AUTHORIZED') return act(state, answered, decision);
  return act(withGrant(state, child, subject.args), answered, permittedBy(decision, child));
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
