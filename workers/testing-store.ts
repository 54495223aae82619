/**
 * `sallyport/testing/store`: the tests that every store passes, for Vitest. They need the packages `vitest` and
 * `fast-check`.
 */

export type * from './store.ts';
export { retentionSuite } from './testing/store/retention-suite.ts';
export type { StorePlace } from './testing/store/store-place.ts';
export { storeSuite } from './testing/store/store-suite.ts';
export { tableSuite } from './testing/store/table-suite.ts';
