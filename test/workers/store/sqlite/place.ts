import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openSqliteStore } from '../../../../workers/store/sqlite/store.ts';
import { type Place, valueOf } from '../store-suite.ts';

/** True where this Node has `node:sqlite`. In `npm run test:long -- world` a Node that has it runs these files too. */
export const HAS_SQLITE: boolean = process.getBuiltinModule('node:sqlite') !== undefined;

export const ABSENT = 'this Node has no node:sqlite: npm run test:long -- world runs these tests in Node 22 and later';

/** Makes names of new files in a folder that is removed after the tests of this file. */
export function newFiles(): () => string {
  let base: string | undefined;
  let files = 0;
  afterAll(() => {
    if (base !== undefined) rmSync(base, { recursive: true, force: true });
  });
  return () => {
    // Made by the first test: where all tests of a file are skipped, its hooks do not run.
    base ??= mkdtempSync(join(tmpdir(), 'sallyport-sqlite-'));
    return join(base, `folder-${files++}`, 'ledger.sqlite');
  };
}

export function makePlaces(newFile: () => string): () => Promise<Place> {
  return async () => {
    const path = newFile();
    return { open: async () => valueOf(openSqliteStore(path)) };
  };
}
