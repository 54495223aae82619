import type { AddressInfo } from 'node:net';
import { test as base, type ConsoleMessage, expect } from '@playwright/test';
import { preview } from 'vite';
import { type Desk, openDesk } from './desk.ts';

/** The built playground as `npm start` serves it, on a port of its own. */
export interface App {
  readonly url: string;
  /** Every request the server has seen, in order, as `METHOD /path?query`. */
  readonly requests: readonly string[];
}

interface Fixtures {
  /** Complaints of the page: uncaught errors and console errors, CSP violations among them. Must stay empty. */
  readonly complaints: string[];
  /** True for a test that makes the page complain: its complaints are not checked. */
  readonly complaining: boolean;
}

interface WorkerFixtures {
  readonly app: App;
  readonly desk: Desk;
}

/** The kernel tries its own lock, and Firefox reports each blocked attempt as an error of the page. */
const SELF_TEST = 'data:text/event-stream';

/** A test with a browser context of its own: its storage is empty, and no page is loaded. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  app: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures are used from this pattern.
    async ({}, use) => {
      const server = await preview({ root: '.', logLevel: 'warn', preview: { port: 0, host: '127.0.0.1' } });
      const requests: string[] = [];
      server.httpServer.on('request', (request) => requests.push(`${request.method} ${request.url}`));
      const { port } = server.httpServer.address() as AddressInfo;
      await use({ url: `http://127.0.0.1:${port}/`, requests });
      await server.close();
    },
    { scope: 'worker' },
  ],
  desk: [
    async ({ browser, app }, use) => {
      const desk = openDesk(browser, app.url);
      await use(desk);
      await desk.close();
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

/** A test in the playground that its worker has booted: it begins with a fresh run at rest, as a first visit does. */
export const shared = test.extend({
  page: async ({ desk, contextOptions, browserName }, use) => {
    const page = await desk.begin(contextOptions);
    await use(page);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    if (browserName === 'chromium') await page.emulateMedia(PLAIN);
  },
});

export { expect };
