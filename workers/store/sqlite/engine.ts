import { SallyportError } from '../../../core/sallyport-error.ts';
import type { SqlRow } from '../sql/row.ts';

/** Value that a statement takes or yields here. */
export type SqlValue = string | number | Uint8Array;

/** The part of `StatementSync` of `node:sqlite` that the store uses. */
export interface SqlStatement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
}

/** The part of `DatabaseSync` of `node:sqlite` that the store uses. */
export interface SqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

interface SqlModule {
  readonly DatabaseSync: new (path: string, options?: { readonly readOnly?: boolean }) => SqlDatabase;
}

/** The module `node:sqlite`. Throws `store_unsupported` where this Node has none. */
export function sqlModule(): SqlModule {
  const found = process.getBuiltinModule('node:sqlite');
  if (found !== undefined) return found as SqlModule;
  const version = process.versions.node;
  const use = 'Use Node 22.13 or later, or keep the ledger of a single process in a directory: { directory }.';
  throw new SallyportError('store_unsupported', `Node ${version} has no node:sqlite. ${use}`, { version });
}
