import { expect, shared } from './fixtures.ts';
import { receipts, rows } from './open.ts';

shared('a printed run shows its records and no buttons', async ({ page }) => {
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  await page.emulateMedia({ media: 'print' });
  expect(await page.evaluate(() => matchMedia('print').matches)).toBe(true);
  await expect(rows(page).last()).toBeVisible();
  await expect(page.locator('sp-inspector')).toContainText('receipt');
  await expect(page.getByRole('button')).toHaveCount(0);
  const record = page.getByRole('region', { name: 'Record' });
  expect(await record.evaluate((place) => getComputedStyle(place).breakBefore)).toBe('page');
});
