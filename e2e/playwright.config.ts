import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { FIREFOX_CONTEXT, findHeadless } from '../.scripts/browsers.mjs';

const chromium = findHeadless('chromium');
const firefox = findHeadless('firefox');
/** True in `npm test`, which leaves the other stories to `test:long`. */
const isCore = process.env.SALLYPORT_STORIES === 'core';

/** Tests of Node, of compilers and of files: no browser. */
const PACKAGE = [
  '**/package-contents.spec.ts',
  '**/command.spec.ts',
  '**/docs-files.spec.ts',
  '**/session-kills.spec.ts',
];

/**
 * A single engine is enough for rules about markup and colour, and for answers to lessons; the driver of a stock
 * Firefox opens no profiles, names no processes of tabs, sets no quota, hands in no folders, and emulates neither print
 * nor colours.
 */
const CHROMIUM_ONLY = [
  '**/axe.spec.ts',
  '**/death.spec.ts',
  '**/folder.spec.ts',
  '**/frozen.spec.ts',
  '**/full.spec.ts',
  '**/lessons.spec.ts',
  '**/mcp-page.spec.ts',
  '**/passkeys.spec.ts',
  '**/loss.spec.ts',
  '**/print.spec.ts',
  '**/wcag.spec.ts',
];

/** The built playground in real browsers. `fixtures.ts` serves it; `npm run e2e` builds it first. */
export default defineConfig({
  testDir: '.',
  // e2e/world has a configuration of its own.
  testMatch: '**/e2e/*.spec.ts',
  outputDir: '../test-results',
  // Tests wait for conditions, and a loaded machine may be slow.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  // One worker for each core: with one more, the tests took the same time and 15 % more of the processor.
  workers: availableParallelism(),
  forbidOnly: process.env.CI !== undefined,
  reporter: 'list',
  // A service worker would answer intercepted requests; its own tests switch it on.
  use: { trace: 'off', screenshot: 'off', serviceWorkers: 'block' },
  projects: [
    // The kills of a session take long, and their fact is asked of the store in Node.
    { name: 'package', testMatch: PACKAGE, ...(isCore ? { testIgnore: '**/session-kills.spec.ts' } : {}) },
    ...(chromium
      ? [
          {
            name: 'chromium',
            testIgnore: PACKAGE,
            ...(isCore ? { grep: /@core/ } : {}),
            fullyParallel: true,
            use: { browserName: 'chromium' as const, launchOptions: chromium },
          },
        ]
      : []),
    ...(firefox
      ? [
          {
            name: 'firefox',
            testIgnore: [...CHROMIUM_ONLY, ...PACKAGE],
            // Tests marked with `ONCE` in `tags.ts` run in Chromium alone, if it is installed.
            ...(chromium
              ? { ...(isCore ? { grep: /@engines/ } : {}), grepInvert: /@once/ }
              : isCore
                ? { grep: /@core/ }
                : {}),
            fullyParallel: true,
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
