import { readFileSync } from 'node:fs';
import { describe } from 'vitest';
import * as port from '../../../workers/store.ts';
import { retentionSuite, type StorePlace, storeSuite, tableSuite } from '../../../workers/testing-store.ts';

/** The store of the page "Write a store", as it stands there. */
function storeOfPage(): (file: object) => port.LedgerStore {
  const page = readFileSync('web/docs/write-a-store.md', 'utf8');
  const code = /^const toText[\s\S]*?^\}$/m.exec(page)?.[0] ?? '';
  const names = Object.keys(port);
  const make = new Function(...names, `${code}\nreturn openTextStore;`) as (...values: unknown[]) => unknown;
  return make(...Object.values(port)) as ReturnType<typeof storeOfPage>;
}

const openTextStore = storeOfPage();

async function newPlace(): Promise<StorePlace> {
  let text: string | undefined;
  const file = { read: () => text, write: (next: string) => (text = next) };
  return { open: async () => openTextStore(file) };
}

describe('the store of the page "Write a store"', () => {
  storeSuite('in a text', newPlace, 5);
  tableSuite('in a text', newPlace);
  retentionSuite('in a text', newPlace);
});
