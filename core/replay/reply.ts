import { canonicalText } from '../json/canonical.ts';
import type { ApprovalBody } from '../ledger/kinds/authority.ts';
import type { Draft } from '../ledger/record.ts';
import { standingGrant } from '../run/authorize/question.ts';
import type { RunState } from '../run/state.ts';
import { standingOf } from './inputs.ts';

/**
 * Reason why a person's answer is invalid. A no needs a reason. The grant of a standing yes is derived again from its
 * question, which is among the earlier records, and from its parent, which the policy must still have.
 */
export function replyFault(
  { policy, facts, labels }: Pick<RunState, 'policy' | 'facts' | 'labels'>,
  { capability_hash: hash, digest, ...said }: Extract<ApprovalBody, { event: 'answered' }>,
  before: readonly Draft[],
): string | undefined {
  const { approved, grant, reason, via } = said;
  if (approved === (reason !== undefined)) return 'it is neither a yes nor a no';
  if (grant === undefined) return undefined;
  const [ref] = before.flatMap(({ kind, body }) =>
    kind === 'approval' && body.event === 'asked' && body.digest === digest ? [body.args] : [],
  );
  const answer = { approved, reason: '', standing: standingOf(grant), ...(via && { via }) };
  const parent = policy.grants.find(({ id, capability_hash }) => id === grant.parent && capability_hash === hash);
  if (parent === undefined || parent.parent !== undefined) return 'the grant has no parent in the policy';
  // the call's powers may have shown it more
  const read = grant.labels ?? [];
  if ([...labels].some((label) => !read.includes(label))) return 'the grant knows nothing of a label';
  const again = ref && standingGrant(parent, { run: facts.run_id, digest, args: { ref }, labels: read }, answer);
  return canonicalText(again ?? null) === canonicalText(grant) ? undefined : 'the grant is not one for what was asked';
}
