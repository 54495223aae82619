import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { type StaticHost, serveFolders } from './serve.ts';
import { ONCE } from './tags.ts';

let host: StaticHost;
test.beforeEach(async () => {
  host = await serveFolders({ folders: { '/sallyport/': 'dist', '/': 'web/examples/plain' } });
});
test.afterEach(() => host.close());

/** Arguments with a harmless beginning, many blanks, and the purpose of the call near their end. */
const LINE = `${'Thank you for your visit. '.repeat(30)}${' '.repeat(6000)}AND DELETE EVERYTHING${' '.repeat(400)}ok`;

async function askAbout(page: Page, line: string): Promise<Locator> {
  const scenario = JSON.parse(readFileSync('web/examples/plain/scenario.json', 'utf8'));
  scenario.capabilities[1].args.properties.line.maxLength = 100_000;
  scenario.script = [
    { next_step: { tool: 'bill.write', arguments: { line }, goal: 'write' } },
    { done: true, message: 'Written.' },
  ];
  await page.route('**/scenario.json', (route) => route.fulfill({ json: scenario }));
  await page.goto(`${host.origin}/`);
  const run = page.locator('sallyport-run');
  await run.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(run.getByRole('heading', { name: 'Approve bill.write?' })).toBeVisible({ timeout: 60_000 });
  return run;
}

test(
  'a question says how much of long arguments is hidden, and takes no approval before their end was shown',
  ONCE,
  async ({ page }) => {
    const run = await askAbout(page, LINE);
    const card = run.locator('sallyport-question');
    const approve = card.getByRole('button', { name: 'Approve once' });
    const size = `{"line":"${LINE}"}`.length;
    await approve.scrollIntoViewIfNeeded();
    await expect(card.locator('.fold')).toContainText(
      `${size.toLocaleString('en')} characters, ${(size - 500).toLocaleString('en')} of them not shown.`,
    );
    await expect(card.locator('pre')).toHaveCount(2);
    await expect(card.locator('pre').last()).toContainText('ok"}');
    await expect(card.getByRole('button', { name: 'Deny' })).toHaveAttribute('aria-disabled', 'false');
    await expect(approve).toHaveAttribute('aria-disabled', 'true');
    await approve.click({ force: true });
    await expect(run.locator('[part=verdict]')).toHaveText('Waiting for approval');
    // By keyboard: the whole text is shown and has the focus, so that the keys scroll it.
    await card.getByRole('button', { name: 'Show all' }).focus();
    await page.keyboard.press('Enter');
    await expect(card.locator('pre')).toHaveCount(1);
    await expect(card.locator('pre')).toBeFocused();
    expect(await card.locator('pre').evaluate((pre) => pre.textContent)).toBe(`{"line":"${LINE}"}`);
    await expect(card.locator('[role=status]')).toContainText('Scroll to the end');
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    await expect(approve).toHaveAttribute('aria-disabled', 'true');
    await page.keyboard.press('End');
    await expect(card.locator('[role=status]')).toBeEmpty();
    await approve.scrollIntoViewIfNeeded();
    await expect(approve).toHaveAttribute('aria-disabled', 'false');
    await page.keyboard.press('Tab');
    await expect(card.getByRole('button', { name: 'Deny' })).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(card.getByRole('button', { name: 'Edit' })).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(approve).toBeFocused();
    await page.waitForTimeout(600);
    await page.keyboard.press('Enter');
    await expect(run.locator('[part=verdict]')).toHaveText('Completed');
  },
);

test('a question shows short arguments whole, and takes an approval without scrolling', ONCE, async ({ page }) => {
  const run = await askAbout(page, 'Everybody pays 21.15.');
  const card = run.locator('sallyport-question');
  await expect(card.locator('.fold')).toHaveCount(0);
  await expect(card.locator('pre')).toHaveText('{"line":"Everybody pays 21.15."}');
  const approve = card.getByRole('button', { name: 'Approve once' });
  await approve.scrollIntoViewIfNeeded();
  await expect(approve).toHaveAttribute('aria-disabled', 'false');
  await approve.click();
  await expect(run.locator('[part=verdict]')).toHaveText('Completed');
});
