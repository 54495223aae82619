import type { Page } from '@playwright/test';
import { expect, shared, solo, test } from './fixtures.ts';
import { abort, badge, finished, focused, goTo, open, receipts, row, rows } from './open.ts';
import { ONCE } from './tags.ts';

const RYE = 'How much rye do we have?';

/** Types another task for the next run, and stays in the field. */
async function typeTask(page: Page, task: string): Promise<void> {
  await page.getByText('Another task').click();
  await page.locator('#task').fill(task);
}

const task = (page: Page) => page.locator('sp-task p').first();

test.describe('an earlier run', () => {
  test('an earlier run is listed by its task, and shows its task when it is opened', ONCE, async ({ page, app }) => {
    await open(page, app.url);
    await typeTask(page, RYE);
    await page.locator('#step').click();
    await expect(receipts(page)).toHaveCount(1);
    await abort(page);
    await page.reload();
    await expect(badge(page)).toHaveText('Ready', { timeout: 30_000 });
    await expect(task(page)).toContainText('Marlow Mill');
    await page.locator('sp-runs summary').click();
    await expect(page.locator('sp-runs li button').first()).toContainText(RYE);
    await page.locator('sp-runs li button').first().click();
    await expect(badge(page)).toHaveText('Read only');
    await expect(task(page)).toHaveText(RYE);
  });
});

test.describe('the task of the next run', () => {
  shared('the first click after a task was typed still reaches its button', async ({ page }) => {
    await typeTask(page, RYE);
    await page.getByRole('radio', { name: 'You' }).click();
    await expect(page.getByRole('radio', { name: 'You' })).toBeChecked();
    await expect(task(page)).toHaveText(RYE);
  });

  shared('a step works on the typed task, also if the field still has the focus', ONCE, async ({ page }) => {
    await typeTask(page, RYE);
    await page.locator('#step').click();
    await expect(receipts(page)).toHaveCount(1);
    await row(page, /task/).first().click();
    await expect(page.locator('sp-explain')).toContainText(RYE);
  });

  shared('the page says that the script does not answer the typed task', ONCE, async ({ page }) => {
    await expect(page.locator('sp-composer .off-task')).toHaveCount(0);
    await typeTask(page, RYE);
    await page.locator('#task').blur();
    await expect(page.locator('sp-composer .off-task')).toContainText('does not answer this task');
    await page.locator('sp-composer #own-task').click();
    await expect(page.locator('sp-composer .off-task')).toHaveCount(0);
    await expect(task(page)).toContainText('Marlow Mill');
    await page.locator('#task').fill(RYE);
    await page.locator('#task').blur();
    await expect(page.locator('sp-composer .off-task')).toBeVisible();
    await page.locator('#step').click();
    await expect(receipts(page)).toHaveCount(1);
    await expect(page.locator('sp-composer .off-task')).toBeVisible();
    await expect(page.locator('sp-composer #own-task')).toHaveCount(0);
    await finished(page);
    await rows(page).last().click();
    await expect(page.locator('sp-explain')).toContainText('The script answered its own task');
    await page.locator('#new').click();
    await page.locator('sp-composer #be-you').click();
    await expect(page.locator('#draft')).toBeVisible();
  });
});

test.describe('a run', () => {
  shared('a run is not ended by Escape, and Abort ends it only after a question', ONCE, async ({ page }) => {
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(1);
    await page.keyboard.press('?');
    // The help is loaded with its first use: an earlier Escape would not close it.
    await expect(page.locator('sp-help').getByRole('dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.locator('sp-help').getByRole('dialog')).toBeHidden();
    await page.keyboard.press('Escape');
    await expect(badge(page)).toHaveText('Paused');
    await page.locator('#abort').click();
    await expect(page.getByRole('dialog', { name: 'End this run?' })).toBeVisible();
    await expect(page.locator('sp-abort #keep')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog', { name: 'End this run?' })).toBeHidden();
    await expect(badge(page)).toHaveText('Paused');
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(2);
    await abort(page);
  });

  shared('an export of a run is reported with its file name and size', ONCE, async ({ page }) => {
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(1);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.locator('sp-send #save').click();
    await expect(page.locator('sp-status [role=status]').first()).toHaveText(
      /^Saved [0-9a-f]{8}\.run\.jsonl, [\d.,]+ KB, with your downloads\.$/,
    );
  });

  shared('the status line speaks of the open lesson or of the audit', ONCE, async ({ page, app }) => {
    await page.goto(`${app.url}#/learn/1`);
    await expect(page.locator('sp-status')).toContainText('Lesson 1: A proposal is only text.', { timeout: 30_000 });
    await expect(page.locator('sp-status')).not.toContainText('Nothing has run yet');
    await goTo(page, 'Audit');
    await expect(page.locator('sp-status')).toContainText('Audit: no file is open.');
    await expect(page.locator('sp-status').getByRole('link', { name: 'Docs' })).toBeVisible();
  });
});

const GATES = ['parse', 'structure', 'form', 'capability', 'arguments', 'verdict', 'authorize', 'approve', 'execute'];

const SIZES = [
  ['the run on a wide screen', 1440, 900, ''],
  ['the run on a phone', 390, 844, ''],
  ['the run at 320 px', 320, 640, ''],
  ['the run at 200 % of 1280 px', 640, 360, ''],
  ['a lesson on a wide screen', 1440, 900, '#/learn/2'],
  ['a lesson on a phone', 390, 844, '#/learn/2'],
] as const;

// The width of a text depends on the engine.
shared('the run and a lesson name every gate at each width, and no name is cut or covers another', async ({ page }) => {
  for (const [what, width, height, hash] of SIZES) {
    await page.setViewportSize({ width, height });
    await page.evaluate((next) => void (location.hash = next), hash);
    const names = page.locator('sp-strip').first().locator('.name');
    await expect(names.first()).toBeVisible({ timeout: 30_000 });
    expect((await names.allTextContents()).slice(0, 9)).toEqual(GATES);
    const boxes = await names.evaluateAll((all) =>
      all.map((name) => {
        const range = document.createRange();
        range.selectNodeContents(name);
        const { left, right, top } = range.getBoundingClientRect();
        return { left, right, top, hidden: getComputedStyle(name).display === 'none' };
      }),
    );
    for (const [i, box] of boxes.entries()) {
      expect(box.hidden, what).toBe(false);
      expect(box.left, what).toBeGreaterThanOrEqual(0);
      expect(box.right, what).toBeLessThanOrEqual(width);
      const next = boxes[i + 1];
      if (next !== undefined && Math.abs(next.top - box.top) < 2) expect(next.left, what).toBeGreaterThan(box.right);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth), what).toBeLessThanOrEqual(width);
  }
});

solo('the layout does not shift when the page replaces its start text', ONCE, async ({ page, app }) => {
  await page.addInitScript(() => {
    const told = { shift: 0 };
    Object.assign(window, { told });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) told.shift += (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await open(page, app.url);
  await expect(rows(page)).toHaveCount(2);
  await expect.poll(() => focused(page)).toBe('button#step');
  // The browser reports a shift with the next frame.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  expect(await page.evaluate(() => (window as unknown as { told: { shift: number } }).told.shift)).toBeLessThan(0.02);
});

test('an address that changes while the kernel starts is followed when it has started', ONCE, async ({ page, app }) => {
  let start = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  await page.route(/worker-kernel-.*\.js$/, async (route) => {
    await started;
    await route.continue();
  });
  await page.goto(app.url);
  await expect(page.locator('sp-status')).toContainText('Starting the kernel');
  await page.evaluate(() => void (location.hash = '#v=capabilities&c=breakout'));
  await expect(page.locator('sp-bar [aria-current=page]')).toHaveText('Capabilities');
  start();
  await expect(page.locator('sp-breakout h1')).toBeVisible();
  expect(new URL(page.url()).hash).toBe('#v=capabilities&c=breakout');
});
