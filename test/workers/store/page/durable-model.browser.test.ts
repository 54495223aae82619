import { afterEach, describe } from 'vitest';
import type { LedgerStore } from '../../../../workers/store/store.ts';
import { retentionSuite } from '../../kernel/retention-suite.ts';
import { modelTest } from '../store-suite.ts';
import { endTabs, locking, newName, newTab } from './tabs.ts';

afterEach(endTabs);

describe('the ledger store in IndexedDB with a mirror, in workers that are ended', () => {
  const newPlace = async () => {
    const name = newName();
    const crashes = new Map<LedgerStore, () => void>();
    const open = async () => {
      const { tab, crash } = newTab();
      const store = locking(await tab.open(name));
      crashes.set(store, crash);
      return store;
    };
    return { open, crash: async (store: LedgerStore) => crashes.get(store)?.() };
  };
  modelTest(newPlace, { numRuns: 2, maxLength: 12 });
});

retentionSuite('in IndexedDB with a mirror', async () => {
  const name = newName();
  return { open: async () => await newTab().tab.open(name) };
});
