import { assert } from '../assert.ts';
import { structureHash } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';
import { isCount, isRunId } from './form.ts';
import { completeReceipt } from './receipt.ts';
import { type Draft, type LedgerRecord, NO_PREV } from './record.ts';

/** Where a run's chain ends: how many records it has, and the hash of the last one. */
export interface RunHead {
  readonly records: number;
  readonly head: string;
}

/** The head of a run without records. */
export const NO_RECORDS: RunHead = { records: 0, head: NO_PREV };

/** What a draft does not know of itself. `at` is the wall clock, integer ms, brought in from outside. */
export interface Stamp {
  readonly run_id: string;
  readonly epoch: number;
  readonly at: number;
}

/** A record and its canonical text; the text is what is stored, exported and hashed again by a verifier. */
export interface Link {
  readonly record: LedgerRecord;
  readonly text: string;
}

/**
 * Puts a draft at the end of a run's chain. A receipt that the contract calls incomplete, a body that is not JSON
 * or a stamp out of range is our own bug: nothing half-made gets as far as a store.
 */
export function extend(head: RunHead, draft: Draft, stamp: Stamp): Link {
  assert(isRunId(stamp.run_id) && isCount(stamp.epoch) && isCount(stamp.at), 'a record has a run, an epoch and a time');
  assert(draft.kind !== 'receipt' || isComplete(draft.body.receipt, stamp.run_id), 'a receipt is complete');
  const body = canonicalText(draft.body);
  const place = {
    at: stamp.at,
    body_hash: structureHash('body', body),
    epoch: stamp.epoch,
    prev: head.head,
    run_id: stamp.run_id,
    run_seq: head.records,
  };
  const record: LedgerRecord = { ...draft, ...place, hash: hashOf({ kind: draft.kind, ...place }) };
  return { record, text: textOf(record, body) };
}

export function headAfter(record: LedgerRecord): RunHead {
  return { records: record.run_seq + 1, head: record.hash };
}

/**
 * The hash of a record: over the canonical JSON of all its members but `hash` itself and `body`, which is in it by
 * its own hash. So a body can be withheld and the chain still be checked.
 */
export function hashOf(record: Omit<LedgerRecord, 'body' | 'hash'>): string {
  const { at, body_hash, epoch, kind, prev, run_id, run_seq } = record;
  return structureHash(
    'record',
    `{"at":${at},"body_hash":"${body_hash}","epoch":${epoch},"kind":"${kind}","prev":"${prev}","run_id":"${run_id}","run_seq":${run_seq}}`,
  );
}

/** The canonical JSON of a record, given its body's. Its other members are hex, ids and integers: nothing to escape. */
export function textOf(record: Omit<LedgerRecord, 'body'>, body: string): string {
  const { at, body_hash, epoch, hash, kind, prev, run_id, run_seq } = record;
  return `{"at":${at},"body":${body},"body_hash":"${body_hash}","epoch":${epoch},"hash":"${hash}","kind":"${kind}","prev":"${prev}","run_id":"${run_id}","run_seq":${run_seq}}`;
}

function isComplete(receipt: unknown, run_id: string): boolean {
  return completeReceipt(receipt, { run_id }).ok;
}
