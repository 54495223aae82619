import type { Page } from '@playwright/test';
import { verifyExport } from '../core/index.ts';
import { expect, test } from './fixtures.ts';
import { approve, badge, exported, open, receipts } from './open.ts';
import { ONCE } from './tags.ts';

const title = (page: Page) => page.locator('sp-runbar h1');
const lent = (page: Page) =>
  page.evaluate(
    () => (JSON.parse(localStorage.getItem('sallyport.library') ?? '{}') as Record<string, unknown>)['b-1'],
  );

test(
  'a loan is taken back in a run of its own, and the shelf of the page is as before',
  ONCE,
  async ({ page, app }) => {
    await open(page, `${app.url}#/scenario/library`);
    await page.locator('#named-start').click();
    await expect(title(page)).toHaveText('Lending shelf of a street');
    await page.locator('#run').click();
    await approve(page);
    await expect(receipts(page)).toHaveCount(4);
    expect(await lent(page)).toMatchObject({ lent_to: 'Noor' });
    await approve(page);
    await expect(badge(page)).toHaveText('Completed');

    await receipts(page).nth(3).click();
    await page.locator('sp-take-back #take-back').press('Enter');
    const panel = page.locator('sp-take-back');
    await expect(panel).toContainText('This call would be taken back:');
    await expect(panel).toContainText('1 later call of this run stays.');
    await panel.getByRole('radio', { name: 'All from step 4 on' }).check();
    await expect(panel).toContainText('These 2 calls would be taken back, newest first:');
    await panel.getByRole('radio', { name: 'Step 4 alone' }).check();
    await expect(panel).toContainText('by revert.shelf.lend');
    await panel.locator('#undo').click();
    await expect(title(page)).toHaveText(/^Undo of run [0-9a-f]{8}$/);
    await approve(page);
    await expect(badge(page)).toHaveText('Completed');
    expect(await lent(page)).toMatchObject({ place: 'fiction', lent_to: '' });
    const told = page.locator('sp-undone');
    await expect(told).toContainText('Step 4, shelf.lend: taken back.');
    const decisions = page.locator('sp-checks li').filter({ hasText: 'made again, they come out the same' });
    await expect(decisions).toHaveAttribute('data-status', 'pass');
    expect(verifyExport(await exported(page)).ok).toBe(true);

    await told.locator('#original').click();
    await expect(title(page)).toHaveText('Lending shelf of a street');
    await page.locator('sp-take-back #take-back').click();
    await expect(panel).toContainText('Step 4, shelf.lend: Taken back before.');
    await expect(panel.locator('#undo')).toHaveCount(0);
  },
);
