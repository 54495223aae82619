import type { ApprovalReason, PolicyInput, Subject } from '../../capability/authorize.ts';
import type { Grant } from '../../capability/grant.ts';
import { makeGrant } from '../../capability/policy.ts';
import type { Step } from '../../errors/details.ts';
import { refuse } from '../../errors.ts';
import type { Refusal } from '../../outcome.ts';
import type { QuestionAnswer } from '../event.ts';
import type { OpenCall } from '../open-step.ts';

export const REASONS: { readonly [W in ApprovalReason]: string } = {
  grant: 'The grant says to ask.',
  untrusted: 'The model has read content from outside, which may have told it to do this.',
  private_and_untrusted:
    'The model has read private content and content from outside, and this call sends something out.',
  authorizer: 'A grant permits it, and the rules of this program’s authorizer have to as well.',
};

/**
 * The kind of a yes. An authorizer's yes counts for its own question and for this call only, never for a question to a
 * person.
 */
export function yesOf(
  { via }: QuestionAnswer,
  why: ApprovalReason,
): Pick<PolicyInput, 'approved' | 'authorizerApproved'> | undefined {
  if (via !== 'authorizer') return { approved: true };
  return why === 'authorizer' ? { approved: false, authorizerApproved: true } : undefined;
}

/** The refusal for a no, by a person or by the authorizer. */
export function noOf(
  { reason, via }: Extract<QuestionAnswer, { approved: false }>,
  at: { readonly step?: Step },
): Refusal {
  const code = via === 'authorizer' ? 'authorizer_denied' : 'approval_denied';
  return refuse(code, { reason: reason.toWellFormed() }, at).refusal;
}

/**
 * "N times" and "until the run ends" are not approvals: they become a grant of this run, and are recorded as a grant.
 */
export function standingGrant(
  subject: Pick<Subject, 'name' | 'hash'>,
  digest: string,
  { ref }: Pick<OpenCall['args'], 'ref'>,
  answer: QuestionAnswer,
): Grant | undefined {
  if (!answer.approved || answer.standing === undefined || answer.via === 'authorizer') return undefined;
  const { args, uses } = answer.standing;
  const exact = args === 'exact' ? { args_hash: ref.sha256 } : {};
  return makeGrant(subject, { mode: 'allow', answer: digest, ...exact, ...(uses === undefined ? {} : { uses }) });
}
