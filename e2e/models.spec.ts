import { closeSync, copyFileSync, ftruncateSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { headersFor, roleOf } from '../workers/lock/headers.ts';
import { expect, solo, test } from './fixtures.ts';
import { badge, open, receipts } from './open.ts';
import { serveFolders } from './serve.ts';
import { ONCE } from './tags.ts';

const TINY = 'test/fixtures/tiny-model/tiny-q8_0.gguf';
const NAME = 'tiny-q8_0.gguf';

const model = (page: Page) => page.getByRole('radio', { name: 'Model', exact: true });
const trouble = (page: Page) => page.locator('sp-gguf [role=status]');
const row = (page: Page, name = NAME) => page.getByRole('listitem').filter({ hasText: name });

async function choose(page: Page, word: string): Promise<void> {
  await model(page).check();
  await page.getByRole('radio', { name: word }).check();
}

async function pick(page: Page, file: string | { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  await page.locator('sp-gguf input[type=file]').setInputFiles(file);
}

/** Asks for a single proposal, and waits for its receipt. */
async function ask(page: Page, task: string): Promise<void> {
  await page.getByLabel('A task for it').fill(task);
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(receipts(page).first()).toBeVisible({ timeout: 60_000 });
}

test.describe('a GGUF file on this device', () => {
  test('a person picks a GGUF file, it proposes in this page, and no request is made for it before', async ({
    page,
    app,
  }) => {
    await open(page, app.url);
    expect(app.requests.filter((each) => /wllama|worker-model/.test(each))).toEqual([]);
    await choose(page, 'A GGUF file on this device');
    await pick(page, TINY);
    await expect(row(page)).toContainText('Loaded', { timeout: 60_000 });
    await expect(page.locator('sp-models .which')).toContainText('on this device, in 1 thread');
    const loaded = app.requests.length;
    await ask(page, 'what is 12 plus 30?');
    await expect(page.locator('sp-said li').first()).toContainText('"next_step"');
    await expect(page.locator('sp-models .which')).toContainText(/written, [\d.,]+ tokens a second/);
    expect(app.requests.slice(loaded).filter((each) => /wllama|worker-model/.test(each))).toEqual([]);
    await expect(page.locator('sp-trust .meter')).toContainText('0 requests elsewhere');
  });

  test('a file that is cut, too large or no GGUF is refused in words, and not kept', async ({ page, app }) => {
    await open(page, app.url);
    await choose(page, 'A GGUF file on this device');
    await pick(page, { name: 'letter.gguf', mimeType: '', buffer: Buffer.from('Dear model') });
    await expect(trouble(page)).toContainText('no model in the GGUF format');
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-gguf-'));
    const sized = (name: string, bytes: number): string => {
      const path = join(folder, name);
      copyFileSync(TINY, path);
      const file = openSync(path, 'r+');
      ftruncateSync(file, bytes);
      closeSync(file);
      return path;
    };
    await pick(page, sized('cut.gguf', 200_000));
    await expect(trouble(page)).toContainText('it has 200 KB of 280 KB. Download it again.');
    await pick(page, sized('huge.gguf', 4.2e9));
    await expect(trouble(page)).toContainText('needs 4.4 GB of memory');
    await expect(page.getByRole('list', { name: 'Models on this device' })).toHaveCount(0);
    rmSync(folder, { recursive: true });
  });
});

solo('a file for which the browser has no room is refused before it is copied', ONCE, async ({ page, app }) => {
  await page.addInitScript(() => {
    StorageManager.prototype.estimate = () => Promise.resolve({ quota: 1_000_000, usage: 900_000 });
  });
  await open(page, app.url);
  await choose(page, 'A GGUF file on this device');
  await pick(page, TINY);
  await expect(trouble(page)).toContainText('has 280 KB, and the browser has 100 KB left for this page');
  await expect(page.getByRole('list', { name: 'Models on this device' })).toHaveCount(0);
});

solo.describe('a page with its service worker', () => {
  solo.use({ serviceWorkers: 'allow' });

  solo('a kept model answers after a reload with the server gone, and can be removed', async ({ page }) => {
    const host = await serveFolders({ folders: { '/': 'dist' }, headers: (path) => headersFor(roleOf({ path })) });
    const offline = page.locator('sp-trust [data-offline]');
    await open(page, `${host.origin}/`);
    await expect(offline).toHaveAttribute('data-offline', 'ready', { timeout: 30_000 });
    expect(host.requests.filter((path) => /wllama|worker-model/.test(path))).toEqual([]);
    await choose(page, 'A GGUF file on this device');
    await pick(page, TINY);
    await expect(row(page)).toContainText('Loaded', { timeout: 60_000 });
    await host.close();
    await open(page, `${host.origin}/`);
    await model(page).check();
    await expect(page.getByRole('radio', { name: 'A GGUF file on this device' })).toBeChecked();
    await page.getByRole('button', { name: `Load ${NAME}` }).click();
    await expect(row(page)).toContainText('Loaded', { timeout: 60_000 });
    await ask(page, 'what is 12 plus 30?');
    await page.getByRole('button', { name: `Remove ${NAME}…` }).click();
    await expect(page.getByText('Its 280 KB are freed')).toBeVisible();
    await page.getByRole('button', { name: 'Leave it' }).click();
    await expect(row(page)).toContainText('Loaded');
    await page.getByRole('button', { name: `Remove ${NAME}…` }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await expect(row(page)).toHaveCount(0);
    await expect(page.locator('sp-models .which')).toHaveCount(0);
  });
});

solo('a page that is isolated from other origins gives the engine threads', async ({ page }) => {
  const isolated = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
  const headers = (path: string) => ({ ...headersFor(roleOf({ path })), ...isolated });
  const host = await serveFolders({ folders: { '/': 'dist' }, headers });
  await page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { get: () => 4 });
  });
  await open(page, `${host.origin}/`);
  await choose(page, 'A GGUF file on this device');
  await pick(page, TINY);
  await expect(row(page)).toContainText('Loaded', { timeout: 60_000 });
  await expect(page.locator('sp-models .which')).toContainText('in 2 threads');
  await ask(page, 'what is 12 plus 30?');
  await host.close();
});

test('a run without a ready model says so, and makes no step', ONCE, async ({ page, app }) => {
  await open(page, app.url);
  await choose(page, 'A GGUF file on this device');
  await page.locator('#step').click();
  await expect(page.locator('sp-status')).toContainText('this run has no model that is ready');
  await expect(receipts(page)).toHaveCount(0);
  await expect(badge(page)).toHaveText('Ready');
});
