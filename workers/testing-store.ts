/**
 * `sallyport/testing/store`: the tests that every store passes, for Vitest. They need the packages `vitest` and
 * `fast-check`.
 *
 * @experimental
 */

export type { LeaseTimes } from './store/shared-store.ts';
export type * from './store.ts';
export type { LeasePlace } from './testing/store/lease-suite.ts';
export { leaseSuite } from './testing/store/lease-suite.ts';
export { retentionSuite } from './testing/store/retention-suite.ts';
export type { StorePlace } from './testing/store/store-place.ts';
export { storeSuite } from './testing/store/store-suite.ts';
export { tableSuite } from './testing/store/table-suite.ts';
