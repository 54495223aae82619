import { expect, test } from './fixtures.ts';
import { open, receipts, rows } from './open.ts';

test('a printed run has its records, and none of the buttons', async ({ page, app }) => {
  await open(page, app.url);
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  await page.emulateMedia({ media: 'print' });
  expect(await page.evaluate(() => matchMedia('print').matches)).toBe(true);
  await expect(rows(page).last()).toBeVisible();
  await expect(page.locator('sp-inspector')).toContainText('receipt');
  await expect(page.getByRole('button')).toHaveCount(0);
});
