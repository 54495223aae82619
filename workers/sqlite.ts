/**
 * `sallyport/sqlite`: a ledger in a file of SQLite, which several processes use at once. It needs `node:sqlite`, which
 * Node has from version 22.13 on.
 *
 * @experimental
 */

import { optionsOf, TEXT } from '../core/option.ts';
import { unwrap } from '../core/sallyport-error.ts';
import type { RuntimeStore } from './store/runtime-store.ts';
import { openSqliteStore } from './store/sqlite/store.ts';

export type { RuntimeStore } from './store/runtime-store.ts';

export interface SqliteOptions {
  /** The file; it and its folder are made if they are absent, readable by their owner alone. */
  readonly path: string;
}

/**
 * Opens the ledger in a file of SQLite, for the `store` of `openRuntime`, which closes it. Throws `SallyportError`:
 * `store_unsupported` where this Node has no `node:sqlite`, `store_damaged` for a file that is no ledger, `store_newer`,
 * `store_locked`, `store_full`, `store_lost`.
 *
 * `openRuntime({ store: openSqlite({ path: 'ledger.sqlite' }) })`
 *
 * @experimental
 */
export function openSqlite(options: SqliteOptions): RuntimeStore {
  const { path } = optionsOf(options, { path: TEXT }, ['path']);
  return unwrap(openSqliteStore(path));
}
