import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import { expect, shared, test } from '../fixtures.ts';
import { finished, open } from '../open.ts';
import { keepSaved, saved } from '../saved.ts';
import { serveFolders } from '../serve.ts';
import { OWN_WALKS, TURNS, WALKS, type Walk } from '../walks.ts';
import { DESKTOP, takePictures } from './camera.ts';

/** Walks whose pictures are also taken in German. */
const GERMAN = ['a run', 'the end of a run', 'the capabilities', 'the corpus'];

/** Changes the language of the playground by its button, also behind an open dialog. */
async function speak(page: Page, language: 'en' | 'de'): Promise<void> {
  const root = page.locator('html');
  if ((await root.getAttribute('lang')) === language) return;
  await page.locator('sp-bar #language').evaluate((button: HTMLButtonElement) => button.click());
  await expect(root).toHaveAttribute('lang', language);
}

async function walkThrough(page: Page, group: string, walk: Walk): Promise<void> {
  for (const [at, [name, bring]] of Object.entries(walk).entries()) {
    await page.setViewportSize(DESKTOP);
    await bring(page);
    await takePictures(page, { group, at, name }, { turn: TURNS[name] });
    if (!GERMAN.includes(group)) continue;
    await speak(page, 'de');
    await takePictures(page, { group: `${group} in German`, at, name }, { schemes: ['light'] });
    await speak(page, 'en');
  }
}

for (const [name, walk] of Object.entries(WALKS))
  shared(`pictures of ${name}`, ({ page }) => walkThrough(page, name, walk));

for (const [name, walk] of Object.entries(OWN_WALKS)) {
  test(`pictures of ${name}`, async ({ page, app }) => {
    await open(page, app.url);
    await walkThrough(page, name, walk);
  });
}

test('pictures of the documentation', async ({ page, app }) => {
  const group = 'the documentation';
  for (const [at, name] of ['index', 'first-run', 'theme', 'scale', 'codes'].entries()) {
    await page.goto(`${app.url}docs/${name}.html`);
    const run = page.getByRole('button', { name: 'Run' }).first();
    if (await run.isVisible()) {
      await run.click();
      await expect(page.locator('.played > *').first()).toBeVisible();
      await page.evaluate(() => scrollTo(0, 0));
    }
    await takePictures(page, { group, at, name });
  }
  await page.getByRole('searchbox', { name: 'Search' }).fill('receipt');
  await expect(page.locator('#found li').first()).toBeVisible();
  const turn = async () => {
    const menu = page.getByRole('button', { name: 'Menu' });
    if (await menu.isVisible()) await menu.click();
  };
  await takePictures(page, { group, at: 5, name: 'a search' }, { turn });
});

shared('pictures of the saved files', async ({ page }, info) => {
  await keepSaved(page);
  await finished(page);
  await page.getByRole('button', { name: /Open in Audit/ }).click();
  const files: string[] = [];
  for (const language of ['en', 'de'] as const) {
    await speak(page, language);
    await page.locator('#send').click();
    await page.locator('sp-send #report').click();
    const path = info.outputPath(`report.${language}.html`);
    writeFileSync(path, await saved(page));
    files.push(path);
    await page.keyboard.press('Escape');
  }
  await speak(page, 'en');
  const alone = await page.context().newPage();
  for (const [at, path] of files.entries()) {
    await alone.goto(pathToFileURL(path).href);
    await takePictures(alone, { group: 'the saved files', at, name: path.replace(/^.*report/, 'report') });
  }
  await alone.close();
});

test('pictures of the element', async ({ page }) => {
  const group = 'the element';
  const host = await serveFolders({ folders: { '/sallyport/': 'dist', '/': 'web/examples/plain' } });
  const element = page.locator('sallyport-run');
  await page.goto(`${host.origin}/`);
  await expect(element.getByRole('button', { name: 'Run' })).toBeVisible();
  await takePictures(page, { group, at: 0, name: 'ready' });
  await element.getByRole('button', { name: 'Run' }).click();
  const approve = element.getByRole('button', { name: 'Approve once' });
  await expect(approve).toHaveAttribute('aria-disabled', 'false', { timeout: 30_000 });
  await takePictures(page, { group, at: 1, name: 'question' });
  const speakElement = (lang: string) => element.evaluate((each, now) => each.setAttribute('lang', now), lang);
  await speakElement('de');
  await expect(element.getByRole('button', { name: 'Einmal' })).toBeVisible();
  await takePictures(page, { group, at: 2, name: 'question in German' }, { schemes: ['light'] });
  await speakElement('en');
  await approve.click();
  await expect(element.locator('[part=verdict]')).toHaveText('Completed');
  await takePictures(page, { group, at: 3, name: 'completed' });
  await host.close();
});
