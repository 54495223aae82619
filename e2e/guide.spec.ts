import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import { expect, solo, test } from './fixtures.ts';
import { approve, badge, focused, goTo, open, receipts } from './open.ts';
import { ready } from './ready.ts';
import { ONCE } from './tags.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The guide of a first visit: the origin of each test has no data. */
const guide = (page: Page): Locator => page.getByRole('region', { name: 'Your first minute' });
const marked = (page: Page): Locator => page.locator('[data-guided]');

/** The page shows one column at a time. */
const narrow = (page: Page): boolean => (page.viewportSize()?.width ?? 0) < 700;

/** Turns to a column, where the page shows one at a time. */
async function turnTo(page: Page, column: string): Promise<void> {
  const tab = page.getByRole('navigation', { name: 'Columns' }).getByRole('button', { name: column });
  if (await tab.isVisible()) await tab.click();
}

/** The control that the guide speaks of is there once, and the guide does not lie over it. */
async function expectUncovered(page: Page): Promise<void> {
  await expect(marked(page)).toHaveCount(1);
  await marked(page).scrollIntoViewIfNeeded();
  const covered = await marked(page).evaluate((control) => {
    const { left, top, width, height } = control.getBoundingClientRect();
    const above = document.querySelector('sp-app')?.shadowRoot?.elementFromPoint(left + width / 2, top + height / 2);
    return above?.localName === 'sp-guide';
  });
  expect(covered).toBe(false);
}

/** Does each step of the guide at the control it speaks of. */
async function walk(page: Page, seen: (step: string) => Promise<void>): Promise<void> {
  await expect(guide(page)).toContainText('1 of 4');
  await seen('step');
  await page.locator('#step').click();
  await expect(receipts(page)).toHaveCount(1);
  await expect(guide(page)).toContainText('2 of 4');
  await turnTo(page, 'Record');
  await seen('receipt');
  await page.getByRole('tab', { name: 'Receipt' }).click();
  await expect(guide(page)).toContainText('3 of 4');
  await seen('question');
  await page.locator('#run').click();
  await expect(page.locator('sp-approval h2')).toBeVisible({ timeout: 30_000 });
  // the card of the question takes the lower part of a narrow screen
  if (narrow(page)) await expect(guide(page)).toHaveCount(0);
  else await seen('answer');
  await approve(page);
  await expect(guide(page)).toContainText('4 of 4');
  await expect(guide(page)).toContainText('This run is over');
  await seen('over');
  await page.locator('#new').click();
  await turnTo(page, 'Propose');
  await expect(guide(page)).toContainText('choose You');
  await seen('model');
  await page.getByRole('radio', { name: 'You' }).check();
  await expect(guide(page)).toContainText('Type any text');
  await seen('draft');
  await page.locator('#draft').fill('hello');
  await page.locator('#draft').press('Control+Enter');
  await expect(guide(page)).toContainText('from both sides');
}

test('a first visit is guided from step to step by the actions of the person', ONCE, async ({ page, app }) => {
  await open(page, app.url);
  await walk(page, () => expectUncovered(page));
  await expect(marked(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Finish' }).click();
  await expect(guide(page)).toHaveCount(0);
  await expect.poll(() => focused(page)).toBe('button#step');
  await page.reload();
  await ready(page);
  await expect(guide(page)).toHaveCount(0);
});

test('a skipped guide does not come again by itself, and the palette shows it again', ONCE, async ({ page, app }) => {
  await open(page, app.url);
  await page.getByRole('button', { name: 'Skip' }).click();
  await expect(guide(page)).toHaveCount(0);
  await expect.poll(() => focused(page)).toBe('button#step');
  await page.reload();
  await ready(page);
  await expect(page.locator('sp-guide')).toHaveCount(0);
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).fill('first minute');
  await page.keyboard.press('Enter');
  // the step before does not count
  await expect(guide(page)).toContainText('1 of 4');
  await expect.poll(() => focused(page)).toBe('h2#guide');
  await page.keyboard.press('s');
  await expect(guide(page)).toContainText('2 of 4');
});

test(
  'a reload keeps the step of the guide, a proposal is sent where the guide points, and the last words go with the next',
  ONCE,
  async ({ page, app }) => {
    await open(page, app.url);
    await page.locator('#step').click();
    await expect(guide(page)).toContainText('2 of 4');
    await page.reload();
    await ready(page);
    await expect(guide(page)).toContainText('2 of 4');
    await goTo(page, 'Capabilities');
    await page.locator('#propose').click();
    await expect.poll(() => focused(page)).toBe('button#send');
    await expect(page.locator('#send')).toBeInViewport();
    await expect(guide(page)).toContainText('Press Send');
    await expectUncovered(page);
    await page.locator('#send').click();
    await expect(receipts(page)).toHaveCount(1);
    for (let i = 0; i < 3; i++) await guide(page).getByRole('button', { name: 'Next' }).click();
    await expect(guide(page)).toContainText('from both sides');
    await page.locator('#draft').fill('hello');
    await page.locator('#send').click();
    await expect(guide(page)).toHaveCount(0);
  },
);

test('the keyboard alone follows the guide, and leaves it with Escape', ONCE, async ({ page, app }) => {
  await open(page, app.url);
  await guide(page).getByRole('button', { name: 'Take me there' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('button#step');
  await page.keyboard.press('Enter');
  await expect(guide(page)).toContainText('2 of 4');
  await guide(page).getByRole('button', { name: 'Take me there' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('button#tab-receipt');
  await page.keyboard.press('Enter');
  await expect(guide(page)).toContainText('3 of 4');
  await guide(page).getByRole('button', { name: 'Next' }).focus();
  await page.keyboard.press('Enter');
  await expect(guide(page)).toContainText('4 of 4');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('button#finish');
  await page.keyboard.press('Escape');
  await expect(guide(page)).toHaveCount(0);
  await expect(badge(page)).toHaveText('Paused');
});

test('Help shows the guide again from every view', ONCE, async ({ page, app }) => {
  await open(page, app.url);
  await guide(page).getByRole('button', { name: 'Next' }).click();
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await expect(page.locator('sp-about h1')).toBeVisible();
  await expect(guide(page)).toHaveCount(0);
  await page.keyboard.press('?');
  await page.getByRole('button', { name: 'Show the first minute again' }).click();
  await expect(guide(page)).toContainText('1 of 4');
  await expect.poll(() => focused(page)).toBe('h2#guide');
});

test('at 320 pixels the guide leads to each column, and covers no control', ONCE, async ({ page, app }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await open(page, app.url);
  await walk(page, async () => {
    await expectUncovered(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  });
});

test('at 320 pixels the bar of the ledger lies over no button of its head', ONCE, async ({ page, app }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await open(page, app.url);
  await page.locator('#step').click();
  await expect(receipts(page)).toHaveCount(1);
  await turnTo(page, 'Ledger');
  await page.getByRole('slider', { name: 'Look back' }).focus();
  await page.keyboard.press('Home');
  await page.evaluate(() => scrollTo(0, 0));
  const time = page.locator('sp-timeline #time');
  await expect(guide(page)).toBeVisible();
  const bar = page.locator('sp-scrubber');
  const apart = async (): Promise<boolean> => {
    const [head, own] = [await time.boundingBox(), await bar.boundingBox()];
    if (head === null || own === null) throw new Error('The ledger has no head or no bar.');
    return own.y >= head.y + head.height || own.y + own.height <= head.y;
  };
  expect(await apart()).toBe(true);
  await guide(page).getByRole('button', { name: 'Skip' }).click();
  await expect(bar).toHaveCSS('position', 'sticky');
  expect(await apart()).toBe(true);
});

test('on a narrow screen the guide turns to the column of its control', ONCE, async ({ page, app }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await open(page, app.url);
  for (let i = 0; i < 3; i++) await guide(page).getByRole('button', { name: 'Next' }).click();
  await guide(page).getByRole('button', { name: 'Take me there' }).click();
  await expect(page.locator('sp-setup')).toBeVisible();
  await expect(page.getByRole('radio', { name: 'You' })).toBeInViewport();
});

/** Before each document of this page: sums up the shifts of the layout. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const told = { shift: 0 };
    Object.assign(window, { told });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) told.shift += (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** Sum of the shifts of the layout until the guide is drawn. */
async function shiftOf(page: Page, url: string, name: string): Promise<number> {
  await open(page, url);
  await expect(page.getByRole('region', { name })).toBeVisible();
  await expect(marked(page)).toHaveCount(1);
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  return page.evaluate(() => (window as unknown as { told: { shift: number } }).told.shift);
}

solo('the layout does not shift when the guide has loaded, at four widths', ONCE, async ({ page, site }) => {
  await watchShifts(page);
  for (const width of [1280, 900, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    const { url } = await site.open();
    expect(await shiftOf(page, url, 'Your first minute'), `at ${width} pixels`).toBeLessThanOrEqual(0.02);
  }
});

solo.describe('with a German browser', () => {
  solo.use({ locale: 'de-DE' });

  solo('the layout does not shift with the German guide, at two widths', ONCE, async ({ page, site }) => {
    await watchShifts(page);
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 800 });
      const { url } = await site.open();
      expect(await shiftOf(page, url, 'Ihre erste Minute'), `at ${width} pixels`).toBeLessThanOrEqual(0.02);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  });
});

test('axe passes each step of the guide, light and dark', ONCE, async ({ page, app }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await open(page, app.url);
  await page.evaluate(AXE);
  // Only colours differ in dark.
  const runs = [
    ['light', 'axe.run()'],
    ['dark', "axe.run({ runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } })"],
  ] as const;
  await walk(page, async (step) => {
    for (const [colorScheme, run] of runs) {
      await page.emulateMedia({ colorScheme });
      const { violations } = (await page.evaluate(run)) as AxeResults;
      expect(violations.map(({ id, nodes }) => `${step}, ${colorScheme}: ${id} ${nodes[0]?.html}`)).toEqual([]);
    }
  });
});
