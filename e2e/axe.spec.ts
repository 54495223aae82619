import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import { expect, test } from './fixtures.ts';
import { badge, open, propose, receipts, runToQuestion } from './open.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What the playground can look like; each is brought about the way a person would. */
const STATES: { readonly [name: string]: (page: Page) => Promise<void> } = {
  ready: async () => undefined,
  stepped: async (page) => {
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(1);
  },
  rejected: async (page) => {
    await turnTo(page, 'Propose');
    await propose(page, '{"next_step":{"tool":"calc.Eval","arguments":{},"goal":"g"}}');
    await expect(receipts(page)).toHaveCount(1);
    await turnTo(page, 'Record');
  },
  'waiting for approval': runToQuestion,
  completed: async (page) => {
    await runToQuestion(page);
    await expect(page.locator('#approve')).toHaveAttribute('aria-disabled', 'false');
    await page.locator('#approve').click();
    await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
  },
  aborted: async (page) => {
    await page.keyboard.press('Escape');
    await expect(badge(page)).toHaveText('Aborted');
  },
  help: async (page) => {
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
  },
  trust: async (page) => {
    await page.locator('sp-trust .meter').click();
    await expect(page.getByRole('dialog', { name: 'What this page can reach' })).toBeVisible();
  },
  capabilities: (page) => goTo(page, 'Capabilities'),
  corpus: (page) => goTo(page, 'Corpus'),
  about: (page) => goTo(page, 'About'),
};

async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name }).click();
}

/** On a narrow screen one column is shown at a time. */
async function turnTo(page: Page, column: string): Promise<void> {
  const tab = page.getByRole('navigation', { name: 'Columns' }).getByRole('button', { name: column });
  if (await tab.isVisible()) await tab.click();
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const results = await page.evaluate(() => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    return axe.run({ rules: { 'target-size': { enabled: true } } });
  });
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary}`),
  );
}

test.skip(({ browserName }) => browserName !== 'chromium', 'one engine is enough for rules about markup and colour');

for (const theme of ['light', 'dark'] as const) {
  for (const [width, height] of [
    [1280, 800],
    [768, 1024],
    [320, 640],
  ] as const) {
    test.describe(`${theme}, ${width} wide`, () => {
      test.use({ colorScheme: theme, viewport: { width, height }, contextOptions: { reducedMotion: 'reduce' } });
      for (const [name, bring] of Object.entries(STATES)) {
        test(`${name} has no violation`, async ({ page, app }) => {
          await open(page, app.url);
          await bring(page);
          expect(await violations(page)).toEqual([]);
        });
      }
    });
  }
}
