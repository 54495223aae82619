import type { JsonValue } from '../../core/json/value.ts';

/**
 * Tables of a store beside the log, by key, with the last value only: `kept` holds the key-value storage of
 * capabilities, `files` and `symbols` hold the content.
 *
 * @experimental
 */
export const TABLES = ['kept', 'files', 'symbols'] as const;
export type TableName = (typeof TABLES)[number];

/**
 * Values that IndexedDB stores as they are. A view is stored with its whole buffer, so a writer must not pass a small
 * view of a large buffer.
 */
export type TableValue = JsonValue | Uint8Array | readonly TableValue[] | { readonly [name: string]: TableValue };

/** A row to write. The caller must not change it before the write has answered. */
export interface TableWrite {
  readonly table: TableName;
  readonly key: string;
  /** Undefined: the row is deleted. */
  readonly value: TableValue | undefined;
  /** The value was made for this write and its bytes have no other user: its buffers may be released after use. */
  readonly once?: true;
}

export type TableRow = readonly [key: string, value: TableValue];

/**
 * Compares rows by their keys, in UTF-16 units as IndexedDB compares strings.
 *
 * @experimental
 */
export function byKey([one]: TableRow, [other]: TableRow): number {
  return one < other ? -1 : 1;
}
