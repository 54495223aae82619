import type { Page } from '@playwright/test';
import { extend, formatExport, headAfter, NO_RECORDS, parseExport } from '../core/index.ts';
import type { Playground } from '../web/playground/playground.ts';
import { expect, shared, test } from './fixtures.ts';
import { badge, focused, open, propose, readToEnd, receipts, reload, row, rows, runToQuestion } from './open.ts';
import { ready } from './ready.ts';
import { ONCE } from './tags.ts';

const CALL = '{"next_step":{"tool":"calc.eval","arguments":{"expression":"6*7"},"goal":"g"}}';

test.describe('looking back', () => {
  shared('looking back shows the gates at a record, and leaves the run as it is', ONCE, async ({ page }) => {
    await propose(page, CALL);
    await expect(receipts(page)).toHaveCount(1);
    const slider = page.getByRole('slider', { name: 'Look back' });
    await slider.focus();
    await slider.press('Home');
    for (let i = 0; i < 3; i++) await slider.press('ArrowRight');
    await expect(page.locator('sp-inspector h2')).toContainText('Record 3');
    await expect(page.locator('sp-strip').first()).toContainText('verdict: passed');
    await expect(page.locator('sp-strip').first()).toContainText('receipt: ahead');
    await expect(badge(page)).toHaveText('Paused');
    await page.locator('#now').click();
    await expect(page.locator('sp-strip').first()).toContainText('receipt: passed');
    await expect(receipts(page)).toHaveCount(1);
  });

  shared('the selected record stays in sight when the filter is cleared', ONCE, async ({ page }) => {
    await runToQuestion(page);
    await page.locator('#filter').fill('status:denied');
    await rows(page).first().click();
    await page.locator('#filter').fill('');
    await expect(page.locator('sp-timeline .row[aria-selected="true"]')).toBeInViewport();
  });
});

test.describe('a fork', () => {
  shared('a fork repeats the earlier proposals in a new run, and stops before its step', ONCE, async ({ page }) => {
    for (const n of [1, 2, 3]) {
      await page.keyboard.press('s');
      await expect(receipts(page)).toHaveCount(n);
    }
    await page.locator('#fork').click();
    await expect(row(page, /configured/)).toContainText('playground');
    await expect(receipts(page)).toHaveCount(2);
    await expect(page.locator('#draft')).toHaveValue(/^Sure! Let me add those up/);
    await page.locator('#draft').fill(CALL);
    await page.locator('#draft').press('Control+Enter');
    await expect(receipts(page)).toHaveCount(3);
    await expect(page.locator('sp-explain .headline')).toContainText('Through every gate');
    await rows(page).first().click();
    await expect(page.locator('sp-explain')).toContainText(/forked from [0-9a-f]{8} before step 3/);
  });
});

test('an ended conversation goes on with another task in the same run', ONCE, async ({ page, app }) => {
  await open(page, app.url);
  await page.getByRole('radio', { name: 'FemtoClaw' }).check();
  await propose(page, '{"message":{"content":"Good morning."}}');
  await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
  await page.locator('#task').fill('And what is six times seven?');
  await page.getByRole('button', { name: 'Go on' }).click();
  await expect(row(page, /task/)).toHaveCount(2);
  await propose(page, '{"message":{"content":"Forty-two."}}');
  await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
  await expect(page.locator('sp-inspector')).toContainText('No check failed');
  // The conversation goes on after a new load, too.
  await page.goto(app.url);
  await page.locator('sp-runs summary').click();
  await page.locator('sp-runs li button').filter({ hasText: 'completed' }).first().click();
  await page.locator('#task').fill('And seven times seven?');
  await page.getByRole('button', { name: 'Go on' }).click();
  await expect(row(page, /task/)).toHaveCount(3);
  await propose(page, '{"message":{"content":"Forty-nine."}}');
  await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
});

shared('a run begins with the task and the limits that were chosen before it', ONCE, async ({ page }) => {
  await page.getByText('Another task', { exact: true }).click();
  await page.locator('#task').fill('ab '.repeat(25_000));
  // The last letter comes by key: Firefox fires no change for a field that only a program has filled.
  await page.locator('#task').press('End');
  await page.keyboard.type('c');
  await page.keyboard.press('Tab');
  await expect(page.locator('sp-status [role=alert]')).toContainText('at most 61440 bytes');
  await typed(page, '#task', 'What is six times seven?');
  await page.getByText('Other limits').click();
  await typed(page, '#limit-steps', '1');
  await expect(page.locator('sp-setup .meters')).toContainText(/0 of 1(?!\d)/);
  await page.locator('#run').click();
  await expect(badge(page)).toHaveText('Limit reached', { timeout: 30_000 });
  await row(page, /task/).click();
  await expect(page.locator('sp-explain')).toContainText('What is six times seven?');
});

test.describe('the keyboard', () => {
  shared('the keyboard reaches commands by name, and goes from view to view', ONCE, async ({ page }) => {
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Command' });
    await input.fill('you prop');
    await input.press('Enter');
    await expect(page.getByRole('radio', { name: 'You' })).toBeChecked();
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await expect(page.locator('sp-audit')).toBeVisible();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await ready(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await expect(input).toBeHidden();
    await expect(badge(page)).toHaveText('Ready');
  });

  shared('the keyboard alone steps through the demo, approves, and compares records', ONCE, async ({ page }) => {
    await expect.poll(() => focused(page)).toBe('button#step');
    await page.keyboard.press('Enter');
    await expect(receipts(page)).toHaveCount(1);
    await runToQuestion(page);
    await readToEnd(page);
    await expect(page.locator('#approve')).toHaveAttribute('aria-disabled', 'false');
    await expect.poll(() => focused(page)).toBe('button#deny');
    for (const id of ['deny-why', 'edit', 'approve']) {
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe(`button#${id}`);
    }
    // A yes takes no key in the first half second after the focus has come.
    await page.waitForTimeout(600);
    await page.keyboard.press('Enter');
    await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
    await expect(page.locator('sp-inspector')).toContainText('No check failed', { timeout: 30_000 });
    await page.keyboard.press('N');
    await expect(page.locator('sp-inspector h2')).toContainText(/receipt|denied|rejected/);
    await page.keyboard.press('p');
    await page.keyboard.press('N');
    await page.keyboard.press('p');
    await expect(page.locator('sp-compare h3')).toContainText(/differ in \d+ members/);
    await page.keyboard.press('i');
    expect(await focused(page)).toMatch(/^button#tab-/);
  });
});

shared('a large run lists only rows near the view, and every record can be reached', ONCE, async ({ page }) => {
  await runToQuestion(page);
  await openLarge(page);
  await expect(page.locator('sp-timeline header')).toContainText('2,000 records');
  expect(await rows(page).count()).toBeLessThan(200);
  await expect(row(page, /^\s*1999/)).toBeInViewport();
  await page.locator('sp-timeline [role=listbox]').focus();
  await page.keyboard.press('Home');
  await expect(row(page, /^\s*0\s*configured/)).toBeInViewport();
  await page.locator('#filter').fill('seq:1234');
  await expect(rows(page)).toHaveCount(1);
});

/** Types key by key as a person does, and leaves the field: only then does the field change. */
async function typed(page: Page, field: string, text: string): Promise<void> {
  await page.locator(field).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
  await page.keyboard.press('Tab');
}

/** Opens a run of two thousand records, made of interruptions, from a file. */
async function openLarge(page: Page): Promise<void> {
  const text = await page.evaluate(async () => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    return store.runtime.ledger.export(store.session.value?.id ?? '');
  });
  const [first] = parseExport(text).records;
  let head = NO_RECORDS;
  const lines = Array.from({ length: 2000 }, (_, i) => {
    const draft =
      i === 0 && first !== undefined ? first.record : ({ kind: 'state', body: { event: 'interrupted' } } as const);
    const link = extend(head, draft, { run_id: first?.record.run_id ?? '', epoch: 1, at: i });
    head = headAfter(link.record);
    return link.text;
  });
  const large = formatExport(first?.record.run_id ?? '', lines, []);
  await page.evaluate((file) => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    store.openFile(new File([file], 'large.run.jsonl'));
  }, large);
}

test(
  'the edge between two columns moves by keys and pointer within its bounds, and keeps its place',
  ONCE,
  async ({ page, app }) => {
    await page.setViewportSize({ width: 1600, height: 800 });
    await open(page, app.url);
    const edge = page.getByRole('separator', { name: 'Width of the setup' });
    const setup = page.locator('#left');
    const width = async (): Promise<number> => (await setup.boundingBox())?.width ?? 0;
    const before = await width();
    await edge.focus();
    await edge.press('ArrowRight');
    await expect.poll(width).toBeGreaterThan(before);
    await edge.press('End');
    await expect(edge).toHaveAttribute('aria-valuenow', '45');
    await edge.press('ArrowRight');
    await expect(edge).toHaveAttribute('aria-valuenow', '45');
    await edge.press('Enter');
    await expect(edge).toHaveAttribute('aria-valuenow', '18');
    await edge.press('Enter');
    await expect(edge).toHaveAttribute('aria-valuenow', '45');
    const { x, y, width: wide, height } = (await edge.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(x + wide / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(12 + (1600 - 24) * 0.3, y + height / 2, { steps: 3 });
    await page.mouse.up();
    await expect(edge).toHaveAttribute('aria-valuenow', '30');
    await reload(page);
    await expect(edge).toHaveAttribute('aria-valuenow', '30');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1600);
  },
);
