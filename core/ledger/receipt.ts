import type { Expansion } from '../content/expand.ts';
import { refuse } from '../errors/ledger.ts';
import { isHash } from '../hash.ts';
import { isObject } from '../json/value.ts';
import { type Outcome, pass } from '../outcome.ts';
import {
  arrayOf,
  type Form,
  isSlice,
  isSymbol,
  isUuid4,
  isUuid8,
  isWholeRef,
  oneOf,
  shaped,
  type Test,
  violation,
} from './form.ts';
import type { PayloadRef } from './payload-ref.ts';

/** Catalytic Chat Contract, Receipt: an attempted action. `result` names a payload and does not hold it. */
export interface Action {
  readonly type: 'READ' | 'WRITE' | 'EXECUTE';
  /** A symbol; a capability is `@TOOLS/<name>`. */
  readonly target: string;
  readonly status: 'SUCCESS' | 'FAILURE';
  readonly result: PayloadRef | Readonly<Record<string, never>>;
}

/** Catalytic Chat Contract, Receipt: exactly its six fields. */
export interface Receipt {
  readonly run_id: string;
  readonly step_id: string;
  readonly expanded: readonly Expansion[];
  readonly actions: readonly Action[];
  readonly outputs: { readonly [output: string]: PayloadRef };
  readonly status: 'SUCCESS' | 'FAILURE' | 'PARTIAL';
}

/** Demands on a receipt: the run that it is appended to, and the outputs that its message requires. */
interface Demand {
  readonly run_id: string;
  readonly required_outputs?: readonly string[];
}

/**
 * Catalytic Chat Contract, Receipt, fail-closed rules: exactly six fields, both ids, every expansion with all five of
 * its fields, every action with its status, no required output missing, and a status that the actions bear out.
 * `receipt_incomplete` names the first missing part. A FAILURE may lack outputs.
 */
export function completeReceipt(receipt: unknown, demand: Demand): Outcome<Receipt> {
  const what = violation(receipt, RECEIPT) ?? contradiction(receipt as Receipt, demand);
  return what === undefined ? pass(receipt as Receipt) : refuse('receipt_incomplete', { what });
}

const EXPANSION: Form<Expansion> = {
  run_id: isUuid4,
  symbol_or_section_id: (value) => isSymbol(value) || isHash(value),
  slice: isSlice,
  content_hash: isHash,
  payload_ref: (value) => typeof value === 'string' && value.startsWith('sha256:') && isHash(value.slice(7)),
};

const ACTION: Form<Action> = {
  type: oneOf('READ', 'WRITE', 'EXECUTE'),
  target: isSymbol,
  status: oneOf('SUCCESS', 'FAILURE'),
  result: (value) => isWholeRef(value) || violation(value, {}) === undefined,
};

export const isExpansion: Test = shaped(EXPANSION);
export const isAction: Test = shaped(ACTION);

const RECEIPT: Form<Receipt> = {
  run_id: isUuid4,
  step_id: isUuid8,
  expanded: arrayOf(isExpansion),
  actions: arrayOf(isAction),
  outputs: (value) => isObject(value) && Object.values(value).every(isWholeRef),
  status: oneOf('SUCCESS', 'FAILURE', 'PARTIAL'),
};

function contradiction(receipt: Receipt, { run_id, required_outputs = [] }: Demand): string | undefined {
  if (receipt.run_id !== run_id) return 'run_id is of another run';
  for (const expansion of receipt.expanded) {
    if (expansion.run_id !== run_id) return 'an expansion is of another run';
    if (expansion.payload_ref !== `sha256:${expansion.content_hash}`) return 'an expansion names two contents';
  }
  if (receipt.status === 'FAILURE') return undefined;
  const failed = receipt.actions.some((action) => action.status === 'FAILURE');
  if (failed !== (receipt.status === 'PARTIAL')) return 'status and actions disagree';
  const missing = required_outputs.find((output) => !Object.hasOwn(receipt.outputs, output));
  return missing === undefined ? undefined : `output ${JSON.stringify(missing)} is missing`;
}
