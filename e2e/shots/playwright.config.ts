import { defineConfig } from '@playwright/test';
import { findHeadless } from '../../.scripts/browsers.mjs';

const chromium = findHeadless('chromium');
if (chromium === undefined) throw new Error('Pictures need Chromium. `node .scripts/install.mjs` installs it.');

/** Pictures of every page, for eyes: `npm run docs -- shots`. */
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
