import { expect } from 'vitest';
import { hashBytes, hashText } from '../../../core/hash.ts';
import { extend, headAfter, type Link, type RunHead } from '../../../core/ledger/chain.ts';
import type { Draft } from '../../../core/ledger/record.ts';
import { merkleRoot } from '../../../core/ledger/tree.ts';
import type { RunRow } from '../../api.ts';
import type { Append, Batch, LedgerStore } from '../../store/store.ts';
import { payload, type SampleRun } from './sample.ts';
import { valueOf } from './store-place.ts';

let forks = 0;

/** Append that continues a run with records that occur in no other append. */
export function forked(run_id: string, expected: RunHead, records = 1, seal = false): Append {
  const links: Link[] = [];
  let head = expected;
  for (let n = 0; n < records; n++) {
    const text = { sha256: payload(`fork ${forks++}`).sha256, bytes: 1 };
    const draft: Draft =
      seal && n === records - 1
        ? { kind: 'seal', body: { state: 'failed', steps: forks } }
        : { kind: 'state', body: { event: 'resumed', reason: text } };
    const link = extend(head, draft, { run_id, epoch: 0, at: 1 });
    links.push(link);
    head = headAfter(link.record);
  }
  return { run_id, expected, records: links, payloads: [] };
}

/** Appends the first batches of a run, one after another. */
export async function appendAll(store: LedgerStore, run: SampleRun, most: number = run.batches.length): Promise<void> {
  for (const { expected, records, payloads } of run.batches.slice(0, most)) {
    valueOf(await store.append({ run_id: run.run_id, expected, records, payloads }, 'relaxed'));
  }
}

/** Expects the batches of all runs to fill the log without a gap, and its root to cover exactly their records. */
export async function expectOneLog(store: LedgerStore, run_ids: readonly string[]): Promise<void> {
  const batches: Batch[] = [];
  for (const run_id of run_ids) batches.push(...valueOf(await store.read(run_id)));
  batches.sort((one, other) => one.seq - other.seq);
  const leaves: Uint8Array[] = [];
  for (const batch of batches) {
    expect(batch.seq).toBe(leaves.length);
    leaves.push(...batch.records.map((text) => hashBytes((JSON.parse(text) as { hash: string }).hash)));
    expect(batch.after.log.size).toBe(leaves.length);
  }
  const head = valueOf(await store.head());
  expect([head.size, hashText(head.root)]).toEqual([leaves.length, hashText(merkleRoot(leaves))]);
}

/** The row that `runs` gives for a run. */
export function rowOf(run: SampleRun, sealed: boolean): RunRow {
  const last = run.batches.at(-1)?.records.at(-1)?.record;
  return {
    run_id: run.run_id,
    records: (last?.run_seq ?? 0) + 1,
    head: last?.hash ?? '',
    at: 1_700_000_000_000,
    dialect: 'femtoclaw/1.0.0',
    sealed,
    ...(sealed && { ended: 'completed' }),
  };
}

/** The texts of all records of a run. */
export function textsOf(run: SampleRun): string[] {
  return run.batches.flatMap((batch) => batch.records.map((link) => link.text));
}
