import { expect, shared } from './fixtures.ts';
import { receipts } from './open.ts';
import { ONCE } from './tags.ts';

shared('a person as the model takes a valid call from the list of capabilities', ONCE, async ({ page }) => {
  await page.getByRole('radio', { name: 'You' }).click();
  await page.locator('sp-tools summary').first().click();
  await expect(page.locator('sp-tools li').filter({ hasText: 'calc.eval' })).toContainText('allowed');
  await page.getByRole('button', { name: 'Use calc.eval' }).click();
  await page.locator('#draft').press('Control+Enter');
  await expect(receipts(page)).toHaveCount(1);
  await expect(receipts(page)).toContainText('success');
});

shared('an address opens the view that it names, and an unknown view is reported', ONCE, async ({ page, app }) => {
  await page.goto(`${app.url}#/audit`);
  await expect(page.locator('sp-audit')).toBeVisible({ timeout: 30_000 });
  await page.goto(`${app.url}#/nowhere`);
  await expect(page.locator('sp-status')).toContainText('no view called “nowhere”', { timeout: 30_000 });
});
