import { bodyViolation, type Forms } from './form.ts';
import { AUTHORITY_FORMS, type AuthorityBodies } from './kinds/authority.ts';
import { CONTENT_FORMS, type ContentBodies } from './kinds/content.ts';
import { RECEIPT_FORMS, type ReceiptBodies, receiptFault } from './kinds/evidence.ts';
import { LOG_FORMS, type LogBodies } from './kinds/log.ts';
import { POWER_FORMS, type PowerBodies } from './kinds/power.ts';
import { PROGRESS_FORMS, type ProgressBodies } from './kinds/progress.ts';
import { RUN_FORMS, type RunBodies } from './kinds/run.ts';
import { STEP_FORMS, type StepBodies } from './kinds/step.ts';

interface AllBodies
  extends RunBodies,
    StepBodies,
    AuthorityBodies,
    PowerBodies,
    ProgressBodies,
    ContentBodies,
    ReceiptBodies,
    LogBodies {}

/** The deterministic part of a record, by kind. A kind stands beside its form: without a form it does not compile. */
export interface Bodies extends AllBodies {}

export type RecordKind = keyof Bodies;

/** A record before it has a place: made by core, put into the chain by `extend`. */
export type Draft = { [K in RecordKind]: { readonly kind: K; readonly body: Bodies[K] } }[RecordKind];

/**
 * A link of a run's chain. `hash` is over all further members except `body`, which it covers by `body_hash`; `at` is
 * the wall clock and is never read by core; the record's place in the log is not in its hash, the Merkle tree commits
 * to it.
 */
export type LedgerRecord = Draft & {
  readonly run_id: string;
  readonly run_seq: number;
  readonly epoch: number;
  readonly body_hash: string;
  readonly at: number;
  readonly prev: string;
  readonly hash: string;
};

/** `prev` of a run's first record. */
export const NO_PREV: string = '0'.repeat(64);

const FORMS: Forms<Bodies> = {
  ...RUN_FORMS,
  ...STEP_FORMS,
  ...AUTHORITY_FORMS,
  ...POWER_FORMS,
  ...PROGRESS_FORMS,
  ...CONTENT_FORMS,
  ...RECEIPT_FORMS,
  ...LOG_FORMS,
};

/** True for a kind of record that this version knows. */
export function isKind(value: unknown): value is RecordKind {
  return typeof value === 'string' && Object.hasOwn(FORMS, value);
}

/** First violation of its kind by a record's body; undefined for a valid body. */
export function recordViolation({ kind, body, run_id }: LedgerRecord): string | undefined {
  const what = bodyViolation(body, FORMS[kind]);
  return what === undefined && kind === 'receipt' ? receiptFault(body, run_id) : what;
}
