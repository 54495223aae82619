import type { JsonValue } from '../../core/json/value.ts';

/**
 * What a store keeps beside the log, by key, the last value only: `kept` is what capabilities put into stores of their
 * own, `files` and `symbols` are the content.
 */
export const TABLES = ['kept', 'files', 'symbols'] as const;
export type TableName = (typeof TABLES)[number];

/** What IndexedDB keeps as it is. Bytes are stored with the whole buffer under them: a writer hands in no small view. */
export type TableValue = JsonValue | Uint8Array | readonly TableValue[] | { readonly [name: string]: TableValue };

/** Not to be changed before the write is answered. */
export interface TableWrite {
  readonly table: TableName;
  readonly key: string;
  /** Absent: the row goes. */
  readonly value: TableValue | undefined;
  /** The value was made for who asked for it now, and its bytes are nobody else's: they may go when they are used. */
  readonly once?: true;
}

export type TableRow = readonly [key: string, value: TableValue];

/** Rows in the order of their keys, by UTF-16 units as IndexedDB compares strings. */
export function byKey([one]: TableRow, [other]: TableRow): number {
  return one < other ? -1 : 1;
}
