import { canonicalText } from '../json/canonical.ts';
import type { ApprovalBody } from '../ledger/kinds/authority.ts';
import type { Draft } from '../ledger/record.ts';
import { standingGrant } from '../run/authorize/question.ts';
import { standingOf } from './inputs.ts';

/**
 * Reason why a person's answer is invalid. A no needs a reason. A grant of a yes is derived again from its question,
 * which is among the earlier records.
 */
export function replyFault(
  { capability: name, capability_hash: hash, digest, ...said }: Extract<ApprovalBody, { event: 'answered' }>,
  before: readonly Draft[],
): string | undefined {
  const { approved, grant, reason, via } = said;
  if (approved === (reason !== undefined)) return 'it is neither a yes nor a no';
  if (grant === undefined) return undefined;
  const [ref] = before.flatMap(({ kind, body }) =>
    kind === 'approval' && body.event === 'asked' && body.digest === digest ? [body.args] : [],
  );
  const answer = { approved, reason: '', standing: standingOf(grant), ...(via && { via }) };
  const again = ref && standingGrant({ name, hash }, digest, { ref }, answer);
  return canonicalText(again ?? null) === canonicalText(grant) ? undefined : 'the grant is not one for what was asked';
}
