import type { BrowserContext, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { badge, open, receipts, row, rows } from './open.ts';
import { serveFolders } from './serve.ts';
import { ONCE } from './tags.ts';

/** A page of the same origin with nothing of ours in it: another program, another version, another tab. */
async function stranger(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.route(`${url}nothing`, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto(`${url}nothing`);
  return page;
}

/** Takes the database to this version and holds on to it, whatever others ask. */
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

test('a newer version in another tab: this one lets go, says so, and loses nothing', async ({ page, app, context }) => {
  await open(page, app.url);
  await stepped(page, 1);
  const before = await rows(page).count();
  const other = await stranger(context, app.url);
  await holdAt(other, 99);
  await page.keyboard.press('s');
  await expect(badge(page)).toHaveText('Failed');
  await expect(page.locator('sp-status')).toContainText('newer version');
  await page.reload();
  await expect(page.locator('sp-runbar')).toBeVisible();
  expect(await facts(page)).toContain('Runs are kept in memory only');
  // What was acknowledged is where it was, for the version that can read it.
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

test('a tab that holds an older version back: the page does not wait for ever, and works in memory', async ({
  page,
  app,
  context,
}) => {
  await holdAt(await stranger(context, app.url), 1);
  await open(page, app.url);
  expect(await facts(page)).toContain('Runs are kept in memory only');
  await stepped(page, 1);
});

test('a start that takes long says what may help', ONCE, async ({ page, app }) => {
  await page.route('**/*.wasm', () => undefined);
  await page.goto(app.url);
  const late = page.getByText('This takes longer than usual.');
  await expect(late).toBeHidden();
  await late.evaluate((element) => element.getAnimations().forEach((animation) => animation.finish()));
  await expect(late).toBeVisible();
  await expect(page.getByRole('status')).toHaveText(/^Starting the kernel/);
});

test('a host without the sandbox’s worker is told at once which file is not there', async ({ page, complaints }) => {
  const host = await serveFolders({ folders: { '/assets/worker-sandbox': 'nothing', '/': 'dist' } });
  await page.goto(host.origin);
  await expect(page.getByRole('status')).toContainText(/The page could not start its worker.*worker-sandbox/);
  expect(complaints.splice(0).join()).toContain('worker-sandbox');
  await host.close();
});

test('a database deleted by another tab is filled again before the next record', async ({ page, app, context }) => {
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
});
