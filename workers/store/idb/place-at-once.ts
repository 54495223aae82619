import { unwrap } from 'idb';
import type { Frontier } from '../../../core/ledger/tree.ts';
import type { RunRow } from '../../api.ts';
import type { PlaceOptions } from '../mirror/log-index.ts';
import { type IndexPlan, planPlaces } from '../mirror/plan.ts';
import type { Waiting } from '../mirror/waiting.ts';
import type { LedgerDb } from './connection.ts';

/** Ends of the log and of runs after the last placement of this kernel. Valid while `last` is the last key of the log. */
export interface PlacedEnds {
  readonly last: number;
  readonly log: Frontier;
  readonly runs: Map<string, RunRow>;
}

/**
 * Quick way to place batches of this kernel: all requests at once, beside a request that checks the end of the log.
 * Undefined where the log ends elsewhere or a batch does not fit: nothing is written then.
 */
export async function placeAtOnce(
  db: LedgerDb,
  waiting: readonly Waiting[],
  known: PlacedEnds,
  { durability, floor }: PlaceOptions,
): Promise<IndexPlan | undefined> {
  if (known.log.size < floor || !waiting.every(isPlain)) return undefined;
  const plan = planPlaces({ ...known, heads: new Map() }, waiting);
  if (plan.batches.length < waiting.length) return undefined;
  const tx = unwrap(db).transaction(['batches', 'order', 'offsets'], 'readwrite', { durability });
  return write(tx, plan, known).then(
    () => plan,
    // another kernel was faster, or the connection died: reading the log tells which
    () => undefined,
  );
}

/** True for a batch of this kernel without rows. */
function isPlain({ batch, links, less, tables }: Waiting): boolean {
  return batch !== undefined && links !== undefined && !less && tables.length === 0;
}

function write(tx: IDBTransaction, plan: IndexPlan, { last, log }: PlacedEnds): Promise<void> {
  return new Promise((resolve, reject) => {
    let isBehind = false;
    tx.onabort = () => reject(tx.error ?? new Error('The log ends elsewhere.'));
    tx.oncomplete = () => (isBehind ? resolve() : reject(new Error('The log ends elsewhere.')));
    const batches = tx.objectStore('batches');
    // all keys from `last` on: a cursor from the end would take longer than the write itself
    const asked = batches.getAllKeys(IDBKeyRange.lowerBound(last), 2);
    asked.onsuccess = () => {
      isBehind = asked.result.length === 1 && asked.result[0] === last;
      if (!isBehind) tx.abort();
    };
    for (const batch of plan.batches) batches.add(batch);
    tx.objectStore('order').put(plan.order, log.size);
    for (const [file, end] of plan.offsets) tx.objectStore('offsets').put(end, file);
  });
}
