import type { Frontier } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { RunRow } from '../../api.ts';
import type { Entry } from '../journal/frame.ts';
import type { ByteFile } from '../journal/journal.ts';
import { type FramePlace, readEntry } from '../journal/journal.ts';
import { RunNumbers } from '../journal/run-numbers.ts';
import { type Append, type Batch, EMPTY_LOG, isThere } from '../store.ts';
import { TABLES, type TableName, type TableValue, type TableWrite } from '../tables.ts';

/** A log in a file, and the places of its batches. */
interface ReadableLog {
  readonly file: ByteFile;
  readonly contents: LogContents;
}

/** The batches of a run from the batch with record `from` on, at most `most`. */
export function* batchesOfRun(
  { file, contents }: ReadableLog,
  run_id: string,
  from = 0,
  most: number = Number.POSITIVE_INFINITY,
): Generator<Batch> {
  const places = contents.places.of(run_id).filter(({ to }) => to > from);
  for (const place of places.slice(0, most)) yield batchAt(file, place);
}

/** The batches of a run, backwards from the batch of record `upTo`. */
export function* batchesBackwards(
  { file, contents }: ReadableLog,
  run_id: string,
  upTo: number = Number.POSITIVE_INFINITY,
): Generator<Batch> {
  const places = contents.places.of(run_id).filter(({ from }) => from <= upTo);
  for (const place of places.toReversed()) yield batchAt(file, place);
}

/** The batches of all runs from this place in the log on, at most `most`. */
export function* batchesOfLog({ file, contents }: ReadableLog, from: number, most: number): Generator<Batch> {
  for (const place of contents.places.inOrder(from).slice(0, most)) yield batchAt(file, place);
}

/** The batch of an append that is repeated after a lost answer. */
export function repeatedBatch({ file, contents }: ReadableLog, append: Append): Outcome<Batch> | undefined {
  const place = contents.places.at(append.run_id, append.expected.records);
  const batch = place && batchAt(file, place);
  return batch !== undefined && isThere(batch, append) ? pass(batch) : undefined;
}

function batchAt(file: ByteFile, place: FramePlace): Batch {
  const { batch } = readEntry(file, place);
  if (batch === undefined) throw new Error(`There is no batch at ${place.at}.`);
  return batch;
}

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

/** Place of a batch in the file and in the log, and the records of its run in it. */
interface BatchPlace extends FramePlace {
  readonly seq: number;
  readonly from: number;
  readonly to: number;
}

const [FROM, TO, SEQ, AT, LENGTH] = [0, 1, 2, 3, 4] as const;

/** Places of the batches of a log in its file: found by run, or listed in the order of the log. */
export class Places {
  private readonly numbers = new RunNumbers(5);

  /**
   * Adds a place. The remainder of an erased batch stands behind younger batches in the file, and takes the place of
   * the old batch here.
   */
  put(run_id: string, { from, to, seq, at, length }: BatchPlace): void {
    this.numbers.put(run_id, [from, to, seq, at, length]);
  }

  of(run_id: string): readonly BatchPlace[] {
    return this.numbers.of(run_id).map((row) => this.place(row));
  }

  /** Place of the batch that begins with this record. */
  at(run_id: string, run_seq: number): BatchPlace | undefined {
    const row = this.numbers.find(run_id, run_seq);
    return row === undefined ? undefined : this.place(row);
  }

  /** Places of the batches of all runs, from this place in the log on. */
  inOrder(from = 0): readonly BatchPlace[] {
    const rows = Array.from({ length: this.numbers.count }, (_, row) => row);
    const places = rows.filter((row) => this.numbers.number(row, SEQ) >= from).map((row) => this.place(row));
    return places.sort((one, other) => one.seq - other.seq);
  }

  /** A place of the log that two batches have or none; undefined where each place below the last belongs to one batch. */
  firstOverlap(): number | undefined {
    const rows = Array.from({ length: this.numbers.count }, (_, row) => row);
    const from = (row: number) => this.numbers.number(row, SEQ);
    const length = (row: number) => this.numbers.number(row, TO) - this.numbers.number(row, FROM);
    const starts = Float64Array.from(rows, from).sort();
    const ends = Float64Array.from(rows, (row) => from(row) + length(row)).sort();
    // in a log without overlap each batch begins where another ends
    return starts.find((start, nth) => start !== (nth === 0 ? 0 : ends[nth - 1]));
  }

  private place(row: number): BatchPlace {
    const { numbers } = this;
    return {
      at: numbers.number(row, AT),
      length: numbers.number(row, LENGTH),
      seq: numbers.number(row, SEQ),
      from: numbers.number(row, FROM),
      to: numbers.number(row, TO),
    };
  }
}
