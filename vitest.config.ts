import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { FIREFOX_CONTEXT, findBrowser } from './.scripts/browsers.mjs';

/** Tests of the repository itself read its files, which only Node can. */
const ABOUT_FILES = ['test/architecture.test.ts', 'test/readme.test.ts'];

const chromium = findBrowser('chromium');
const firefox = findBrowser('firefox');

/**
 * `*.test.ts` runs in Node and in every browser, `*.node.ts` in Node only, `*.browser.ts` in browsers only.
 */
export default defineConfig({
  test: {
    testTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: { name: 'node', include: ['test/**/*.{test,node}.ts'] },
      },
      {
        extends: true,
        optimizeDeps: {
          include: ['fast-check', 'comlink', 'idb', 'quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync'],
        },
        test: {
          name: 'browser',
          include: ['test/**/*.{test,browser}.ts'],
          exclude: ABOUT_FILES,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            instances: [
              ...(chromium
                ? [{ browser: 'chromium' as const, provider: playwright({ launchOptions: chromium }) }]
                : []),
              ...(firefox
                ? [
                    {
                      browser: 'firefox' as const,
                      provider: playwright({ launchOptions: firefox, contextOptions: FIREFOX_CONTEXT }),
                    },
                  ]
                : []),
            ],
          },
        },
      },
    ],
  },
});
