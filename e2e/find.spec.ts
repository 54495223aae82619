import { expect, shared } from './fixtures.ts';
import { finished, receipts, rows } from './open.ts';
import { ONCE } from './tags.ts';

shared(
  'the filter finds words in the texts of records, and suggests a status for a misspelt status',
  ONCE,
  async ({ page }) => {
    await finished(page);
    const all = await rows(page).count();
    await page.locator('#filter').fill('marlow');
    await expect.poll(() => rows(page).count()).toBeGreaterThan(5);
    expect(await rows(page).count()).toBeLessThan(all);
    for (const text of ['type:denied', 'status:denied']) {
      await page.locator('#filter').fill(text);
      await expect(rows(page)).toHaveCount(1);
    }
    await page.locator('#filter').fill('status:denyed');
    await page.getByRole('button', { name: 'status:denied' }).click();
    await expect(rows(page)).toHaveCount(1);
  },
);

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

shared('times of a record are local dates, with the recorded number beside them', ONCE, async ({ page }) => {
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  await page.getByRole('tab', { name: 'Receipt' }).click();
  await expect(page.locator('sp-fields time').first()).toHaveText(/\d{4}/);
  await expect(page.locator('sp-fields')).toContainText(/\d{13}/);
});
