import type { EndedBy } from '../../capability/call.ts';
import type { Label } from '../../capability/guard.ts';
import type { DeclaredTool } from '../../capability/registry.ts';
import type { Charges, ReleasedCall } from '../../capability/release.ts';
import type { RefusalClass, Step } from '../../errors/details.ts';
import type { Code } from '../../errors.ts';
import { isHash } from '../../hash.ts';
import { isCount, isObject } from '../../json/value.ts';
import {
  arrayOf,
  type Form,
  type Forms,
  isAnswerRef,
  isProposalRef,
  isText,
  isWholeRef,
  isWord,
  oneOf,
  optional,
  shaped,
  type Test,
} from '../form.ts';
import type { PayloadRef } from '../payload-ref.ts';
import type { Receipt } from '../receipt.ts';
import { completeReceipt } from '../receipt.ts';
import { isEffect, isHashOrRef, isLabels, isSaltedRef, RULES } from './parts.ts';
import { isDecided, type PowerDecision } from './power.ts';

/** Evidence beside the contract's six fields: enough to make the step again and compare. */
export interface Evidence {
  readonly step: number;
  readonly reason?: { readonly class: RefusalClass; readonly code: Code; readonly step?: Step };
  readonly proposal: PayloadRef;
  readonly args_hash?: string;
  readonly capability_hash?: string;
  /** Tools of this step whose effect a person has declared: the call's, its powers' and the operations', by name. */
  readonly declared_effects?: readonly DeclaredTool[];
  readonly image_hash?: string;
  /**
   * Hash of the whole heap at the end of a call that returned, if the run was asked for it. Of a secret step, whose
   * heap can be guessed, the hash is a payload.
   */
  readonly heap_hash?: string | PayloadRef;
  readonly registry_hash: string;
  readonly policy_hash: string;
  readonly fuel?: number;
  readonly ended_by?: EndedBy;
  readonly power_calls?: PayloadRef;
  /** Decisions about the calls of the page's powers. */
  readonly powers?: readonly PowerDecision[];
  readonly console?: PayloadRef;
  readonly result_hash?: string;
  /**
   * The whole answer of a tool that its value was taken from, as JSON: of an MCP server `content`, `structuredContent`,
   * annotations and `_meta`. An answer over 12 MiB is named, and not kept.
   */
  readonly answer?: PayloadRef;
  /** Code of the reason why the tool has sent its request again. */
  readonly repeated?: string;
  /** Labels that the tool says of this answer, sorted. Those of a held outcome stay with it. */
  readonly answer_labels?: readonly Label[];
  /** Labels of the context after this step, sorted. */
  readonly labels: readonly Label[];
  readonly behaviour: number;
  /** Content that a call was given, in the order of the receipt's expansions. */
  readonly expanded?: readonly PayloadRef[];
  /** Of a message: evidence for each action, in order. */
  readonly operations?: readonly OperationEvidence[];
  /** Bits that the call has asked of grants. */
  readonly charges?: Charges;
  /** Present where the model was told a handle in the place of the outcome, or a released value. */
  readonly held?: HeldEvidence;
  /** Spending of the message from its budgets. */
  readonly spent?: {
    readonly symbols: number;
    readonly sections: number;
    readonly bytes: number;
    readonly expands: number;
  };
}

/** A held outcome: what the handle of this step stands for, and what took part in it. */
export interface HeldEvidence {
  /** `handles`: the arguments had handles, or the call was a release, so that the decision is held, too. */
  readonly by: 'handles' | 'outcome';
  readonly capability_hash: string;
  readonly labels: readonly Label[];
  /** Further labels, which the answers said of themselves: held as the value is, so that no model hears of them. */
  readonly raised?: readonly Label[];
  readonly sources: readonly string[];
  readonly steps: readonly number[];
  /** The value; of a call without one its refusal, without the sentence. */
  readonly outcome: PayloadRef;
  /** Clock by which the uses of the grants are charged: integer ms. */
  readonly now: number;
  /**
   * The model was told the value, or `no_release`. Where labels were dropped, a person has said that whoever wrote the value
   * may choose among these answers.
   */
  readonly release?: ReleasedCall;
  /** Of a message: the first operation that is held. The later ones, the status and the outputs are held with it. */
  readonly operation?: number;
  /** Of a message: bytes that its operations before that one have expanded. */
  readonly open_bytes?: number;
}

/** Evidence beside an action of a message. */
export type OperationEvidence = Pick<
  Evidence,
  | 'reason'
  | 'image_hash'
  | 'heap_hash'
  | 'fuel'
  | 'ended_by'
  | 'result_hash'
  | 'answer'
  | 'repeated'
  | 'answer_labels'
  | 'console'
  | 'power_calls'
  | 'powers'
  | 'expanded'
> & {
  readonly capability_hash: string;
  readonly args_hash: string;
  /**
   * The content that a READ or WRITE found, from this line of its file on: the input for making the operation again.
   * Absent where the file did not exist or the message itself had written it; without `text` where the content is too
   * large to be kept.
   */
  readonly source?: { readonly line: number; readonly text?: PayloadRef };
  /** Ids of the sections that a capability's expansions touched; of a secret step the list is a payload. */
  readonly touched?: readonly string[] | PayloadRef;
};

/** Kind that ends a step. */
export interface ReceiptBodies {
  receipt: { readonly receipt: Receipt; readonly evidence: Evidence };
}

const REASON: Form<NonNullable<Evidence['reason']>> = { class: isWord, code: isWord, step: optional(isWord) };

const isTexts: Test = arrayOf(isText);
const SOURCE: Form<NonNullable<OperationEvidence['source']>> = { line: isCount, text: optional(isWholeRef) };
const OPERATION: Form<OperationEvidence> = {
  capability_hash: isHash,
  args_hash: isHash,
  reason: optional(shaped(REASON)),
  image_hash: optional(isHash),
  heap_hash: optional(isHashOrRef),
  fuel: optional(isCount),
  ended_by: optional(isWord),
  result_hash: optional(isHash),
  answer: optional(isAnswerRef),
  repeated: optional(isWord),
  answer_labels: optional(isLabels),
  console: optional(isWholeRef),
  power_calls: optional(isWholeRef),
  powers: optional(isDecided),
  expanded: optional(arrayOf(isWholeRef)),
  source: optional(shaped(SOURCE)),
  touched: optional((value) => isTexts(value) || isSaltedRef(value)),
};
const SPENT: Form<NonNullable<Evidence['spent']>> = {
  symbols: isCount,
  sections: isCount,
  bytes: isCount,
  expands: isCount,
};
const DECLARED: Form<DeclaredTool> = {
  capability: isText,
  capability_hash: isHash,
  definition: isHash,
  effect: isEffect,
};
export const isOperationEvidence: Test = shaped(OPERATION);
export const isSpent: Test = shaped(SPENT);

const BITS: Form<Charges['grants'][number]> = { grant: isHash, before: isCount };
export const isCharges: Test = shaped({ bits: isCount, grants: arrayOf(shaped(BITS)) });
const RELEASE: Form<ReleasedCall> = {
  bits: isCount,
  grants: arrayOf(isHash),
  drops: optional(arrayOf(oneOf('untrusted'))),
};

const HELD: Form<HeldEvidence> = {
  by: oneOf('handles', 'outcome'),
  capability_hash: isHash,
  labels: isLabels,
  raised: optional(isLabels),
  sources: isTexts,
  steps: arrayOf(isCount),
  outcome: isWholeRef,
  now: isCount,
  release: optional(shaped(RELEASE)),
  operation: optional(isCount),
  open_bytes: optional(isCount),
};

const EVIDENCE: Form<Evidence> = {
  ...RULES,
  step: isCount,
  reason: optional(shaped(REASON)),
  proposal: isProposalRef,
  args_hash: optional(isHash),
  capability_hash: optional(isHash),
  declared_effects: optional(arrayOf(shaped(DECLARED))),
  image_hash: optional(isHash),
  heap_hash: optional(isHashOrRef),
  policy_hash: isHash,
  fuel: optional(isCount),
  ended_by: optional(isWord),
  power_calls: optional(isWholeRef),
  powers: optional(isDecided),
  console: optional(isWholeRef),
  result_hash: optional(isHash),
  answer: optional(isAnswerRef),
  repeated: optional(isWord),
  answer_labels: optional(isLabels),
  labels: isLabels,
  expanded: optional(arrayOf(isWholeRef)),
  operations: optional(arrayOf(isOperationEvidence)),
  charges: optional(isCharges),
  held: optional(shaped(HELD)),
  spent: optional(isSpent),
};

export const RECEIPT_FORMS: Forms<ReceiptBodies> = { receipt: { receipt: isObject, evidence: shaped(EVIDENCE) } };

/** The first fault of a receipt's body that has its form. */
export function receiptFault(body: ReceiptBodies['receipt'], run_id: string): string | undefined {
  const receipt = completeReceipt(body.receipt, { run_id });
  if (!receipt.ok) return receipt.refusal.message;
  const isGood = body.receipt.status === 'SUCCESS';
  return isGood === (body.evidence.reason === undefined) ? undefined : 'a success with a reason, or neither';
}
