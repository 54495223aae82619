import { evaluatePolicy, type PolicyDecision } from '../../capability/authorize.ts';
import { EXPAND } from '../../capability/built-in-power.ts';
import { holding } from '../../capability/check.ts';
import { CONTENT_READ } from '../../content/built-in.ts';
import { refuse } from '../../errors.ts';
import { canonicalText } from '../../json/canonical.ts';
import type { ReadArguments, RunEvent } from '../event.ts';
import { textPayload } from '../payload.ts';
import type { Executing, RunState } from '../state.ts';
import type { Transition } from '../step.ts';
import { decided, place, shown } from './power-calls.ts';
import { powerDecision } from './power-ledger.ts';
import { checks, type PowerChecks } from './power-text.ts';

const { manifest: READ, hash: READ_HASH } = CONTENT_READ;

/** Validators to run outside before an expansion is decided: the constraints of the grants for a READ. */
export function readChecks(state: RunState, args: ReadArguments): PowerChecks {
  return checks(state, { subject: READ_HASH }, { ...args });
}

/**
 * Decides a guest's read of content by a power of the runtime. The read needs a grant for `content.read`, as a READ
 * does, and counts as a use of it. A search has no target: only a grant without a constraint permits it, and every
 * denial forbids it. A grant that asks permits neither (`read_unasked`), because a running call puts no question about
 * content.
 */
export function askRead(
  state: RunState,
  before: Executing,
  event: Extract<RunEvent, { type: 'read_asked' }>,
): Transition {
  const { step, ticket, name } = event;
  const asking = shown(before, event.labels);
  const decision = judge(state, event);
  const [next, at] = decided(
    state,
    asking,
    powerDecision({ ticket, now: event.now, power: { hash: READ_HASH, manifest: { name } } }, decision),
  );
  const refusal = decision.decision === 'AUTHORIZED' ? {} : { refusal: decision.refused.refusal };
  return [place(next, at), [{ type: 'answer_read', step, ticket, ...refusal }]];
}

function judge(
  { policy, used, labels }: RunState,
  { name, args, checked, now }: Extract<RunEvent, { type: 'read_asked' }>,
): Exclude<PolicyDecision, { decision: 'REQUIRES_APPROVAL' }> {
  if (!policy.enabled.has(READ_HASH)) {
    const refused = refuse('capability_disabled', { name: READ.name }, { step: 'authorize' });
    return { decision: 'DENIED_CAPABILITY_DISABLED', refused };
  }
  const isSearch = name !== EXPAND || args === undefined;
  const args_hash = isSearch ? '' : textPayload(canonicalText({ ...args })).ref.sha256;
  const holds = isSearch ? new Map<string, boolean>() : holding(checked);
  const weighed = evaluatePolicy(
    { name: READ.name, hash: READ_HASH, effect: READ.effect },
    { policy, used, labels, now, holds, args_hash, approved: false },
  );
  if (weighed.decision !== 'REQUIRES_APPROVAL') return weighed;
  return { decision: 'DENIED_POLICY_VIOLATION', refused: refuse('read_unasked', { name }, { step: 'authorize' }) };
}
