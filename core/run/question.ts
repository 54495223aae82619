import type { Subject, Why } from '../capability/authorize.ts';
import type { Grant } from '../capability/grant.ts';
import { makeGrant } from '../capability/policy.ts';
import type { Answer } from './event.ts';
import type { OpenCall } from './state.ts';

export const REASONS: { readonly [W in Why]: string } = {
  grant: 'The grant says to ask.',
  untrusted: 'The model has read content from outside, which may have told it to do this.',
  private_and_untrusted:
    'The model has read private content and content from outside, and this call sends something out.',
};

/** "N times" and "until the run ends" are not approvals: they are a grant of this run, and recorded as one. */
export function standingGrant(
  subject: Pick<Subject, 'name' | 'hash'>,
  digest: string,
  { ref }: OpenCall['args'],
  answer: Answer,
): Grant | undefined {
  if (!answer.approved || answer.standing === undefined) return undefined;
  const { args, uses } = answer.standing;
  const exact = args === 'exact' ? { args_hash: ref.sha256 } : {};
  return makeGrant(subject, { mode: 'allow', answer: digest, ...exact, ...(uses === undefined ? {} : { uses }) });
}
