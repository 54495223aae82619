import { findBrowser } from '../.scripts/browsers.mjs';
import type { Playground } from '../web/playground/playground.ts';
import { expect, test } from './fixtures.ts';
import { approve, badge, open, receipts, runToQuestion } from './open.ts';
import { ONCE } from './tags.ts';

test.describe('a page without network', () => {
  // The browser reports failed requests on the console.
  test.use({ complaining: true });

  // The page has no service worker here, so it has only the files that it has loaded.
  test(
    'a run needs no network after the first load, and its checks can wait',
    ONCE,
    async ({ page, app, context, complaints }) => {
      const failed = new Set<string>();
      page.on('requestfailed', (request) => failed.add(new URL(request.url()).pathname.replace(/-[\w-]{8}\.js$/, '')));
      await open(page, app.url);
      await context.setOffline(true);
      await runToQuestion(page);
      await approve(page);
      await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
      await expect(page.locator('sp-inspector')).toContainText('could not be verified');
      await context.setOffline(false);
      await page.getByRole('button', { name: 'Verify this run' }).click();
      await expect(page.locator('sp-inspector')).toContainText('No check failed');
      // The worker of the checks is the only file that was asked for, and the only reason to complain.
      expect([...failed]).toEqual(['/assets/worker-auditor']);
      expect(complaints.filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
    },
  );
});

/** What the kernel is without, and the words in which the page gives the reason. */
const WITHOUT = {
  'has no IndexedDB': {
    without: 'Object.defineProperty(self, "indexedDB", { value: undefined });',
    reason: 'This browser gives the page no IndexedDB',
  },
  // The denials of Firefox and of Chromium together, if a person lets no site keep data.
  'lets no site keep data': {
    without: `
    const denied = () => { throw new DOMException('denied', 'SecurityError'); };
    IDBFactory.prototype.open = denied;
    CacheStorage.prototype.open = LockManager.prototype.request = LockManager.prototype.query = async () => denied();
    self.BroadcastChannel = function () { denied(); };`,
    reason: 'This browser denies the page its storage: denied',
  },
};

for (const [what, { without, reason }] of Object.entries(WITHOUT)) {
  test(`the page in a browser that ${what} says so, and keeps runs in memory`, ONCE, async ({ page, app }) => {
    await page.route(/worker-kernel-.*\.js$/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `${without}\n${await response.text()}` });
    });
    await open(page, app.url);
    await expect(page.locator('sp-app')).toContainText('memory only');
    await expect(page.locator('#facts')).toContainText(`Export the runs that you must not lose. ${reason}`);
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(1);
    await page.reload();
    await expect(badge(page)).toHaveText('Ready', { timeout: 30_000 });
    await expect(receipts(page)).toHaveCount(0);
  });
}

/** What a private window of each engine gives to a page. A context of Playwright in Chromium is a private window. */
const PRIVATE = {
  chromium: { kind: 'indexeddb', mirror: 'opfs', files: 'given' },
  firefox: { kind: 'indexeddb', mirror: 'none', files: 'denied' },
};

test('a private window keeps runs, and says whether it has private files', async ({
  playwright,
  browser,
  app,
}, info) => {
  const isFirefox = browser.browserType().name() === 'firefox';
  const context = isFirefox
    ? await playwright.firefox.launchPersistentContext(info.outputPath('profile'), {
        ...findBrowser('firefox'),
        firefoxUserPrefs: { 'browser.privatebrowsing.autostart': true },
      })
    : await browser.newContext();
  const page = await context.newPage();
  await open(page, app.url);
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  const found = await page.evaluate(async () => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    const { kind, mirror } = await store.runtime.storage.status();
    const files = await navigator.storage.getDirectory().then(
      () => 'given',
      () => 'denied',
    );
    return { kind, mirror, files };
  });
  expect(found).toEqual(PRIVATE[isFirefox ? 'firefox' : 'chromium']);
  await context.close();
});
