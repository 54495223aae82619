import { expect, solo, test } from './fixtures.ts';
import { badge, open, receipts, row, rows } from './open.ts';

/** In the page: fills the quota with smaller and smaller writes. */
async function fillUp(): Promise<void> {
  const db = await new Promise<IDBDatabase>((resolve) => {
    const opening = indexedDB.open('filler');
    opening.onupgradeneeded = () => opening.result.createObjectStore('bytes', { autoIncrement: true });
    opening.onsuccess = () => resolve(opening.result);
  });
  const fits = (size: number) =>
    new Promise<boolean>((resolve) => {
      const tx = db.transaction('bytes', 'readwrite');
      const bytes = crypto.getRandomValues(new Uint8Array(Math.min(size, 65_536)));
      tx.objectStore('bytes').add(Array.from({ length: Math.ceil(size / 65_536) }, () => bytes.slice()));
      tx.oncomplete = () => resolve(true);
      tx.onabort = () => resolve(false);
    });
  for (const size of [1_000_000, 60_000, 4_000, 200]) while (await fits(size));
  db.close();
}

// Only Chromium lets a test set the quota.
solo('a run fails with a clear text on a full disk, and keeps its records', async ({ page, app, context }) => {
  const devtools = await context.newCDPSession(page);
  const origin = new URL(app.url).origin;
  // Chromium asks for the quota once and remembers it for a while, so the quota is small before the first write.
  await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 6_000_000 });
  await open(page, app.url);
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  const before = await rows(page).count();
  await page.evaluate(fillUp);
  await page.keyboard.press('s');
  await expect(badge(page)).toHaveText('Failed', { timeout: 30_000 });
  await expect(page.locator('sp-status')).toContainText('No room left for the ledger');
  await devtools.send('Storage.overrideQuotaForOrigin', { origin });
  await page.evaluate(() => indexedDB.deleteDatabase('filler'));
  await page.reload();
  // The run goes on from the last record that was stored.
  await expect(row(page, /resumed/)).toHaveCount(1, { timeout: 30_000 });
  await expect(rows(page)).toHaveCount(before + 1);
});

// Only Chromium’s driver clears storage as an eviction does.
test('an evicted database is restored from the private files, and the page begins anew without both', async ({
  page,
  app,
  context,
}) => {
  await open(page, app.url);
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  const before = await rows(page).count();
  const devtools = await context.newCDPSession(page);
  const evict = async (storageTypes: string): Promise<void> => {
    await page.goto('about:blank');
    await devtools.send('Storage.clearDataForOrigin', { origin: new URL(app.url).origin, storageTypes });
    await open(page, app.url);
  };
  await evict('indexeddb');
  await expect(page.locator('sp-status')).toContainText('every record was restored');
  await expect(row(page, /resumed/)).toHaveCount(1);
  await expect(rows(page)).toHaveCount(before + 1);
  await evict('all');
  await expect(badge(page)).toHaveText('Ready');
  await expect(rows(page)).toHaveCount(2);
});
