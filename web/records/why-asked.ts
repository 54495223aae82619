import type { Bodies, LedgerRecord } from '../../core/index.ts';
import type { ApprovalRequest } from '../../workers/api.ts';

export type WhyAsked = NonNullable<Bodies['decision']['why']>;

/**
 * Why a person is asked about a call, from the decision that asked: the request has it as an English sentence alone.
 * Undefined for a power that a running call asks for, whose decision is not recorded, and while the records are behind.
 */
export function whyAsked(
  records: readonly LedgerRecord[],
  { step_id, capability, digest }: ApprovalRequest,
): WhyAsked | undefined {
  const isOfCall = records.some(
    ({ kind, body }) =>
      kind === 'approval' && body.event === 'asked' && body.digest === digest && body.ticket === undefined,
  );
  if (!isOfCall) return undefined;
  const decision = records.findLast(
    (record): record is LedgerRecord & { kind: 'decision' } =>
      record.kind === 'decision' && record.body.step_id === step_id && record.body.capability === capability,
  )?.body;
  return decision?.decision === 'REQUIRES_APPROVAL' ? decision.why : undefined;
}
