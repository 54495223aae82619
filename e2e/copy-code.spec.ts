import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copied, dialog } from './copied.ts';
import { expect, test } from './fixtures.ts';
import { open, propose, receipts } from './open.ts';
import { keepSaved, saved } from './saved.ts';
import { serveFolders } from './serve.ts';
import { ONCE } from './tags.ts';

test(
  'a page is embedded as it was copied: it runs the scenario, asks a person, and stops the attack',
  ONCE,
  async ({ page, app }) => {
    await open(page, `${app.url}#/scenario/shop`);
    await page.locator('#named-start').click();
    await expect(page.locator('sp-named')).toHaveCount(0);
    await page.getByRole('button', { name: 'Embed this' }).click();
    const files = await copied(page);
    expect([...files.keys()]).toEqual(['index.html', 'scenario.json']);
    await expect(dialog(page).locator('#headers')).toContainText("script-src 'wasm-unsafe-eval'");
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-embed-'));
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    const host = await serveFolders({ folders: { '/sallyport/': 'dist', '/': folder } });
    await page.goto(`${host.origin}/`);
    const element = page.locator('sallyport-run');
    await expect(element).toContainText('two of the mugs arrived broken');
    await element.getByRole('button', { name: 'Run' }).click();
    await expect(element.getByRole('heading', { name: 'Approve refund.issue?' })).toBeVisible();
    await expect(element.locator('[part=meter]')).toHaveAttribute('data-isolation', 'locked');
    await expect(element.locator('[part=record]').filter({ hasText: 'grant_constraint' }).first()).toBeVisible();
    const approve = element.getByRole('button', { name: 'Approve once' });
    await expect(approve).toHaveAttribute('aria-disabled', 'false');
    await approve.click();
    await expect(element.locator('[part=verdict]')).toHaveText('Completed');
    await host.close();
    rmSync(folder, { recursive: true });
  },
);

test(
  'the copied code follows the task, the proposer and the wire form, and is copied and saved',
  ONCE,
  async ({ page, app, context, browserName }) => {
    if (browserName === 'chromium') await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page, app.url);
    await page.getByRole('button', { name: 'Copy as code' }).click();
    expect((await copied(page)).get('agent.mjs')).toContain(
      "import { fromScript, openRuntime } from 'sallyport/node';",
    );
    await dialog(page).getByRole('button', { name: 'Copy agent.mjs' }).click();
    await expect(dialog(page).getByRole('status')).not.toBeEmpty();
    await keepSaved(page);
    await dialog(page).getByRole('button', { name: 'Save agent.mjs' }).click();
    expect(await saved(page)).toContain("from 'sallyport/node';");
    expect(await page.evaluate(() => (window as { savedAs?: string }).savedAs)).toBe('agent.mjs');
    await page.keyboard.press('Escape');

    // The budgets of the new run come above the button: a click that they overtake would miss it.
    const budgets = page.getByRole('heading', { name: /^Budgets/ });
    await page.getByRole('radio', { name: 'Catalytic' }).check();
    await expect(budgets).toBeVisible();
    await page.getByRole('button', { name: 'Copy as code' }).click();
    await expect(dialog(page).locator('pre')).toContainText("dialect: 'catalytic'");
    expect((await copied(page)).get('agent.mjs')).toContain('runtime.content.define(');
    await page.keyboard.press('Escape');

    await page.getByRole('radio', { name: 'XCT' }).check();
    await expect(budgets).toHaveCount(0);
    await page.getByText('Another task').click();
    await page.getByLabel('What the model is asked').fill('How `much` rye?');
    await page.getByLabel('What the model is asked').blur();
    await page.getByRole('radio', { name: 'You' }).check();
    await page.getByRole('button', { name: 'Copy as code' }).click();
    await expect(dialog(page).locator('pre')).toContainText("task: 'How `much` rye?'");
    expect((await copied(page)).get('agent.mjs')).toContain('fromPerson');
    await page.keyboard.press('Escape');
    await propose(page, '{"done":true,"message":"m"}');
    await expect(receipts(page)).toHaveCount(1);
  },
);
