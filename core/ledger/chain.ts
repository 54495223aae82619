import { assert } from '../assert.ts';
import { structureHash } from '../hash.ts';
import { sortedText } from '../json/canonical.ts';
import { isCount } from '../json/value.ts';
import { demand, OBJECT } from '../option.ts';
import { isRunId } from './form.ts';
import { completeReceipt } from './receipt.ts';
import { type Draft, type LedgerRecord, NO_PREV } from './record.ts';

/** End of a run's chain: the number of records, and the hash of the last record. */
export interface RunHead {
  readonly records: number;
  readonly head: string;
}

/** The head of a run without records. */
export const NO_RECORDS: RunHead = { records: 0, head: NO_PREV };

/** Members that a draft lacks. `at` is the wall clock, integer ms, brought in from outside. */
export interface Stamp {
  readonly run_id: string;
  readonly epoch: number;
  readonly at: number;
}

/** A record and its canonical text; a store keeps the text, an export contains it, and a verifier hashes it again. */
export interface Link {
  readonly record: LedgerRecord;
  readonly text: string;
}

/**
 * Puts a draft at the end of a run's chain. A receipt that the contract calls incomplete, a body that is not JSON or a
 * stamp out of range is a defect: no incomplete record reaches a store.
 */
export function extend(head: RunHead, draft: Draft, stamp: Stamp): Link {
  demand('head', head, OBJECT);
  demand('draft', draft, OBJECT);
  demand('stamp', stamp, OBJECT);
  assert(isRunId(stamp.run_id) && isCount(stamp.epoch) && isCount(stamp.at), 'a record has a run, an epoch and a time');
  assert(draft.kind !== 'receipt' || isComplete(draft.body.receipt, stamp.run_id), 'a receipt is complete');
  const body = sortedText(draft.body);
  const { at, epoch, run_id } = stamp;
  const body_hash = structureHash('body', body);
  const unsigned = { kind: draft.kind, run_id, run_seq: head.records, epoch, body_hash, at, prev: head.head };
  const parts = partsOf(unsigned);
  const hash = hashOf(parts);
  // The kind and its body come from the same draft, which the compiler forgets once they are apart.
  const record = { ...unsigned, body: draft.body, hash } as LedgerRecord;
  return { record, text: textOf(parts, body, hash) };
}

export function headAfter(record: LedgerRecord): RunHead {
  demand('record', record, OBJECT);
  return { records: record.run_seq + 1, head: record.hash };
}

/** A record's canonical JSON, cut where its body and its own hash have their places. */
export type Parts = readonly [string, string, string];

/** No escaping is needed: the members of a record beside its body are hex, ids and integers. */
export function partsOf(record: Omit<LedgerRecord, 'body' | 'hash'>): Parts {
  return [
    `{"at":${record.at},`,
    `"body_hash":"${record.body_hash}","epoch":${record.epoch},`,
    `"kind":"${record.kind}","prev":"${record.prev}","run_id":"${record.run_id}","run_seq":${record.run_seq}}`,
  ];
}

/**
 * The hash of a record: over the canonical JSON of all its members but `hash` itself and `body`, which is in it by
 * its own hash. So a body can be withheld and the chain still be checked.
 */
export function hashOf(parts: Parts): string {
  return structureHash('record', signedText(parts));
}

/** The text that the hash of a record is over. */
export function signedText([at, middle, rest]: Parts): string {
  return at + middle + rest;
}

/** The canonical JSON of a record: stored, exported, and hashed again by a verifier. */
export function textOf([at, middle, rest]: Parts, body: string, hash: string): string {
  // joined and not added up: the text is kept, and with it would be every piece it was added up from
  return [at, '"body":', body, ',', middle, '"hash":"', hash, '",', rest].join('');
}

function isComplete(receipt: unknown, run_id: string): boolean {
  return completeReceipt(receipt, { run_id }).ok;
}
