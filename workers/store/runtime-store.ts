import type { SharedStore } from './shared-store.ts';
import type { LedgerStore } from './store.ts';

/**
 * An open store of another entry, such as `openSqlite`, for `openRuntime({ store })`. It serves a single runtime, whose
 * `close` closes it.
 */
export interface RuntimeStore {
  /** Kind of the store, as `runtime.info.store.kind` tells it. */
  readonly kind: string;
  close(): Promise<void>;
}

const METHODS: readonly Exclude<keyof LedgerStore, 'kind'>[] = [
  'append',
  'read',
  'payload',
  'runs',
  'head',
  'snapshot',
  'put',
  'get',
  'all',
  'replace',
  'tidy',
  'log',
  'restore',
  'destroy',
  'close',
];

/** True for an object with every function of the ledger's port. */
export function isLedgerStore(value: unknown): value is LedgerStore & Partial<SharedStore> {
  const store = Object(value) as { readonly [name: string]: unknown };
  return typeof store['kind'] === 'string' && METHODS.every((name) => typeof store[name] === 'function');
}
