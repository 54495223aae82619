import { type BrowserContext, type ConsoleMessage, expect, type Page, test as plain } from '@playwright/test';
import { DESK_SIZE, type Desk, openDesk } from './desk.ts';
import { drawsFrames, noteReplaced } from './frames.ts';
import { forgetSaved } from './saved.ts';
import { type App, openSite, type Site } from './site.ts';

interface Fixtures {
  /** The playground at a port of the test: its origin has no data. */
  readonly app: App;
  /** Complaints of the page: uncaught errors and console errors, CSP violations among them. Must stay empty. */
  readonly complaints: string[];
  /** True for a test that makes the page complain: its complaints are not checked. */
  readonly complaining: boolean;
}

interface WorkerFixtures {
  readonly site: Site;
  /** The contexts of `test`: by whether they allow service workers. */
  readonly contexts: Map<string, BrowserContext>;
  readonly desk: Desk;
}

/** The kernel tries its own lock, and Firefox reports each blocked attempt as an error of the page. */
export const SELF_TEST = 'data:text/event-stream';

/**
 * A test with a browser context of its own: for a clock, or a script in later documents. The three kinds of tests have
 * the same worker fixtures, so that a worker runs all of them in a single browser.
 */
export const solo = plain.extend<Fixtures, WorkerFixtures>({
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures are used from this pattern.
    async ({}, use) => {
      const site = await openSite();
      await use(site);
      await site.close();
    },
    { scope: 'worker' },
  ],
  app: async ({ site }, use) => use(await site.open()),
  desk: [
    async ({ browser, site }, use) => {
      const desk = openDesk(browser, await site.open());
      await use(desk);
      await desk.close();
    },
    { scope: 'worker' },
  ],
  contexts: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures are used from this pattern.
    async ({}, use) => {
      const contexts = new Map<string, BrowserContext>();
      await use(contexts);
      for (const context of contexts.values()) await context.close();
    },
    { scope: 'worker' },
  ],
  complaining: [false, { option: true }],
  complaints: [
    async ({ page, complaining }, use) => {
      const complaints: string[] = [];
      const complain = (text: string) => void (text.includes(SELF_TEST) || complaints.push(text));
      const onError = (error: Error) => complain(error.message);
      const onConsole = (message: ConsoleMessage) => message.type() === 'error' && complain(message.text());
      page.on('pageerror', onError);
      page.on('console', onConsole);
      await use(complaints);
      page.off('pageerror', onError);
      page.off('console', onConsole);
      if (!complaining) expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});

const PLAIN = { media: null, colorScheme: 'light', reducedMotion: null, forcedColors: null, contrast: null } as const;

/** Removes the routes and media of a test from a page that other tests use, too. */
async function restore(page: Page, browserName: string): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await forgetSaved(page);
  if (browserName === 'chromium') await page.emulateMedia(PLAIN);
}

/**
 * Leaves the document of a test. Firefox reports a first navigation to `about:blank` as interrupted where it replaces
 * the process of the page on the way, as after the server of the page has gone.
 */
async function empty(page: Page): Promise<void> {
  try {
    await page.goto('about:blank');
  } catch (error) {
    if (!String(error).includes('interrupted by another navigation to "about:blank"')) throw error;
    await page.goto('about:blank');
  }
}

/** The first page of a context, in front; a new one where the browser draws no frames for it. */
async function usablePage(context: BrowserContext): Promise<Page> {
  const [page] = context.pages();
  if (page === undefined) return context.newPage();
  await page.bringToFront();
  if (await drawsFrames(page)) return page;
  noteReplaced(page);
  const next = await context.newPage();
  await page.close();
  return next;
}

/**
 * A test on an empty page of its worker. Its origin has no data, because its port is new. A page that is used again
 * boots in half the time, because its process has already compiled the engine.
 */
export const test = solo.extend({
  context: async ({ browser, contexts, contextOptions, serviceWorkers }, use) => {
    const workers = serviceWorkers ?? 'block';
    const open = () => browser.newContext({ ...contextOptions, serviceWorkers: workers, viewport: DESK_SIZE });
    const context = contexts.get(workers) ?? (await open());
    contexts.set(workers, context);
    await use(context);
    for (const other of context.pages().slice(1)) await other.close();
  },
  page: async ({ context, browserName }, use) => {
    const page = await usablePage(context);
    await page.setViewportSize(DESK_SIZE);
    await use(page);
    if (page.isClosed()) return;
    await restore(page, browserName);
    await empty(page);
  },
});

/** A test in the playground that its worker has booted: it begins with a fresh run at rest, as a first visit does. */
export const shared = solo.extend({
  app: async ({ desk }, use) => use(desk.app),
  page: async ({ desk, contextOptions, browserName }, use) => {
    const page = await desk.begin(contextOptions);
    await use(page);
    await restore(page, browserName);
  },
});

export { expect };
