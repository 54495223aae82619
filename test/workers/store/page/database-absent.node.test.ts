import { afterEach, expect, test, vi } from 'vitest';
import { openDatabaseStore } from '../../../../workers/store/page/database-store.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

test('opening the browser store is refused with store_absent without IndexedDB', async () => {
  expect(await openDatabaseStore()).toMatchObject({ ok: false, refusal: { class: 'storage', code: 'store_absent' } });
});

// Firefox throws from the constructor of the channel and from the database at once, Chromium rejects each lock.
test('opening the store of a page that is denied channels, locks and databases is refused with store_absent', async () => {
  const denied = (): never => {
    throw new DOMException('denied', 'SecurityError');
  };
  vi.stubGlobal('BroadcastChannel', function DeniedChannel() {
    denied();
  });
  vi.stubGlobal('indexedDB', { open: denied });
  vi.stubGlobal('navigator', { locks: { request: async () => denied(), query: async () => denied() } });
  // `origin.ts` takes its references once, so the modules are loaded behind the stubs.
  vi.resetModules();
  const { openPageStore } = await import('../../../../workers/store/page/store.ts');
  expect(await openPageStore()).toMatchObject({ ok: false, refusal: { class: 'storage', code: 'store_absent' } });
});
