import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import { expect, shared, test } from './fixtures.ts';
import { askForced } from './forced-colors.ts';
import { finished, open } from './open.ts';
import { keepSaved, saved } from './saved.ts';
import { ONCE } from './tags.ts';
import { OWN_WALKS, TURNS, WALKS, type Walk } from './walks.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const WIDE = { width: 1280, height: 800 } as const;
const NARROW = { width: 320, height: 640 } as const;
const SIZES = [WIDE, { width: 768, height: 1024 }, NARROW] as const;
type Size = (typeof SIZES)[number];

/** Violations of all rules in light, and of the rules about colour in dark, where only colours differ. */
async function violations(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  const rules =
    colorScheme === 'light'
      ? { rules: { 'target-size': { enabled: true } } }
      : { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };
  const found = await page.evaluate(async (asked) => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    return (await axe.run({ ...asked, reporter: 'no-passes' })).violations;
  }, rules);
  return found.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary}`),
  );
}

/** Gives the page a size, and waits until the views that measure themselves are drawn again. */
async function resize(page: Page, size: Size): Promise<void> {
  await page.setViewportSize(size);
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
}

/** Asks for violations at these sizes, in both colour schemes. */
async function ask(page: Page, state: string, sizes: readonly Size[]): Promise<void> {
  for (const size of sizes) {
    await resize(page, size);
    await TURNS[state]?.(page);
    const where = `${state} at ${size.width} pixels`;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect.soft(await violations(page, colorScheme), `${where}, ${colorScheme}`).toEqual([]);
    }
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect.soft(sideways, `${where}: the page scrolls sideways`).toBeLessThanOrEqual(0);
  }
}

async function walkThrough(page: Page, walk: Walk, sizes: readonly Size[] = SIZES): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  for (const [state, bring] of Object.entries(walk)) {
    await resize(page, WIDE);
    await bring(page);
    if (sizes.includes(WIDE)) await askForced(page, state);
    await ask(page, state, sizes);
  }
}

test.describe('axe in light and dark, at 1280, 768 and 320 pixels', () => {
  // A walk asks up to 54 times.
  test.describe.configure({ timeout: 360_000 });
  const { 'a run': core, ...walks } = WALKS;
  shared('axe passes every state of a run at 320 pixels', {}, ({ page }) => walkThrough(page, core, [NARROW]));
  shared('axe passes every state of a run at 1280 and 768 pixels', ({ page }) =>
    walkThrough(
      page,
      core,
      SIZES.filter((size) => size !== NARROW),
    ),
  );
  for (const [name, walk] of Object.entries(walks))
    shared(`axe passes every state of ${name}`, ({ page }) => walkThrough(page, walk));
  for (const [name, walk] of Object.entries(OWN_WALKS)) {
    test(`axe passes every state of ${name}`, async ({ page, app }) => {
      await open(page, app.url);
      await walkThrough(page, walk);
    });
  }
});

/** Pages of the documentation, each with the actions that lead to the state to look at. */
const DOCS: Walk = {
  index: async () => undefined,
  'first-run': async (page) => {
    await page.getByRole('button', { name: 'Run', exact: true }).first().click();
    await expect(page.locator('.step').first()).toBeVisible({ timeout: 30_000 });
  },
  scale: async () => undefined,
  codes: async () => undefined,
};

test('axe passes the documentation, also after an example has run', ONCE, async ({ page, app }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const [name, bring] of Object.entries(DOCS)) {
    await page.setViewportSize(WIDE);
    await page.goto(`${app.url}docs/${name}.html`);
    await page.evaluate(AXE);
    await bring(page);
    await ask(page, name, [WIDE, NARROW]);
  }
});

shared('axe passes a run that was saved as a page, and its report', ONCE, async ({ page }, info) => {
  await keepSaved(page);
  await finished(page);
  await page.getByRole('button', { name: /Open in Audit/ }).click();
  const alone = await page.context().newPage();
  await alone.emulateMedia({ reducedMotion: 'reduce' });
  const askSaved = async (what: string): Promise<void> => {
    const file = info.outputPath(`${what}.html`);
    writeFileSync(file, await saved(page));
    await page.evaluate(() => Object.assign(window, { saved: undefined }));
    await alone.goto(pathToFileURL(file).href);
    await alone.evaluate(AXE);
    // axe takes a page without a background for white, also where the browser paints a dark one.
    await alone.evaluate(() => document.documentElement.style.setProperty('background', 'Canvas'));
    await ask(alone, what, [WIDE, NARROW]);
  };
  await page.locator('#send').click();
  await page.locator('sp-send #page').click();
  await askSaved('saved page');
  await page.locator('sp-send #report').click();
  await askSaved('report');
  await alone.close();
});
