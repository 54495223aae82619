import { defineConfig } from '@playwright/test';
import { FIREFOX_CONTEXT, findBrowser } from '../.scripts/browsers.mjs';

const chromium = findBrowser('chromium');
const firefox = findBrowser('firefox');
const results = process.env.SALLYPORT_RESULTS;

/** The built playground in real browsers. `fixtures.ts` serves it; `npm run e2e` builds it first. */
export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  timeout: 60_000,
  workers: 2,
  fullyParallel: false,
  forbidOnly: process.env.CI !== undefined,
  reporter: results === undefined ? 'list' : [['list'], ['json', { outputFile: results }]],
  use: { trace: 'off', screenshot: 'off' },
  projects: [
    ...(chromium ? [{ name: 'chromium', use: { browserName: 'chromium' as const, launchOptions: chromium } }] : []),
    ...(firefox
      ? [
          {
            name: 'firefox',
            use: {
              browserName: 'firefox' as const,
              ...(firefox.channel === undefined ? {} : { channel: firefox.channel }),
              launchOptions: firefox,
              contextOptions: FIREFOX_CONTEXT,
            },
          },
        ]
      : []),
  ],
});
