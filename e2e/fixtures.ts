import type { AddressInfo } from 'node:net';
import { test as base, expect } from '@playwright/test';
import { preview } from 'vite';

/** The built playground as `npm start` serves it, on a port of its own. */
export interface App {
  readonly url: string;
  /** Every request the server has seen, in order, as `METHOD /path?query`. */
  readonly requests: readonly string[];
}

interface Fixtures {
  /** What the page complained of: uncaught errors and console errors, CSP violations among them. Must stay empty. */
  readonly complaints: string[];
  /** The test makes the page complain: what it says is not looked at. */
  readonly complaining: boolean;
}

/** The kernel tries its own lock, and Firefox reports what the lock stopped as an error of the page. */
const SELF_TEST = 'data:text/event-stream';

export const test = base.extend<Fixtures, { app: App }>({
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
  complaining: [false, { option: true }],
  complaints: [
    async ({ page, complaining }, use) => {
      const complaints: string[] = [];
      const complain = (text: string) => void (text.includes(SELF_TEST) || complaints.push(text));
      page.on('pageerror', (error) => complain(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') complain(message.text());
      });
      await use(complaints);
      if (!complaining) expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
