import { expect, test } from 'vitest';
import { sha256Hex } from '../../../core/hash.ts';
import { rootOf } from '../../../core/ledger/tree.ts';
import { EMPTY_LOG, leavesOf, type PendingBatch, placeBatch } from '../../../workers/store/store.ts';

test('a batch of more records than a call takes arguments is placed', () => {
  const hash = sha256Hex(Uint8Array.of(1));
  const hashes = Array.from({ length: 200_000 }, () => hash);
  const run = { run_id: 'r', at: 0, dialect: '', records: hashes.length, head: hash, sealed: false };
  const pending: PendingBatch = { run_id: 'r', run_seq: 0, records: [], gone: hashes, payloads: [], run };
  const { after } = placeBatch(pending, EMPTY_LOG, leavesOf(hashes));
  expect(after.log.size).toBe(200_000);
  expect(rootOf(after.log)).toHaveLength(32);
});
