import type { Page } from '@playwright/test';
import { headersFor, roleOf } from '../workers/lock/headers.ts';
import { expect, test } from './fixtures.ts';
import { open } from './open.ts';
import { serveFolders } from './serve.ts';
import { ONCE } from './tags.ts';

test.use({ serviceWorkers: 'allow' });

const offline = (page: Page) => page.locator('sp-trust [data-offline]');
const withHeaders = (path: string) => headersFor(roleOf({ path }));

/** In a page, as any script of the origin can: alters the cached copy of the page's script. */
async function poison(): Promise<string> {
  const name = (await caches.keys()).find((each) => each.startsWith('sallyport-files-')) ?? '';
  const cache = await caches.open(name);
  const key = (await cache.keys()).find(({ url }) => /\/assets\/index-[^/]*\.js$/.test(url));
  if (key === undefined) throw new Error('The cache holds no script of the page.');
  const was = await (await cache.match(key))?.text();
  const headers = { 'content-type': 'text/javascript', refresh: '0; url=/leak' };
  await cache.put(key, new Response(`document.documentElement.dataset.evil = '1';\n${was}`, { headers }));
  return key.url;
}

test('an altered file in the cache is not served, but dropped and fetched anew', async ({ page }) => {
  const host = await serveFolders({ folders: { '/': 'dist' }, headers: withHeaders });
  await open(page, `${host.origin}/`);
  await expect(offline(page)).toHaveAttribute('data-offline', 'ready', { timeout: 30_000 });
  const url = await page.evaluate(poison);
  const before = host.requests.length;
  await open(page, `${host.origin}/`);
  expect(await page.evaluate(() => document.documentElement.dataset['evil'])).toBeUndefined();
  expect(host.requests.slice(before)).toContain(new URL(url).pathname);
  // The fetched file took its place, and is served with the server gone.
  await host.close();
  await open(page, `${host.origin}/`);
  expect(await page.evaluate(() => document.documentElement.dataset['evil'])).toBeUndefined();
});

/** In a page, as any script of the origin can: gives the cached copies of the page and its script another type. */
async function retype(): Promise<void> {
  const name = (await caches.keys()).find((each) => each.startsWith('sallyport-files-')) ?? '';
  const cache = await caches.open(name);
  const keys = (await cache.keys()).filter(({ url }) => /\/(?:assets\/index-[^/]*\.js)?$/.test(url));
  for (const key of keys) {
    const bytes = await (await cache.match(key))?.arrayBuffer();
    await cache.put(key, new Response(bytes, { headers: { 'content-type': 'text/plain' } }));
  }
}

test('a file in the cache that was given another type is served with its own', ONCE, async ({ page }) => {
  const host = await serveFolders({ folders: { '/': 'dist' }, headers: withHeaders });
  await open(page, `${host.origin}/`);
  await expect(offline(page)).toHaveAttribute('data-offline', 'ready', { timeout: 30_000 });
  await page.evaluate(retype);
  await host.close();
  await open(page, `${host.origin}/`);
  await expect(offline(page)).toHaveAttribute('data-offline', 'ready', { timeout: 30_000 });
});

// Only Chromium lets a test set the quota.
test('a file that the device has no room for is served all the same', ONCE, async ({ page, context, browserName }) => {
  test.skip(browserName !== 'chromium');
  const host = await serveFolders({ folders: { '/': 'dist' }, headers: withHeaders });
  await open(page, `${host.origin}/`);
  await expect(offline(page)).toHaveAttribute('data-offline', 'ready', { timeout: 30_000 });
  const devtools = await context.newCDPSession(page);
  await devtools.send('Storage.overrideQuotaForOrigin', { origin: host.origin, quotaSize: 1_000 });
  const served = await page.evaluate(async () => {
    const name = (await caches.keys()).find((each) => each.startsWith('sallyport-files-')) ?? '';
    const cache = await caches.open(name);
    const key = (await cache.keys()).find(({ url }) => url.endsWith('.css'));
    if (key === undefined) throw new Error('The cache holds no style.');
    await cache.delete(key);
    const kept = await cache.put('/probe', new Response('x'.repeat(10_000))).then(() => 'kept', String);
    const answer = await fetch(key.url).then(({ status, headers }) => [status, headers.get('content-type')], String);
    return { kept, answer };
  });
  expect(served).toEqual({ kept: expect.stringContaining('Quota'), answer: [200, 'text/css; charset=utf-8'] });
  await host.close();
});

test.describe('with the server gone', () => {
  // The browser complains of the script that is not served.
  test.use({ complaining: true });

  test('an altered file in the cache is not served with the server gone', ONCE, async ({ page }) => {
    const host = await serveFolders({ folders: { '/': 'dist' }, headers: withHeaders });
    await open(page, `${host.origin}/`);
    await expect(offline(page)).toHaveAttribute('data-offline', 'ready', { timeout: 30_000 });
    const url = await page.evaluate(poison);
    await host.close();
    const served = await page.evaluate((address) => fetch(address).then((each) => each.text(), String), url);
    expect(served).not.toContain('dataset.evil');
  });
});

test('a service worker that takes over turns navigation preload off, and resets its header', async ({ page }) => {
  const host = await serveFolders({ folders: { '/': 'dist' }, headers: () => ({}) });
  // A page without a policy and without a service worker.
  await page.goto(`${host.origin}/custom-elements.json`);
  const state = await page.evaluate(async () => {
    const take = async (url: string): Promise<ServiceWorkerRegistration> => {
      const registration = await navigator.serviceWorker.register(url);
      const worker = registration.installing ?? registration.waiting ?? registration.active;
      await new Promise<void>((done) => {
        if (worker?.state === 'activated') done();
        worker?.addEventListener('statechange', () => worker.state === 'activated' && done());
      });
      return registration;
    };
    const first = await take('/service-worker.js');
    await first.navigationPreload.enable();
    await first.navigationPreload.setHeaderValue('secret');
    return (await take('/service-worker.js?later')).navigationPreload.getState();
  });
  expect(state).toEqual({ enabled: false, headerValue: 'true' });
  await host.close();
});
