import { refuse } from '../../../core/errors.ts';
import { hashText } from '../../../core/hash.ts';
import { rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { LogIndex, PlaceOptions } from '../mirror/log-index.ts';
import type { IndexPlan } from '../mirror/plan.ts';
import type { Waiting } from '../mirror/waiting.ts';
import type { LedgerDb } from './connection.ts';
import { placeAll, readOffsets, readUnnoted, ShorterLog, setNoted, writeOffsets } from './place.ts';
import { type PlacedEnds, placeAtOnce } from './place-at-once.ts';
import { placesOf, readRecordCounts } from './read.ts';
import type { BrowserStore } from './store.ts';

/** The index of private files in the database of a store. */
export function idbIndex({ use, frontier }: Pick<BrowserStore, 'use' | 'frontier'>): LogIndex {
  let known: PlacedEnds | undefined;

  async function placeIn(db: LedgerDb, waiting: readonly Waiting[], options: PlaceOptions): Promise<IndexPlan> {
    const before = known;
    known = undefined;
    const quick = before && (await placeAtOnce(db, waiting, before, options));
    if (before !== undefined && quick !== undefined) {
      const last = quick.batches.at(-1)?.seq ?? before.last;
      for (const { run_id, after } of quick.batches) {
        // the next task of a finished run reads its row
        if (after.run.sealed) before.runs.delete(run_id);
        else before.runs.set(run_id, after.run);
      }
      known = { last, log: quick.log, runs: before.runs };
      return quick;
    }
    const { plan, ends } = await placeAll(db, waiting, options);
    known = ends && before ? { ...ends, runs: new Map([...before.runs, ...ends.runs]) } : ends;
    return plan;
  }

  return {
    place: (waiting, options) => placeWith(use, placeIn, waiting, options),
    offsets: () => use(readOffsets),
    setOffsets: (changes, durability) => use((db) => writeOffsets(db, changes, durability)),
    unnoted: () => use(readUnnoted),
    setNoted: (size) => use((db) => setNoted(db, size)),
    frontier,
    rootAt: (size) => use((db) => rootAt(db, size)),
    records: () => use(readRecordCounts),
    run: (run_id) =>
      use(async (db) => {
        const last = await db.transaction('batches').store.index('run').openCursor(placesOf(run_id, 0), 'prev');
        return last?.value.after.run;
      }),
    batchAt: (run_id, run_seq) => use((db) => db.getFromIndex('batches', 'run', [run_id, run_seq])),
  };
}

async function placeWith(
  use: BrowserStore['use'],
  placeIn: (db: LedgerDb, waiting: readonly Waiting[], options: PlaceOptions) => Promise<IndexPlan>,
  waiting: readonly Waiting[],
  options: PlaceOptions,
): Promise<Outcome<IndexPlan>> {
  const placed = await use(async (db) => {
    try {
      return await placeIn(db, waiting, options);
    } catch (reason) {
      if (reason instanceof ShorterLog) return reason;
      throw reason;
    }
  });
  if (!placed.ok) return placed;
  if (!(placed.value instanceof ShorterLog)) return pass(placed.value);
  return refuse('log_lost', { size: options.floor, found: placed.value.found });
}

async function rootAt(db: LedgerDb, size: number): Promise<string | undefined> {
  const range = IDBKeyRange.upperBound(size, true);
  const last = size > 0 ? await db.transaction('batches').store.openCursor(range, 'prev') : null;
  const log = last?.value.after.log;
  return log?.size === size ? hashText(rootOf(log)) : undefined;
}
