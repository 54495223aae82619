import { expect, test } from 'vitest';
import { openBrowserStore } from '../../../../workers/store/idb/store.ts';

test('where there is no IndexedDB, opening says so', async () => {
  expect(await openBrowserStore()).toMatchObject({ ok: false, refusal: { class: 'storage', code: 'store_absent' } });
});
