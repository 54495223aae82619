import { describe } from 'vitest';
import { appendSuite } from './append-suite.ts';
import { modelTest } from './model-suite.ts';
import { readSuite } from './read-suite.ts';
import { sealSuite } from './seal-suite.ts';
import type { StorePlace } from './store-place.ts';

/** Tests that every ledger store passes. */
export function storeSuite(name: string, newPlace: () => Promise<StorePlace>, runs: number): void {
  describe(`the ledger store ${name}`, () => {
    readSuite(newPlace);
    appendSuite(newPlace, runs);
    sealSuite(newPlace);
    modelTest(newPlace, { numRuns: runs, maxLength: 25 });
  });
}
