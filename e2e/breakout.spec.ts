import { verifyExport } from '../core/index.ts';
import { expect, shared } from './fixtures.ts';
import { keepSaved, saved } from './saved.ts';
import { ONCE } from './tags.ts';

shared('the sandbox stops every attack, the page stays responsive, and the ledger verifies', async ({ page, app }) => {
  await keepSaved(page);
  await page.goto(`${app.url}#v=capabilities&c=breakout`);
  const attacks = page.locator('sp-breakout .list button');
  await page.locator('sp-breakout #all').click({ timeout: 30_000 });
  await expect(page.locator('sp-breakout #cancel')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Run all 35' })).toBeVisible({ timeout: 50_000 });
  await expect(page.locator('sp-breakout .score')).toContainText('0 of 35 attempts left the sandbox');
  await expect(attacks.filter({ hasText: ', held' })).toHaveCount(35);

  await attacks.filter({ hasText: 'Hang in native code' }).click();
  await expect(page.locator('sp-breakout article')).toContainText('hang_killed');
  await expect(page.locator('sp-breakout article')).toContainText('went through, on a fresh heap');

  await page.getByRole('button', { name: 'Save the ledger' }).click();
  const file = await saved(page);
  expect(verifyExport(file)).toMatchObject({ ok: true });
  expect(file.match(/"kind":"receipt"/g)).toHaveLength(70);
});

shared(
  'a published repository is played in three ways: the secret gets out with the guard off alone',
  ONCE,
  async ({ page, app }) => {
    await page.goto(`${app.url}#v=capabilities&c=breakout`);
    await page.locator('sp-breakout .list button').filter({ hasText: 'published a private repository' }).click();
    await page.locator('#play').click({ timeout: 30_000 });
    const way = (name: string) => page.locator(`sp-breakout [data-way=${name}]`);
    await expect(way('off')).toContainText('The secret has reached: the public repository.', { timeout: 30_000 });
    await expect(way('on')).toContainText('The secret has reached no place outside.', { timeout: 30_000 });
    await expect(way('on')).toContainText('stopped: approval_denied');
    await expect(way('held')).toContainText('The model has not read the order of the attacker.', { timeout: 30_000 });
  },
);

shared('a person calls the attacks off, and tries an attack again', ONCE, async ({ page, app }) => {
  await page.goto(`${app.url}#v=capabilities&c=breakout`);
  await page.locator('sp-breakout #all').click({ timeout: 30_000 });
  await page.locator('sp-breakout #cancel').click();
  await expect(page.locator('sp-breakout #all')).toBeVisible({ timeout: 30_000 });
  await page.locator('sp-breakout .list button').filter({ hasText: 'Climb the constructors' }).click();
  await page.locator('#one').click();
  await expect(page.locator('sp-breakout .headline')).toContainText('reached no forbidden name', { timeout: 30_000 });
  await page.locator('#one').click();
  await expect(page.locator('sp-breakout article')).toContainText('went through', { timeout: 30_000 });
});
