import { defineConfig } from '@playwright/test';
import { findHeadless } from '../../.scripts/browsers.mjs';

const chromium = findHeadless('chromium');
if (chromium === undefined) throw new Error('Pictures need Chromium. `npm run ready` installs it.');

/** Pictures of every page, for eyes: `npm run shots`. */
export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/shots',
  // A walk takes up to sixty pictures.
  timeout: 600_000,
  expect: { timeout: 30_000 },
  fullyParallel: true,
  reporter: 'list',
  use: { serviceWorkers: 'block', browserName: 'chromium', launchOptions: chromium },
});
