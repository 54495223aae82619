import { type Outcome, pass } from '../../core/outcome.ts';
import { releaseBuffer } from '../release-buffer.ts';
import { pages } from './paging.ts';
import type { LedgerStore } from './store.ts';
import { TABLES, type TableRow, type TableValue, type TableWrite } from './tables.ts';

/** Rows read at a time: a row may be a whole file. */
const ROWS = 32;
/** Bytes and UTF-16 units of rows written at a time: some milliseconds of work. */
const PART = 1 << 18;

/**
 * Visits all rows beside the log, a few at a time, each as it is when it is read. False as soon as the visitor returns
 * false.
 */
export async function eachRows(
  store: Pick<LedgerStore, 'all'>,
  visit: (rows: readonly TableWrite[]) => boolean | Promise<boolean>,
): Promise<Outcome<boolean>> {
  for (const table of TABLES) {
    for await (const rows of pages<TableRow>(ROWS, (last) => store.all(table, last?.[0], ROWS))) {
      if (!rows.ok) return rows;
      const tables = rows.value.map(([key, value]) => ({ table, key, value }));
      if (tables.length > 0 && !(await visit(tables))) return pass(false);
    }
  }
  return pass(true);
}

/** Kept rows whose keys begin with the prefix, read `most` at a time. */
export async function rowsWith(
  store: Pick<LedgerStore, 'all'>,
  prefix: string,
  most: number = ROWS,
): Promise<Outcome<readonly TableRow[]>> {
  const found: TableRow[] = [];
  const from: TableRow = [prefix, ''];
  for await (const page of pages<TableRow>(most, (last = from) => store.all('kept', last[0], most))) {
    if (!page.ok) return page;
    const inside = page.value.filter(([row]) => row.startsWith(prefix));
    found.push(...inside);
    if (inside.length < page.value.length) break;
  }
  return pass(found);
}

/** Splits rows into parts, in the same order. */
export function* inParts(rows: Iterable<TableWrite>): Generator<readonly TableWrite[]> {
  let part: TableWrite[] = [];
  let size = 0;
  for (const row of rows) {
    part.push(row);
    size += row.key.length + sizeOf(row.value);
    if (size < PART) continue;
    yield part;
    [part, size] = [[], 0];
  }
  if (part.length > 0) yield part;
}

/** Releases the buffers of rows that were made for a single use, which is over. */
export function releaseRows(rows: readonly TableWrite[]): void {
  for (const { value, once } of rows) {
    if (!once || typeof value !== 'object' || value === null) continue;
    for (const item of Object.values(value)) if (item instanceof Uint8Array) releaseBuffer(item);
  }
}

/** Approximate size: values that are neither text nor bytes count 8. */
function sizeOf(value: TableValue | undefined): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce<number>((sum, item) => sum + sizeOf(item as TableValue), 8);
}
