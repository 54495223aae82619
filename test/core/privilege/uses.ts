import type { Label } from '../../../core/capability/guard.ts';
import type { JsonObject, JsonValue } from '../../../core/json/value.ts';
import type { KnownDefinition, PastUse } from '../../../core/privilege/history.ts';
import type { GrantProposal } from '../../../core/privilege/propose.ts';
import { policyOf, type TriedPolicy, tryPolicy } from '../../../core/privilege/try.ts';
import { ownRuleOf } from '../../../core/schema/predicate.ts';

const READ: KnownDefinition = { name: 'files.read', hash: 'a'.repeat(64), effect: 'read' };
export const WRITE: KnownDefinition = { name: 'files.write', hash: 'b'.repeat(64), effect: 'write' };
export const SEND: KnownDefinition = { name: 'mail.send', hash: 'c'.repeat(64), effect: 'egress' };
export const DEFINITIONS = [READ, WRITE, SEND];

let step = 0;

/** A use that ran unasked, before anything of a stranger was read. */
export function use(args: JsonValue, more: Partial<PastUse> & { readonly of?: KnownDefinition } = {}): PastUse {
  const { of = READ, ...others } = more;
  step += 1;
  return {
    run_id: 'run',
    step,
    step_id: 'step',
    name: of.name,
    hash: of.hash,
    args,
    isSecret: false,
    handles: [],
    labels: [],
    now: 1000 * step,
    end: 'ran',
    ...others,
  };
}

export const TAINTED: { readonly labels: readonly Label[] } = { labels: ['untrusted'] };

/** As a rule's own predicate decides. That a run's validator decides alike is a test of its own. */
export function accepts(where: JsonObject, args: JsonValue): boolean {
  const meets = ownRuleOf(where);
  if (meets === undefined) throw new Error('a rule without a predicate');
  return meets(args);
}

export function tried(uses: readonly PastUse[], proposal: Pick<GrantProposal, 'rules'>): TriedPolicy {
  const grants = proposal.rules.map(({ capability, terms }) => ({ capability, ...terms }));
  return tryPolicy(uses, { policy: policyOf(DEFINITIONS, grants), definitions: DEFINITIONS, check: accepts });
}
