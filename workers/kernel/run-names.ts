import { isObject } from '../../core/json/value.ts';
import { readRecord } from '../../core/ledger/line.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { RunRow } from '../api.ts';
import { rowsWith } from '../store/rows.ts';
import type { Batch, LedgerStore, StoredPayload } from '../store/store.ts';
import type { TableWrite } from '../store/tables.ts';

/**
 * Prefix of the rows that name the runs of a ledger. A row holds the beginning of a private text: an erasure and a
 * deletion take it with the text, and no backup brings it back.
 */
const ROWS = 'names/';

/** UTF-16 units of a task that a list of runs shows. */
const TASK_UNITS = 200;
/** No more bytes are decoded: a unit has at most three. */
const TASK_BYTES = 4 * TASK_UNITS;

/** The model and a first task, or the caller of a session. */
type RunName = Pick<RunRow, 'task' | 'model' | 'caller'>;

/** Key of the row that names a run. */
export function nameKey(run_id: string): string {
  return `${ROWS}${run_id}`;
}

/** Row to write with these records, where they have the first task of the run, or the caller of a session. */
export function nameRow(
  run_id: string,
  records: readonly LedgerRecord[],
  payloads: readonly StoredPayload[],
): TableWrite | undefined {
  const name = nameIn(records, payloads);
  return name && { table: 'kept', key: nameKey(run_id), value: { ...name } };
}

function nameIn(records: readonly LedgerRecord[], payloads: readonly StoredPayload[]): RunName | undefined {
  let model: string | undefined;
  for (const { kind, body } of records) {
    if (kind === 'configuration' && body.caller === true) return { caller: body.model };
    if (kind === 'configuration') ({ model } = body);
    if (kind !== 'task') continue;
    const bytes = payloads.find(({ sha256 }) => sha256 === body.text.sha256)?.bytes;
    return { ...(model !== undefined && { model }), ...(bytes !== undefined && { task: beginningOf(bytes) }) };
  }
  return undefined;
}

function beginningOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, TASK_BYTES)).slice(0, TASK_UNITS).toWellFormed();
}

/** Short rows: some hundred kilobytes. */
const ROWS_AT_ONCE = 1000;
/** Runs that one call names at most, where their rows are missing; the next call names the next. */
const MISSING_MAX = 1000;
/** Runs that are read at a time. */
const AT_ONCE = 32;

/** Acts as the only writer of a run, or refuses. */
type AsWriter = <T>(run_id: string, act: () => Promise<Outcome<T>>) => Promise<Outcome<T>>;

/**
 * The rows of runs with their names, which stand in one table: no run is read. A run without such a row (it came with a
 * backup, or was written before there were such rows) is read once. Its row is written as the run's only writer, so that
 * no erasure is under way meanwhile; `alone` refuses for a run that is open, which stays without the row.
 */
export async function withNames(
  store: Pick<LedgerStore, 'all' | 'put' | 'read'>,
  alone: AsWriter,
  runs: readonly RunRow[],
): Promise<Outcome<readonly RunRow[]>> {
  const rows = await rowsWith(store, ROWS, ROWS_AT_ONCE);
  if (!rows.ok) return rows;
  const names = new Map(rows.value.map(([key, value]) => [key.slice(ROWS.length), nameFrom(value)]));
  const missing = runs.filter(({ run_id, records }) => records > 0 && isPart(names.get(run_id))).slice(0, MISSING_MAX);
  for (let at = 0; at < missing.length; at += AT_ONCE) {
    const some = missing.slice(at, at + AT_ONCE);
    const found = await Promise.all(some.map((run) => find(store, alone, run)));
    for (const [nth, { run_id }] of some.entries()) names.set(run_id, found[nth] ?? {});
  }
  return pass(runs.map((run) => ({ ...run, ...names.get(run.run_id) })));
}

/** A row without its model: its run had no task yet when it began. */
function isPart(name: RunName | undefined): boolean {
  return name === undefined || (name.task !== undefined && name.model === undefined);
}

/** The name in a row: a program other than ours may have written it. */
function nameFrom(value: unknown): RunName {
  if (!isObject(value)) return {};
  const { task, model, caller } = value as { readonly [name: string]: unknown };
  return {
    ...(typeof task === 'string' && { task }),
    ...(typeof model === 'string' && { model }),
    ...(typeof caller === 'string' && { caller }),
  };
}

async function find(store: Pick<LedgerStore, 'put' | 'read'>, alone: AsWriter, run: RunRow): Promise<RunName> {
  const { run_id } = run;
  // a run that may go on names itself, and is not kept from those who resume it
  if (!run.sealed && run.foreign !== true) return read(store, run_id);
  const done = await alone(run_id, async () => {
    const name = await read(store, run_id);
    // a store that is only looked at stays as it is
    await store.put([{ table: 'kept', key: nameKey(run_id), value: { ...name } }], 'relaxed');
    return pass(name);
  });
  return done.ok ? done.value : read(store, run_id);
}

/** A task is written with the first record of its run, or as the run waits for its first task: in a batch soon after. */
const BATCHES = 4;

async function read(store: Pick<LedgerStore, 'read'>, run_id: string): Promise<RunName> {
  const found = await store.read(run_id, 0, BATCHES);
  const batches = found.ok ? found.value : [];
  return (
    nameIn(
      batches.flatMap(recordsIn),
      batches.flatMap(({ payloads }) => payloads),
    ) ?? {}
  );
}

function recordsIn({ records }: Batch): readonly LedgerRecord[] {
  return records.flatMap((text) => {
    const line = readRecord(text);
    return typeof line === 'string' ? [] : [line.record];
  });
}
