import { expect, test } from 'vitest';
import { openDatabaseStore } from '../../../../workers/store/page/database-store.ts';

test('opening the browser store is refused with store_absent without IndexedDB', async () => {
  expect(await openDatabaseStore()).toMatchObject({ ok: false, refusal: { class: 'storage', code: 'store_absent' } });
});
