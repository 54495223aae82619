import { refuse } from '../../core/errors.ts';
import { sha256Hex } from '../../core/hash.ts';
import { encodeText } from '../../core/json/utf8.ts';
import type { LogBody } from '../../core/ledger/kinds/log.ts';
import { readRecord } from '../../core/ledger/line.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { OWN_ROWS, type StoredValue } from '../../core/run/commit/storage.ts';
import { parkedKey } from '../../core/run/powers/power-calls.ts';
import type { Erasure, ErasureOptions, RetentionOptions, RunRow, StoredEntry } from '../api.ts';
import { makeWaiters } from '../async.ts';
import { hashIn } from '../auditor/verify-log.ts';
import type { Ports } from '../ports.ts';
import { runPages } from '../store/paging.ts';
import { exportRun, rowOf, rowsOf } from '../store/read-run.ts';
import { rowsWith } from '../store/rows.ts';
import type { Append, Batch, LedgerStore } from '../store/store.ts';
import { recordInLog, SYSTEM } from '../store/system-log.ts';
import type { TableWrite } from '../store/tables.ts';
import { nameKey } from './run-names.ts';
import type { Alone } from './run-ownership.ts';

/** A run as a file, and the file's hash, which the log records. */
export interface RunArchive {
  readonly jsonl: string;
  readonly sha256: string;
}

/**
 * Archives, deletes and erases recorded data; each act is a record in the run `system`. Hashes always stay, because the
 * log's tree is built on them, and older checkpoints and files must still verify.
 */
export interface Retention {
  /** Exports the whole run, secrets included. The run stays until it is deleted. `run_absent` */
  archive(run_id: string): Promise<Outcome<RunArchive>>;
  /** Deletes a run's records and bytes. `run_absent`; `run_open` while the run is being written; `run_kept`. */
  remove(run_id: string): Promise<Outcome<Erasure>>;
  /**
   * Erases bytes that a run's records name, all or only `payloads`, and with `stored` the values that it was the last to
   * store. Checks that need them report the erasure. As `remove`.
   */
  erase(run_id: string, options?: ErasureOptions): Promise<Outcome<Erasure>>;
  /** Values that capabilities of this name, or of all names, have stored. */
  stored(name?: string): Promise<Outcome<readonly StoredEntry[]>>;
  /** Erases the values that capabilities of this name have stored. The rows of their labels stay. */
  forgetStored(name: string): Promise<Outcome<Erasure>>;
}

export function makeRetention(
  ports: Pick<Ports, 'store' | 'epoch'>,
  alone: Alone,
  kept: KeptRuns = new KeptRuns(ports.store),
): Retention {
  const { store } = ports;
  const note = (body: LogBody, tables: readonly TableWrite[] = []) =>
    recordInLog(store, ports.epoch?.() ?? 1, body, tables);

  /** Records the erasure in a single write with the removal of the rows, and then takes the rest. */
  async function take(body: LogBody, work: Unfinished, rows: readonly string[], values = 0): Promise<Outcome<Erasure>> {
    const key = `${UNFINISHED}${crypto.randomUUID()}`;
    const noted = await note(body, [{ table: 'kept', key, value: { ...work } }, ...rows.map(withoutValue)]);
    const done = noted.ok ? await finish(store, key, work) : noted;
    return done.ok ? erasureOf(store, values) : done;
  }

  async function archive(run: string): Promise<Outcome<RunArchive>> {
    const jsonl = await exportRun(store, run, true);
    if (!jsonl.ok) return jsonl;
    const file = sha256Hex(encodeText(jsonl.value));
    // Count and head are the file's: the run may have grown since.
    const { count, head } = endIn(jsonl.value);
    const noted = await note({ event: 'archived', run, records: count, head, file });
    return noted.ok ? pass({ jsonl: jsonl.value, sha256: file }) : noted;
  }

  async function remove(run: string): Promise<Outcome<Erasure>> {
    const found = await foundRow(store, run);
    if (!found.ok) return found;
    if (run === SYSTEM) return refuse('run_open', { run_id: run });
    const before = await kept.check(found.value);
    if (!before.ok) return before;
    return alone(run, async () => {
      // another kernel may have written the run before this one became its only writer
      const row = await newest(store, found.value);
      if (!row.ok) return row;
      const now = await kept.check(row.value);
      if (!now.ok) return now;
      const { records, head } = row.value;
      return take({ event: 'deleted', run, records, head }, { run }, [parkedKey(run), nameKey(run)]);
    });
  }

  async function erase(run: string, { payloads, stored: takesStored }: ErasureOptions = {}): Promise<Outcome<Erasure>> {
    const found = await foundRow(store, run);
    if (!found.ok) return found;
    if (run === SYSTEM) return refuse('run_open', { run_id: run });
    return alone(run, async () => {
      const there = await payloadsOf(store, run);
      if (!there.ok) return there;
      const chosen = there.value.filter((sha256) => payloads?.includes(sha256) !== false);
      const own = takesStored === true ? await ownRows(store, (row) => row.value.run === run) : pass([]);
      if (!own.ok) return own;
      const values = takesStored === true && { values: own.value.length };
      const rows = [parkedKey(run), nameKey(run), ...own.value.map(({ row }) => row)];
      const body: LogBody = { event: 'erased', run, payloads: chosen, ...values };
      return take(body, { run, payloads: chosen }, rows, own.value.length);
    });
  }

  async function stored(name?: string): Promise<Outcome<readonly StoredEntry[]>> {
    const rows = await ownRows(store, ({ capability }) => name === undefined || capability === name);
    return rows.ok ? pass(rows.value.map(entryOf)) : rows;
  }

  async function forgetStored(capability: string): Promise<Outcome<Erasure>> {
    const rows = await ownRows(store, (row) => row.capability === capability);
    if (!rows.ok) return rows;
    const values = rows.value.length;
    if (values > 0)
      return take(
        { event: 'forgotten', capability, values },
        {},
        rows.value.map(({ row }) => row),
        values,
      );
    // older values of the same keys may stand in the files, also where no value is left
    const tidied = await store.tidy();
    return tidied.ok ? erasureOf(store, 0) : tidied;
  }

  return { archive, remove, erase, stored, forgetStored };
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The latest date that has a text. */
const LAST_DATE = 8.64e15;

/** The runs that this kernel keeps: runs whose last record is younger than `keepAtLeast`. Without it no run is kept. */
export class KeptRuns {
  readonly #store: Pick<LedgerStore, 'snapshot' | 'read' | 'append'>;
  #days: number | undefined;
  /** Appends of runs that the store has not answered. */
  #underWay = 0;
  readonly #answered = makeWaiters();
  /** Looks at all runs, during which no run is written. */
  #looks = 0;
  readonly #looked = makeWaiters();
  readonly #waiting = new Set<Append>();

  constructor(store: Pick<LedgerStore, 'snapshot' | 'read' | 'append'>) {
    this.#store = store;
  }

  keep({ keepAtLeast }: RetentionOptions): void {
    this.#days = keepAtLeast?.days;
  }

  /** The store's `append`, for the runs of this kernel: it waits while `unlessAny` looks. */
  readonly append: LedgerStore['append'] = async (append, durability) => {
    this.#waiting.add(append);
    while (this.#looks > 0) await this.#looked.wait();
    this.#waiting.delete(append);
    this.#underWay++;
    try {
      return await this.#store.append(append, durability);
    } finally {
      if (--this.#underWay === 0) this.#answered.settle();
    }
  };

  /** Refuses a run that is kept: `run_kept`. */
  async check(row: RunRow): Promise<Outcome<void>> {
    if (this.#days === undefined) return pass(undefined);
    const last = await this.#store.read(row.run_id, row.records - 1, 1);
    if (!last.ok) return last;
    const text = last.value.at(-1)?.records.at(-1);
    if (text === undefined) return pass(undefined);
    const line = readRecord(text);
    // a record that another program has altered must not keep its run for ever: the row tells when it was written
    return this.#judge(row, typeof line === 'string' ? row.at : line.record.at);
  }

  /** Refuses where any run is kept: `run_kept`, with its name. */
  async checkAll(): Promise<Outcome<void>> {
    const rows = this.#days === undefined ? pass([]) : await rowsOf(this.#store);
    if (!rows.ok) return rows;
    for (const row of rows.value) {
      const kept = row.run_id === SYSTEM ? pass(undefined) : await this.check(row);
      if (!kept.ok) return kept;
    }
    return pass(undefined);
  }

  /** Acts unless a run is kept. From the look at the runs until the act has begun no run of this kernel is written. */
  async unlessAny<T>(act: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    if (this.#days === undefined) return act();
    this.#looks++;
    let kept: Outcome<void>;
    try {
      while (this.#underWay > 0) await this.#answered.wait();
      kept = await this.checkAll();
      for (const { run_id, records } of this.#waiting)
        if (kept.ok) kept = this.#judge({ run_id }, records.at(-1)?.record.at);
    } finally {
      // in the same turn as the act: the appends that waited go on behind its beginning
      if (--this.#looks === 0) this.#looked.settle();
    }
    return kept.ok ? act() : kept;
  }

  #judge({ run_id, foreign }: Pick<RunRow, 'run_id' | 'foreign'>, at = Number.NaN): Outcome<void> {
    const now = Date.now();
    const until = at + (this.#days ?? Number.NaN) * DAY_MS;
    // the date in a stranger's file must not bind this device for centuries
    const isAhead = foreign === true && at > now;
    if (!(until > now) || isAhead) return pass(undefined);
    return refuse('run_kept', { run_id, until: new Date(Math.min(until, LAST_DATE)).toISOString() });
  }
}

/**
 * Rows of erasures that are recorded and not yet complete, each written with its record. No other row of the table
 * sorts behind them, so that an opening without such a row reads none.
 */
const UNFINISHED = 'unfinished/';

/** Remainder of an erasure: the bytes of these payloads of a run, all of a run, or only tidying. */
interface Unfinished {
  readonly run?: string;
  readonly payloads?: readonly string[];
}

/**
 * Finishes the erasures that were recorded, and that a crash or a full disk cut off. For an opening of a store for
 * writing, before its runs. An erasure that another kernel is at work on, or that fails again, stays for a later opening.
 */
export async function finishErasures({ store, claim }: Pick<Ports, 'store' | 'claim'>): Promise<void> {
  const rows = await rowsWith(store, UNFINISHED);
  for (const [key, value] of rows.ok ? rows.value : []) {
    const work = value as Unfinished;
    const release = work.run === undefined ? () => undefined : await claim(work.run);
    if (release !== undefined) await finish(store, key, work).finally(release);
  }
}

/** Takes what the work names, as far as it is still there, from every copy, and then the row of the work. */
async function finish(store: LedgerStore, key: string, { run, payloads }: Unfinished): Promise<Outcome<void>> {
  const erased = payloads && new Set(payloads);
  const less = (batch: Batch) => (erased === undefined ? withoutAll(batch) : withoutBytes(batch, erased));
  const replaced = run === undefined ? pass(undefined) : await replaceAll(store, run, less);
  const tidied = replaced.ok ? await store.tidy(run) : replaced;
  return tidied.ok ? store.put([withoutValue(key)], 'relaxed') : tidied;
}

/** Row of a value that a capability has stored. */
interface OwnRow {
  readonly row: string;
  readonly capability: string;
  readonly key: string;
  readonly value: StoredValue;
}

async function ownRows(store: LedgerStore, isWanted: (row: OwnRow) => boolean): Promise<Outcome<readonly OwnRow[]>> {
  const rows = await rowsWith(store, OWN_ROWS);
  if (!rows.ok) return rows;
  // no name has a slash
  const read = rows.value.map(([row, value]): OwnRow => {
    const end = row.indexOf('/', OWN_ROWS.length);
    const [capability, key] = [row.slice(OWN_ROWS.length, end), row.slice(end + 1)];
    return { row, capability, key, value: value as unknown as StoredValue };
  });
  return pass(read.filter(isWanted));
}

function entryOf({ capability, key, value: { text, labels, run, held } }: OwnRow): StoredEntry {
  const value = JSON.parse(text) as StoredEntry['value'];
  return { capability, key, value, labels, ...(run !== undefined && { run_id: run }), ...(held && { held }) };
}

function withoutValue(key: string): TableWrite {
  return { table: 'kept', key, value: undefined };
}

async function erasureOf(store: LedgerStore, values: number): Promise<Outcome<Erasure>> {
  return pass({ values, otherTabs: (await store.staleCopies?.()) ?? 0 });
}

/** Count and head in the last line of an export that this program made. */
function endIn(jsonl: string): { readonly count: number; readonly head: string } {
  const last = jsonl.slice(jsonl.lastIndexOf('\n', jsonl.length - 2) + 1);
  return (JSON.parse(last) as { end: ReturnType<typeof endIn> }).end;
}

async function foundRow(store: LedgerStore, run_id: string): Promise<Outcome<RunRow>> {
  const row = await rowOf(store, run_id);
  if (!row.ok) return row;
  return row.value === undefined ? refuse('run_absent', { run_id }) : pass(row.value);
}

/** The row of a run after the records that were written since. */
async function newest(store: LedgerStore, row: RunRow): Promise<Outcome<RunRow>> {
  const since = await store.read(row.run_id, row.records);
  return since.ok ? pass(since.value.at(-1)?.after.run ?? row) : since;
}

async function payloadsOf(store: LedgerStore, run_id: string): Promise<Outcome<readonly string[]>> {
  const found = new Set<string>();
  const read = await eachPage(store, run_id, async (batches) => {
    for (const { payloads } of batches) for (const { sha256 } of payloads) found.add(sha256);
    return pass(undefined);
  });
  return read.ok ? pass([...found]) : read;
}

/** Replaces only the batches that `less` changes. */
function replaceAll(store: LedgerStore, run_id: string, less: (batch: Batch) => Batch): Promise<Outcome<void>> {
  return eachPage(store, run_id, async (batches) => {
    const changed = batches.map(less).filter((batch, nth) => batch !== batches[nth]);
    return changed.length === 0 ? pass(undefined) : store.replace(changed);
  });
}

async function eachPage(
  store: LedgerStore,
  run_id: string,
  act: (batches: readonly Batch[]) => Promise<Outcome<void>>,
): Promise<Outcome<void>> {
  for await (const page of runPages(store, run_id)) {
    const done = page.ok ? await act(page.value) : page;
    if (!done.ok) return done;
  }
  return pass(undefined);
}

function withoutAll(batch: Batch): Batch {
  if (batch.gone !== undefined) return batch;
  const gone = batch.records.map(hashIn);
  return { ...batch, records: [], payloads: [], gone };
}

function withoutBytes(batch: Batch, erased: ReadonlySet<string>): Batch {
  const payloads = batch.payloads.filter(({ sha256 }) => !erased.has(sha256));
  return payloads.length === batch.payloads.length ? batch : { ...batch, payloads };
}
