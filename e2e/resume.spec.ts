import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { findBrowser } from '../.scripts/browsers.mjs';
import { expect, test } from './fixtures.ts';
import { badge, open, receipts, rows, runToQuestion } from './open.ts';

const approve = async (page: Page): Promise<void> => {
  await expect(page.locator('#approve')).toHaveAttribute('aria-disabled', 'false');
  await page.locator('#approve').click();
};
const row = (page: Page, words: RegExp) => rows(page).filter({ hasText: words });

test('a question survives a reload, is put again, and its answer runs the call once', async ({ page, app }) => {
  await open(page, app.url);
  await runToQuestion(page);
  await page.reload();
  await expect(badge(page)).toHaveText('Waiting for approval', { timeout: 30_000 });
  await expect(row(page, /resumed/)).toHaveCount(1);
  await expect(page.locator('sp-approval')).toContainText('harbour-loaf-october');
  await approve(page);
  await page.keyboard.press('r');
  await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
  await expect(row(page, /starting/)).toHaveCount(1);
  await expect(page.locator('sp-inspector')).toContainText('No check failed');
});

test('a run between two steps goes on after a reload, with the script where it stood', async ({ page, app }) => {
  await open(page, app.url);
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  await page.reload();
  await expect(receipts(page)).toHaveCount(1, { timeout: 30_000 });
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(2);
});

test('a second tab takes a run of its own while the first one holds the run', async ({ page, app, context }) => {
  await open(page, app.url);
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  const other = await context.newPage();
  await open(other, app.url);
  await expect(badge(other)).toHaveText('Ready', { timeout: 30_000 });
  await expect(receipts(other)).toHaveCount(0);
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(2);
});

test('a question survives the death of the browser', async ({ playwright, app, browserName }) => {
  test.skip(browserName !== 'chromium', 'profiles of this Firefox cannot be opened by the driver');
  const profile = await mkdtemp(join(tmpdir(), 'sallyport-'));
  const launch = () => playwright.chromium.launchPersistentContext(profile, findBrowser('chromium') ?? {});
  const before = await launch();
  const page = await before.newPage();
  await open(page, app.url);
  await runToQuestion(page);
  // every process that names this profile, at once and without a word: as a crash or the system would
  execFileSync('pkill', ['-KILL', '-f', profile]);
  await before.close().catch(() => undefined);

  const after = await launch();
  const again = await after.newPage();
  await open(again, app.url);
  await expect(badge(again)).toHaveText('Waiting for approval', { timeout: 30_000 });
  await approve(again);
  await again.keyboard.press('r');
  await expect(badge(again)).toHaveText('Completed', { timeout: 30_000 });
  await expect(row(again, /starting/)).toHaveCount(1);
  await after.close();
  await rm(profile, { recursive: true, force: true });
});
