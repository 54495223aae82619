import type { BrowserContext, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { badge, open, receipts, row, rows } from './open.ts';
import { ready } from './ready.ts';
import { serveFolders } from './serve.ts';
import { ONCE } from './tags.ts';

/** An empty page of the same origin, which stands for another program, version or tab. */
async function stranger(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.route(`${url}nothing`, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto(`${url}nothing`);
  return page;
}

/** Opens the database at this version, and keeps it open also if another page asks to close it. */
async function holdAt(page: Page, version: number): Promise<void> {
  await page.evaluate(
    (at) =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('sallyport', at);
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => resolve(void Object.assign(window, { held: opening.result }));
      }),
    version,
  );
}

async function facts(page: Page): Promise<string> {
  await page.locator('sp-trust .meter').click();
  const text = (await page.getByRole('dialog', { name: 'What this page can reach' }).textContent()) ?? '';
  await page.keyboard.press('Escape');
  return text;
}

async function stepped(page: Page, steps: number): Promise<void> {
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(steps);
}

test('a page leaves a database to a newer version, and loses no record', ONCE, async ({ page, app, context }) => {
  await open(page, app.url);
  await stepped(page, 1);
  const before = await rows(page).count();
  const other = await stranger(context, app.url);
  await holdAt(other, 99);
  await page.keyboard.press('s');
  await expect(badge(page)).toHaveText('Failed');
  await expect(page.locator('sp-status')).toContainText('newer version');
  await page.reload();
  await ready(page);
  expect(await facts(page)).toContain('Runs are kept in memory only');
  // Every acknowledged record is still there for the newer version.
  const kept = await other.evaluate(async () => {
    const { held } = window as unknown as { held: IDBDatabase };
    const all = held.transaction('batches').objectStore('batches').getAll();
    await new Promise((resolve) => {
      all.onsuccess = resolve;
    });
    return (all.result as { records: string[] }[]).flatMap(({ records }) => records).length;
  });
  expect(kept).toBe(before);
});

test(
  'a page works in memory while another tab holds back a deletion of the database',
  ONCE,
  async ({ page, app, context }) => {
    const other = await stranger(context, app.url);
    await holdAt(other, 1);
    await other.evaluate(() => void indexedDB.deleteDatabase('sallyport'));
    await open(page, app.url);
    expect(await facts(page)).toContain('Runs are kept in memory only');
    await stepped(page, 1);
  },
);

test('a start that takes long is explained to the person after a while', ONCE, async ({ page, app }) => {
  await page.clock.install();
  await page.route('**/*.wasm', () => undefined);
  await page.goto(app.url);
  await expect(page.locator('sp-status')).toContainText('Starting the kernel');
  await page.clock.fastForward(10_000);
  await expect(page.locator('sp-status')).toContainText('This takes longer than usual.');
});

test('a page whose script does not arrive explains it after a while', ONCE, async ({ page, app }) => {
  await page.route(/index-.*\.js$/, () => undefined);
  await page.goto(app.url, { waitUntil: 'commit' });
  const late = page.getByText('This takes longer than usual.');
  await expect(late).toBeHidden();
  await late.evaluate((element) => element.getAnimations().forEach((animation) => animation.finish()));
  await expect(late).toBeVisible();
  await expect(page.getByRole('status')).toHaveText(/^Starting the kernel/);
});

test('the page names the missing file if its host has no sandbox worker', ONCE, async ({ page, complaints }) => {
  const host = await serveFolders({ folders: { '/assets/worker-sandbox': 'nothing', '/': 'dist' } });
  await page.goto(host.origin);
  await expect(page.getByRole('status')).toContainText(/The page could not start its worker.*worker-sandbox/);
  expect(complaints.splice(0).join()).toContain('worker-sandbox');
  await host.close();
});

test(
  'a database deleted by another tab is filled again before the next record',
  ONCE,
  async ({ page, app, context }) => {
    await open(page, app.url);
    await stepped(page, 1);
    const before = await rows(page).count();
    const other = await stranger(context, app.url);
    await other.evaluate(
      () =>
        new Promise((resolve) => {
          indexedDB.deleteDatabase('sallyport').onsuccess = resolve;
        }),
    );
    await stepped(page, 2);
    const after = await rows(page).count();
    expect(after).toBeGreaterThan(before);
    await page.reload();
    await expect(row(page, /resumed/)).toHaveCount(1);
    await expect(rows(page)).toHaveCount(after + 1);
  },
);
