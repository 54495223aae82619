import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { focused } from './open.ts';

/** Walks on with Tab until this is in focus; a trap on the way would keep it from ever getting there. */
async function tabTo(page: Page, wanted: string): Promise<void> {
  const way: string[] = [];
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab');
    const at = await focused(page);
    if (at === wanted) return;
    way.push(at);
  }
  throw new Error(`Tab never came to ${wanted}, only to ${way.join(' ')}`);
}

test('a lesson is done with the keyboard alone', async ({ page, app }) => {
  await page.goto(`${app.url}#/learn/1`);
  await expect(page.locator('sp-bench .held')).toBeVisible({ timeout: 30_000 });
  await tabTo(page, 'input#');
  await page.keyboard.press('ArrowDown');
  await tabTo(page, 'textarea#draft');
  await page.keyboard.press('Control+Enter');
  await expect(page.locator('sp-lesson .tasks .done')).toHaveCount(1, { timeout: 30_000 });
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await tabTo(page, 'button#send');
  await page.keyboard.press('Enter');
  await expect(page.locator('sp-lesson .solved')).toBeVisible({ timeout: 30_000 });
});

test('Tab leads through the editors of the workshop and out again', async ({ page, app }) => {
  await page.goto(`${app.url}#v=capabilities&c=workshop`);
  await expect(page.locator('sp-code#sample .cm-content')).toBeVisible({ timeout: 30_000 });
  await tabTo(page, 'input#name');
  await tabTo(page, 'button#try');
  await page.keyboard.press('Enter');
  await expect(page.locator('sp-tryout .results')).toContainText('It answered.', { timeout: 30_000 });
});
