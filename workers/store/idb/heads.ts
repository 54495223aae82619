import type { IDBPTransaction } from 'idb';
import type { Frontier } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { RunRow } from '../../api.ts';
import { type Append, type Batch, EMPTY_LOG, isThere, nextBatch } from '../store.ts';
import type { TableName } from '../tables.ts';
import type { LedgerSchema } from './connection.ts';
import { placesOf } from './read.ts';

export type Writing = IDBPTransaction<LedgerSchema, ('batches' | TableName)[], 'readwrite'>;

/** Ends of the log and its runs: the facts that an append has to fit. */
export interface Heads {
  readonly log: Frontier;
  readonly rows: ReadonlyMap<string, RunRow>;
  /** Appends that were committed, but whose answer was lost with the connection. */
  readonly there?: ReadonlyMap<Append, Batch>;
}

/** Reads the heads that a group of appends needs, in the transaction that will extend them. */
export async function readHeads(tx: Writing, group: readonly Append[]): Promise<Heads> {
  const batches = tx.objectStore('batches');
  const index = batches.index('run');
  const run_ids = [...new Set(group.map((append) => append.run_id))];
  const [last, tails, found] = await Promise.all([
    batches.openCursor(null, 'prev'),
    Promise.all(run_ids.map((run_id) => index.openCursor(placesOf(run_id, 0), 'prev'))),
    Promise.all(group.map(({ run_id, expected }) => index.get([run_id, expected.records]))),
  ]);
  const rows = tails.flatMap((tail) => (tail === null ? [] : [tail.value.after.run]));
  const there = group.flatMap((append, nth) => {
    const batch = found[nth];
    return batch !== undefined && isThere(batch, append) ? [[append, batch] as const] : [];
  });
  return {
    log: last?.value.after.log ?? EMPTY_LOG,
    rows: new Map(rows.map((row) => [row.run_id, row])),
    there: new Map(there),
  };
}

/**
 * Plans the batches of a group, each behind the batch before. A batch that does not fit is refused; the rest continues
 * without it.
 */
export function plan({ log, rows, there }: Heads, group: readonly Append[]): Outcome<Batch>[] {
  let end = log;
  const fresh: Batch[] = [];
  return group.map((append) => {
    const landed = there?.get(append) ?? fresh.find((batch) => isThere(batch, append));
    if (landed !== undefined) return pass(landed);
    const row = fresh.findLast((batch) => batch.run_id === append.run_id)?.after.run ?? rows.get(append.run_id);
    const batch = nextBatch(end, row, append);
    if (batch.ok) {
      end = batch.value.after.log;
      fresh.push(batch.value);
    }
    return batch;
  });
}
