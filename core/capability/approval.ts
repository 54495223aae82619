import { structureHash } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';

/** The call an approval is for. Another argument, step, run or definition is another call. */
export interface ApprovedCall {
  readonly capability_hash: string;
  readonly args_hash: string;
  readonly run_id: string;
  readonly step_id: string;
  /** Random and recorded: the same call asked twice is two questions. */
  readonly nonce: string;
}

/**
 * Digest of the call that a person approves. It is compared again before the call runs, and an approval is used once.
 */
export function approvalDigest(call: ApprovedCall): string {
  return structureHash('approval', canonicalText(call));
}
