import { expect, test } from './fixtures.ts';
import { finish, open, receipts, rows } from './open.ts';

test('words are found in what records hold, and a filter that finds nothing offers others', async ({ page, app }) => {
  await open(page, app.url);
  await finish(page);
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
});

test('who is the model sees the tools, and takes a call that is valid', async ({ page, app }) => {
  await open(page, app.url);
  await page.getByRole('radio', { name: 'You' }).click();
  await page.locator('sp-tools summary').first().click();
  await expect(page.locator('sp-tools li').filter({ hasText: 'calc.eval' })).toContainText('allowed');
  await page.getByRole('button', { name: 'Use calc.eval' }).click();
  await page.locator('#draft').press('Control+Enter');
  await expect(receipts(page)).toHaveCount(1);
  await expect(receipts(page)).toContainText('success');
});

test('an address names a view, and one that names nothing says so', async ({ page, app }) => {
  await page.goto(`${app.url}#/audit`);
  await expect(page.locator('sp-audit')).toBeVisible({ timeout: 30_000 });
  await page.goto(`${app.url}#/nowhere`);
  await expect(page.locator('sp-status')).toContainText('nothing called “nowhere”', { timeout: 30_000 });
});

test('times of a record are local dates, with the recorded number beside them', async ({ page, app }) => {
  await open(page, app.url);
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  await page.getByRole('tab', { name: 'Receipt' }).click();
  await expect(page.locator('sp-fields time').first()).toHaveText(/\d{4}/);
  await expect(page.locator('sp-fields')).toContainText(/\d{13}/);
});
