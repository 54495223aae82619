import { refuse } from '../errors/ledger.ts';
import type { Refused } from '../outcome.ts';
import type { LedgerRecord } from './record.ts';

/**
 * Number of the rules by which runs decide and record. A configuration names the number of the build that wrote it. It is
 * 1 until the first release, and grows with every later change after which the records of a run would not come out again.
 */
export const BEHAVIOUR = 1;

/**
 * Refusal of a run whose configuration names other rules: this build can neither decide it again nor continue it.
 * Undefined where it names our rules, and where there is no configuration. Checks by hashes alone hold under any
 * number.
 */
export function otherBehaviour(first: LedgerRecord | undefined): Refused | undefined {
  if (first?.kind !== 'configuration' || first.body.behaviour === BEHAVIOUR) return undefined;
  return refuse('behaviour_other', { recorded: first.body.behaviour, current: BEHAVIOUR });
}
