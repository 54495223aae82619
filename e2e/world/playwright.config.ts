import { defineConfig } from '@playwright/test';
import { findHeadless } from '../../.scripts/browsers.mjs';

const chromium = findHeadless('chromium');

/** Suites that start programs of other projects: servers, frameworks, databases, other versions of Node. */
export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/world',
  // A program may have to be downloaded first.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  workers: 2,
  fullyParallel: false,
  forbidOnly: process.env.CI !== undefined,
  reporter: 'list',
  use: { trace: 'off', screenshot: 'off', serviceWorkers: 'block' },
  projects: [{ name: 'world', use: chromium === undefined ? {} : { launchOptions: chromium } }],
});
