import type { Page } from '@playwright/test';
import type { Playground } from '../web/playground/playground.ts';
import { expect, test } from './fixtures.ts';
import { approve, badge, finish, focused, open, propose, receipts, reload, row, runToQuestion } from './open.ts';
import { CORE, CORE_ENGINES, ONCE } from './tags.ts';

function runOf(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    return store.session.value?.id;
  });
}

test(
  'a question survives a reload, is put again, and its answer runs the call once',
  CORE_ENGINES,
  async ({ page, app }) => {
    await open(page, app.url);
    await runToQuestion(page);
    await reload(page);
    await expect(badge(page)).toHaveText('Waiting for approval', { timeout: 30_000 });
    await expect(row(page, /resumed/)).toHaveCount(1);
    await expect(page.locator('sp-approval')).toContainText('harbour-loaf-october');
    await expect.poll(() => focused(page)).toBe('button#deny');
    // At four times its size the question can be read and answered (1.4.10).
    await page.setViewportSize({ width: 320, height: 256 });
    await page.locator('sp-approval h2').scrollIntoViewIfNeeded();
    await expect(page.locator('sp-approval h2')).toBeInViewport({ ratio: 1 });
    await approve(page);
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.keyboard.press('r');
    await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
    await expect(row(page, /starting/)).toHaveCount(1);
    await expect(page.locator('sp-inspector')).toContainText('No check failed');
  },
);

test('a run between two steps, and its script, go on after a reload', ONCE, async ({ page, app }) => {
  await open(page, app.url);
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  await reload(page);
  await expect(receipts(page)).toHaveCount(1, { timeout: 30_000 });
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(2);

  // Another run is on the screen; the first run waits in the list, as it was left and later to be continued.
  await page.locator('#fork').click();
  await expect(receipts(page)).toHaveCount(1);
  const earlier = async () => {
    await page.locator('sp-runs summary').click();
    await page.locator('sp-runs li button').filter({ hasText: 'open' }).click();
    await expect(receipts(page)).toHaveCount(2);
  };
  await earlier();
  await expect(badge(page)).toHaveText('Paused');
  // The page is loaded once: a second load would cut off the requests of the first.
  await page.goto('about:blank');
  await page.goto(app.url);
  await expect(receipts(page)).toHaveCount(1, { timeout: 30_000 });
  await earlier();
  await expect(badge(page)).toHaveText('Unfinished');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(badge(page)).toHaveText('Resumed');
  await expect(page.locator('sp-status')).toContainText('No step was run again');
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(3);
});

test(
  'a run whose tab closed is taken up by the next tab, and a tab that follows shows each change of claim',
  CORE,
  async ({ page, app, context }) => {
    await open(page, app.url);
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(1);
    const id = await runOf(page);
    const follower = await context.newPage();
    await open(follower, `${app.url}#r=${id}`);
    await expect(follower.locator('sp-runbar #take')).toHaveText('Take over', { timeout: 30_000 });
    await page.close();
    await expect(badge(follower)).toHaveText('Unfinished', { timeout: 30_000 });
    await expect(follower.locator('sp-runbar #take')).toHaveText('Continue');
    const next = await context.newPage();
    await open(next, app.url);
    await expect(receipts(next)).toHaveCount(1, { timeout: 30_000 });
    await next.keyboard.press('s');
    await expect(receipts(next)).toHaveCount(2);
    await expect(badge(follower)).toHaveText('In another tab', { timeout: 30_000 });
    await follower.getByRole('button', { name: 'Take over' }).click();
    await expect(badge(follower)).toHaveText('Resumed', { timeout: 30_000 });
  },
);

test('a second tab starts its own run while the first tab holds a run', ONCE, async ({ page, app, context }) => {
  await open(page, app.url);
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  const other = await context.newPage();
  await open(other, app.url);
  await expect(badge(other)).toHaveText('Ready', { timeout: 30_000 });
  await expect(receipts(other)).toHaveCount(0);
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(2);
});

test(
  'a second tab follows a run and takes it over, and the first tab says so and writes no more',
  ONCE,
  async ({ page, app, context }) => {
    await open(page, app.url);
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(1);
    const id = await runOf(page);
    const other = await context.newPage();
    await open(other, `${app.url}#r=${id}`);
    await expect(other.locator('sp-status')).toContainText('Another tab has this run.', { timeout: 30_000 });
    await expect(receipts(other)).toHaveCount(1);
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(2);
    await expect(receipts(other)).toHaveCount(2);

    await other.getByRole('button', { name: 'Take over' }).click();
    await expect(badge(other)).toHaveText('Resumed', { timeout: 30_000 });
    await expect(page.locator('sp-status')).toContainText('it was taken over there');
    await expect(page.locator('sp-runbar #take')).toBeVisible();
    await page.keyboard.press('s');
    await finish(other);
    await expect(badge(other)).toHaveText('Completed', { timeout: 30_000 });
    await expect(other.locator('sp-inspector')).toContainText('No check failed');
    // The step that was asked of the first tab left no record; that tab has read the run to its seal.
    await expect(badge(page)).toHaveText('Read only');
    await expect(receipts(page)).toHaveCount(await receipts(other).count());
    await expect(row(other, /starting/)).toHaveCount(1);
  },
);

test(
  'a tab closed during an execution leaves a step of unknown outcome, which is not run again',
  ONCE,
  async ({ page, app, context }) => {
    await open(page, app.url);
    // A guest with an effect that never ends: how far it came when the tab closes is unknown.
    await page.evaluate(async () => {
      const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
      const limits = { fuel: 1_000_000_000, deadlineMs: 3_600_000 };
      const source = 'export default () => { for (;;); }';
      const told = { name: 'busy', version: '1.0.0', description: 'Never ends.', args: {}, powers: [] };
      await store.catalogue.add({ ...told, effect: 'write', limits, source });
      await store.catalogue.grant({ capability: 'busy', mode: 'allow' });
    });
    await propose(page, '{"next_step":{"tool":"busy","arguments":{},"goal":"g"}}');
    await expect(row(page, /starting/)).toHaveCount(1);
    await page.close();
    const next = await context.newPage();
    await open(next, app.url);
    await expect(row(next, /^\s*\d+\s*interrupted/)).toHaveCount(1, { timeout: 30_000 });
    await expect(next.locator('sp-timeline .outcome')).toHaveText(/stopped at execute/);
    await expect(badge(next)).toHaveText('Interrupted');
    await expect(next.locator('sp-status')).toContainText('nothing was run again');
    await propose(next, '{"next_step":{"tool":"calc.eval","arguments":{"expression":"6*7"},"goal":"g"}}');
    await expect(receipts(next)).toHaveCount(2);
    await expect(row(next, /starting/)).toHaveCount(1);
    await expect(next.locator('sp-explain')).toContainText('42');
  },
);
