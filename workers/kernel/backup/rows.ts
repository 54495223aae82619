import type { Label } from '../../../core/capability/guard.ts';
import { checkPath } from '../../../core/content/section.ts';
import { readSymbol, toolSymbol } from '../../../core/content/symbols.ts';
import { decode } from '../../../core/json/decode-within.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { isObject, type JsonValue } from '../../../core/json/value.ts';
import { isUuid4 } from '../../../core/ledger/form.ts';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import { KEPT_LIMITS } from '../../../core/limits.ts';
import { LABEL_ROWS, labelPrefix, OWN_ROWS, type StoredValue } from '../../../core/run/commit/storage.ts';
import type { RunRow } from '../../api.ts';
import type { Batch, Pages } from '../../store/store.ts';
import { SYSTEM } from '../../store/system-log.ts';
import type { TableName, TableValue, TableWrite } from '../../store/tables.ts';
import { digest } from '../content/digest.ts';
import { type FileRow, STAMP } from '../content/file.ts';
import { fileOf } from '../content/ingest.ts';

/**
 * The pages of a backup, made safe to restore. An attacker can make a backup in which every hash is right. So its runs
 * are marked as foreign, and never resumed. Of its rows only those enter that this program could have written, without
 * any value that it would rely on later.
 */
export function asForeign(pages: Pages): Pages {
  // a page must be the same at the second request
  const stamp = crypto.randomUUID();
  return async (nth) => {
    const page = await pages(nth);
    if (page === undefined) return undefined;
    const rows = await Promise.all(page.tables.map((row) => admitted(row, stamp)));
    const tables = rows.filter((row) => row !== undefined);
    return { batches: page.batches.map(foreignBatch), tables: withLabelRows(tables) };
  };
}

/** The records of the log about itself are no foreign run, and have no end: this log continues them. */
export function foreignBatch(batch: Batch): Batch {
  const { log, run } = batch.after;
  if (batch.run_id !== SYSTEM) return { ...batch, after: { log, run: { ...plainRow(run), foreign: true } } };
  const { ended: _, ...open } = run;
  return { ...batch, after: { log, run: plainRow({ ...open, sealed: false }) } };
}

/** No hash covers the row of a run, so a file may hold any value in it. */
function plainRow({ run_id, records, head, at, dialect, sealed, ended }: RunRow): RunRow {
  const end = ENDS.find((each) => each === ended);
  return { run_id, records, head, at, dialect, sealed, ...(end !== undefined && { ended: end }) };
}

const ENDS = ['completed', 'aborted', 'failed', 'limit'] as const;

/** Epochs are counted one by one: no real log reaches this number. */
const EPOCHS_MAX = 2 ** 31;

/** True if the next epoch of the log would leave no room for further epochs. */
export function isBeyondEpochs({ run_id, records }: Batch): boolean {
  return run_id === SYSTEM && records.some((text) => (JSON.parse(text) as LedgerRecord).epoch > EPOCHS_MAX);
}

/** The row in its admitted form; undefined where it is refused. */
async function admitted(row: TableWrite, stamp: string): Promise<TableWrite | undefined> {
  const value = row.value === undefined ? undefined : await ADMIT[row.table](row.key, row.value, stamp);
  return value === undefined ? undefined : { table: row.table, key: row.key, value };
}

type Admit = (
  key: string,
  value: TableValue,
  stamp: string,
) => TableValue | undefined | Promise<TableValue | undefined>;

const ADMIT: { readonly [T in TableName]: Admit } = { kept: keptValue, files: fileValue, symbols: symbolValue };

const ALL: readonly Label[] = ['private', 'untrusted'];

/**
 * A value that a capability stored. A reader of it has read foreign text, so it gets all labels. The heap of a foreign
 * call never wakes.
 */
function keptValue(key: string, value: TableValue): TableValue | undefined {
  if (LABEL_ROW.test(key)) return { text: 'null', labels: ALL };
  const { text, run } = Object(value) as Partial<StoredValue>;
  if (!OWN_ROW.test(key) || key.length > KEY_UNITS || typeof text !== 'string') return undefined;
  const bytes = encodeText(text.toWellFormed());
  if (bytes.length > KEPT_LIMITS.valueBytes || !decode(bytes).ok) return undefined;
  return { text, labels: ALL, ...(isUuid4(run) && { run }) };
}

/**
 * Adds the label row of each name whose values are among these rows: which keys are there is the choice of the file's
 * author, also beside values of this log.
 */
function withLabelRows(rows: readonly TableWrite[]): readonly TableWrite[] {
  const names = rows.flatMap(({ table, key }) => (table === 'kept' && key.startsWith(OWN_ROWS) ? [nameIn(key)] : []));
  const keys = new Set(names.map((name) => `${labelPrefix(name)}${LABEL_ROWS[0]}`));
  for (const { table, key } of rows) if (table === 'kept') keys.delete(key);
  const added = [...keys].map((key): TableWrite => ({ table: 'kept', key, value: { text: 'null', labels: ALL } }));
  return [...rows, ...added];
}

/** The capability that a value belongs to: no name has a slash. */
function nameIn(key: string): string {
  return key.slice(OWN_ROWS.length, key.indexOf('/', OWN_ROWS.length));
}

/** Keys of the label rows of a capability. */
const LABEL_ROW = new RegExp(`^${labelPrefix('[A-Za-z0-9._-]{1,64}')}(?:${LABEL_ROWS.join('|')})$`);

const OWN_ROW = new RegExp(`^${OWN_ROWS}[A-Za-z0-9._-]{1,64}/`);
const KEY_UNITS = OWN_ROWS.length + 64 + 1 + KEPT_LIMITS.keyUnits;

/**
 * A file under its own hashes, with sections that are computed here. An id covers no heading, so a foreign table could
 * give the text of a section the heading of another section. The hash of the original bytes cannot be checked, and
 * would keep out the true file of that hash; the packs that the stamp names cannot be checked either.
 */
async function fileValue(path: string, value: TableValue, stamp: string): Promise<TableValue | undefined> {
  if (path === STAMP) return stamp;
  const { text, content_hash } = Object(value) as Partial<FileRow>;
  if (!checkPath(path).ok || !(text instanceof Uint8Array)) return undefined;
  const source_hash = await digest(text);
  const filed = content_hash === source_hash ? await fileOf(path, text, source_hash) : undefined;
  // the index never stores text with other line ends
  if (filed?.ok !== true || filed.value.entry.content_hash !== content_hash) return undefined;
  return { source_hash, content_hash, text, sections: filed.value.entry.sections };
}

/** A symbol as `define` takes it. Names of capabilities are defined by their registration. */
function symbolValue(key: string, value: TableValue): TableValue | undefined {
  const row = isObject(value) ? readSymbol(value as JsonValue) : undefined;
  if (row?.ok !== true || row.value.symbol_id !== key || key.startsWith(toolSymbol(''))) return undefined;
  return { ...row.value };
}
