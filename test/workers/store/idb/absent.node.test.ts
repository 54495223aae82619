import { expect, test } from 'vitest';
import { openBrowserStore } from '../../../../workers/store/idb/store.ts';

test('opening the browser store is refused with store_absent without IndexedDB', async () => {
  expect(await openBrowserStore()).toMatchObject({ ok: false, refusal: { class: 'storage', code: 'store_absent' } });
});
