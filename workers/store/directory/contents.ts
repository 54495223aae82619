import type { Frontier } from '../../../core/ledger/tree.ts';
import type { RunRow } from '../../api.ts';
import type { Entry } from '../journal/frame.ts';
import type { FramePlace } from '../journal/journal.ts';
import { EMPTY_LOG } from '../store.ts';
import { TABLES, type TableName, type TableValue, type TableWrite } from '../tables.ts';
import { Places } from './places.ts';

/** Contents of a journal: the heads of its log and runs, its rows, and the places of its batches. */
export class LogContents {
  log: Frontier = EMPTY_LOG;
  places: Places = new Places();
  readonly rows: Map<string, RunRow> = new Map();
  readonly tables: Readonly<Record<TableName, Map<string, TableValue>>>;

  constructor() {
    this.tables = Object.fromEntries(TABLES.map((table) => [table, new Map()])) as LogContents['tables'];
  }

  /** Adds an entry that was written or read at this place. */
  take({ batch, tables }: Entry, place: FramePlace): void {
    this.takeRows(tables);
    if (batch === undefined) return;
    const { seq, run_id, run_seq, after } = batch;
    // each member by its name: a spread gives each object a shape of its own, which takes more memory than its members
    const { at, length } = place;
    this.places.put(run_id, { at, length, seq, from: run_seq, to: after.run.records });
    if (after.log.size > this.log.size) this.log = after.log;
    // the last batch counts: a run that was deleted in part stays in the list, so that its deletion can be finished
    if (after.run.records < (this.rows.get(run_id)?.records ?? 0)) return;
    if (batch.gone === undefined) this.rows.set(run_id, after.run);
    else this.rows.delete(run_id);
  }

  takeRows(rows: readonly TableWrite[]): void {
    for (const { table, key, value } of rows) {
      if (value === undefined) this.tables[table].delete(key);
      else this.tables[table].set(key, value);
    }
  }
}
