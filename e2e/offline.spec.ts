import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { headersFor, roleOf } from '../workers/lock/headers.ts';
import { expect, shared, test } from './fixtures.ts';
import { abort, approve, badge, goTo, open, receipts, runToQuestion } from './open.ts';
import { serveFolders } from './serve.ts';
import { CORE, ONCE } from './tags.ts';

test.use({ serviceWorkers: 'allow' });

const offline = (page: Page) => page.locator('sp-trust [data-offline]');
const withHeaders = (path: string) => headersFor(roleOf({ path }));

test('a run, its checks and the documentation work with the server gone', CORE, async ({ page }) => {
  const host = await serveFolders({ folders: { '/': 'dist' }, headers: withHeaders });
  await open(page, `${host.origin}/`);
  await expect(offline(page)).toHaveAttribute('data-offline', 'ready', { timeout: 30_000 });
  await host.close();
  await open(page, `${host.origin}/`);
  await runToQuestion(page);
  await approve(page);
  await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
  await expect(page.locator('sp-inspector')).toContainText('No check failed');
  await expect(page.locator('sp-trust .claim')).toHaveText('Kernel locked');
  await page.goto(`${host.origin}/docs/index.html`);
  await page.getByRole('searchbox', { name: 'Search' }).fill('codes duplicate_member');
  await page.locator('#found a').first().click();
  await expect(page.getByRole('table').first()).toContainText('duplicate_member');
});

test('a page from the service worker names no worker to load ahead', ONCE, async ({ page }) => {
  const host = await serveFolders({ folders: { '/': 'dist' }, headers: withHeaders });
  const ahead = page.locator('link[rel=modulepreload][href*="/worker-"]');
  await open(page, `${host.origin}/`);
  await expect(ahead).toHaveCount(2);
  await expect(offline(page)).toHaveAttribute('data-offline', 'ready', { timeout: 30_000 });
  await open(page, `${host.origin}/`);
  await expect(ahead).toHaveCount(0);
  await expect(page.locator('sp-trust .claim')).toHaveText('Kernel locked');
  await host.close();
});

test('a page from a host without headers has a locked kernel on its first visit', CORE, async ({ page }) => {
  const host = await serveFolders({ folders: { '/': 'dist' }, headers: () => ({}) });
  await open(page, `${host.origin}/`);
  await expect(page.locator('sp-trust .claim')).toHaveText('Kernel locked');
  expect(host.requests.filter((path) => path === '/')).toHaveLength(2); // The page, and its copy for later.
  await host.close();
});

test('a service worker takes control of a page that was loaded past it', ONCE, async ({ page, browserName }) => {
  const host = await serveFolders({ folders: { '/': 'dist' }, headers: withHeaders });
  await open(page, `${host.origin}/`);
  await expect(offline(page)).toHaveAttribute('data-offline', 'ready', { timeout: 30_000 });
  const loaded = page.waitForEvent('load');
  if (browserName === 'chromium') {
    const session = await page.context().newCDPSession(page);
    await session.send('Page.reload', { ignoreCache: true });
  } else {
    // The argument loads the page past its service worker; other browsers ignore it.
    await page.evaluate(() => (location.reload as (force: boolean) => void)(true));
  }
  await loaded;
  await expect(offline(page)).toHaveAttribute('data-offline', 'ready', { timeout: 30_000 });
  await host.close();
  await goTo(page, 'Learn');
  await expect(page.locator('sp-learn h1')).toBeVisible();
});

test('a new version waits for the end of the run, and until other tabs are closed', async ({ page, context }) => {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-site-'));
  await cp('dist', folder, { recursive: true });
  const host = await serveFolders({ folders: { '/': folder }, headers: withHeaders });
  await open(page, `${host.origin}/`);
  await expect(offline(page)).toHaveAttribute('data-offline', 'ready', { timeout: 30_000 });
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  const file = join(folder, 'service-worker.js');
  await writeFile(file, `${await readFile(file, 'utf8')}\n// a later build`);
  await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
  await expect(offline(page)).toHaveAttribute('data-offline', 'update', { timeout: 30_000 });
  await page.locator('sp-trust .meter').click();
  const use = page.locator('sp-trust').getByRole('button', { name: 'Use the new version' });
  await expect(use).toBeDisabled();
  await page.keyboard.press('Escape');
  await abort(page);
  const other = await context.newPage();
  await other.goto(`${host.origin}/docs/index.html`);
  await page.bringToFront();
  await page.locator('sp-trust .meter').click();
  await use.click();
  await expect(page.locator('sp-trust').getByText('Close the other tabs')).toBeVisible();
  await other.close();
  await use.click();
  await expect(offline(page)).toHaveAttribute('data-offline', 'ready', { timeout: 30_000 });
  await host.close();
  await rm(folder, { recursive: true });
});

shared('the web app manifest has a start address, and each icon has its stated size', ONCE, async ({ page, app }) => {
  const href = (await page.locator('link[rel=manifest]').getAttribute('href')) ?? '';
  const manifest = (await (await fetch(new URL(href, app.url))).json()) as {
    readonly start_url: string;
    readonly icons: readonly { readonly src: string; readonly sizes: string }[];
  };
  expect(manifest.start_url).toBe('./');
  for (const { src, sizes } of manifest.icons) {
    const png = Buffer.from(await (await fetch(new URL(src, app.url))).arrayBuffer());
    expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`, src).toBe(sizes);
  }
});
