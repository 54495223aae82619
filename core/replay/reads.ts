import { isContentPower, SEARCH } from '../capability/built-in-power.ts';
import type { PowerCall } from '../capability/call.ts';
import type { Grant } from '../capability/policy.ts';
import { CONTENT_READ } from '../content/built-in.ts';
import type { PowerDecision } from '../ledger/kinds/power.ts';
import { isReadDenial } from '../run/powers/read-denial.ts';
import type { RunState } from '../run/state.ts';
import { deniesAll, isDeniable } from './host/denied.ts';

/** The current run, and all grants that it has had since the step began. */
type PermissionState = RunState & { readonly grants: readonly Grant[] };

/** True for a decision about content, false for a decision about a page power. */
export function isOfContent({ power }: PowerDecision): boolean {
  return isContentPower(power);
}

/**
 * Reason why the recorded decisions about a call's reads are impossible. A permitted read needs a grant for READ that
 * asks no person; a search needs such a grant without a constraint. A denial needs a reason in the policy, and the
 * guest must have received it.
 */
export function readFault(
  state: PermissionState,
  decisions: readonly PowerDecision[],
  calls: readonly PowerCall[] | undefined,
): string | undefined {
  const reads = decisions.filter(isOfContent);
  const wrong = reads.find((decided) => !isPermitted(state, decided));
  if (wrong !== undefined) return `what was decided about the power ${wrong.power}`;
  const unfounded = calls?.findIndex((call, index) => !isFounded(call, index + 1, reads)) ?? -1;
  return unfounded < 0 ? undefined : `what the guest heard from its power call ${unfounded + 1}`;
}

function isPermitted(
  { grants, policy }: PermissionState,
  { power, power_hash, decision, code, grant }: PowerDecision,
): boolean {
  const { hash } = CONTENT_READ;
  if (power_hash !== hash) return false;
  const given = grants.filter((each) => each.capability_hash === hash);
  if (decision !== 'AUTHORIZED') {
    if (grant !== undefined || !isReadDenial(code)) return false;
    if (code === 'capability_disabled') return decision === 'DENIED_CAPABILITY_DISABLED' && !policy.enabled.has(hash);
    if (decision !== (code === 'grant_constraint' ? 'DENIED_ARGUMENT_INVALID' : 'DENIED_POLICY_VIOLATION'))
      return false;
    if (code === 'read_unasked') return policy.authorizer !== undefined || given.some(({ mode }) => mode === 'ask');
    return isDeniable(code, given, { policy, own: [] });
  }
  const own = given.find(({ id }) => id === grant);
  if (code !== undefined || own?.mode !== 'allow' || policy.authorizer !== undefined) return false;
  if (power === SEARCH)
    return (
      !own.where_hash && !own.args_hash && !given.some(({ mode, expires }) => mode === 'deny' && expires === undefined)
    );
  return !given.some(deniesAll);
}

/** True if content that the guest received was permitted, and a denial that it received is the recorded decision. */
function isFounded({ name, error }: PowerCall, ticket: number, reads: readonly PowerDecision[]): boolean {
  if (!isContentPower(name)) return true;
  const decided = reads.findLast((each) => each.ticket === ticket);
  if (decided === undefined) return error !== undefined && !isReadDenial(error.name);
  if (decided.power !== name) return false;
  return decided.decision === 'AUTHORIZED' ? !isReadDenial(error?.name) : error?.name === decided.code;
}
