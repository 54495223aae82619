/**
 * `sallyport/store`: the port of the ledger for stores of other programs, and the functions that every store needs. A
 * store is handed to `openRuntime({ store })` of `sallyport/node`.
 *
 * @experimental
 */

export type { RefusalLocation, Refuse } from '../core/errors/refuse.ts';
export { refuse } from '../core/errors.ts';
export type * from '../core/index.ts';
export type { RunHead } from '../core/ledger/chain.ts';
export type { Frontier } from '../core/ledger/tree.ts';
export { rootOf } from '../core/ledger/tree.ts';
export { pass } from '../core/outcome.ts';
export type * from './api.ts';
export type { PeerMessage, Peers } from './store/peer-channel.ts';
export type { OpenScratch, ReadRange, Scratch } from './store/scratch.ts';
export type { Claim, Claims, ReleaseClaim, SharedStore } from './store/shared-store.ts';
export { makeClaims } from './store/shared-store.ts';
export type { SqlRow } from './store/sql/frames.ts';
export { AlteredData, decodeBatch, decodeRow, encodeBatch, encodeKey, encodeRow } from './store/sql/frames.ts';
export type {
  Acknowledgement,
  After,
  Append,
  Batch,
  Durability,
  Exchange,
  LedgerStore,
  LogHead,
  LogSnapshot,
  Page,
  Pages,
  StoredPayload,
  UnreadRows,
} from './store/store.ts';
export { acknowledge, assertChained, EMPTY_LOG, isThere, nextBatch, youngestFirst } from './store/store.ts';
export type { TableName, TableRow, TableValue, TableWrite } from './store/tables.ts';
export { byKey, TABLES } from './store/tables.ts';
