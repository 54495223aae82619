import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as sallyport from '../web/index.ts';
import { expect, test } from './fixtures.ts';
import { localModel, readsNotes } from './local-model.ts';
import { serveFolders } from './serve.ts';
import { ONCE } from './tags.ts';

test(
  'the documentation is searched by words, read by keyboard, and has a menu on a phone',
  ONCE,
  async ({ page, context, app, browserName }) => {
    // The headless shell of Chromium lets no page write to the clipboard without this.
    if (browserName === 'chromium') await context.grantPermissions(['clipboard-write']);
    await page.goto(`${app.url}docs/index.html`);
    await page.getByRole('searchbox', { name: 'Search' }).fill('trifecta guard marmalade');
    await expect(page.locator('#count')).toHaveText('No section has all of these words.');
    // A page that explains a word comes before the exports that contain it.
    await page.getByRole('searchbox', { name: 'Search' }).fill('export');
    await expect(page.locator('#found li')).toHaveCount(10);
    await expect(page.locator('#found a').first()).not.toHaveAttribute('href', /^exports/);
    await page.getByRole('searchbox', { name: 'Search' }).fill('codes duplicate_member');
    await expect(page.locator('#found a').first()).toHaveText('Codes');
    await expect(page.locator('#found .excerpt').first().locator('mark')).toHaveText(['duplicate_member']);
    await page.keyboard.press('ArrowDown');
    await expect(page.locator('#found a').first()).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await expect(page.getByRole('searchbox', { name: 'Search' })).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(page.locator('#found a').first()).toBeFocused();
    await page.keyboard.press('ControlOrMeta+k');
    await expect(page.getByRole('searchbox', { name: 'Search' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Codes');
    await expect(page.getByRole('table').first()).toContainText('duplicate_member');

    // On a phone the menu opens by its button, and closes when a search leads to a place of this page.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${app.url}docs/embed.html`);
    const search = page.getByRole('searchbox', { name: 'Search' });
    await expect(search).toBeHidden();
    await page
      .locator('pre')
      .first()
      .evaluate((code) => code.append('\n# quince'));
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await expect(page.getByRole('status').first()).toHaveText('Copied.');
    await page.getByRole('button', { name: 'Menu' }).click();
    await search.press('ControlOrMeta+v');
    await expect(search).toHaveValue(/^<!doctype html>.*# quince$/);
    await search.fill('embed a run');
    await page.locator('#found a[href^="embed"]').first().click();
    await expect(search).toBeHidden();
    if (browserName === 'chromium') await context.clearPermissions();
  },
);

test('a page of the documentation leads to its neighbours, its headings and its text', ONCE, async ({ page, app }) => {
  await page.goto(`${app.url}docs/resume.html`);
  await page.getByRole('link', { name: 'Link to Many tabs' }).click();
  expect(new URL(page.url()).hash).toBe('#many-tabs');
  await expect(page.getByRole('heading', { name: 'Many tabs', exact: true })).toBeInViewport();
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  await expect(page.locator('footer')).toContainText(`version ${version}`);
  const markdown = await page.getByRole('link', { name: 'This page as Markdown' }).getAttribute('href');
  expect(await (await page.request.get(`${app.url}docs/${markdown}`)).text()).toBe(
    await readFile('web/docs/resume.md', 'utf8'),
  );
  await page.getByRole('link', { name: 'Next: Share a ledger between processes' }).click();
  await expect(page.getByRole('link', { name: 'Previous: Go on after a crash' })).toBeVisible();
});

test(
  'HTML examples of the documentation work, and runtime and door find their workers in the folder of the package',
  ONCE,
  async ({ page }) => {
    const files = (await readdir('web/docs')).filter((file) => file.endsWith('.md'));
    const texts = await Promise.all(files.map((file) => readFile(`web/docs/${file}`, 'utf8')));
    const pages = texts.flatMap((text) =>
      [...text.matchAll(/^```html\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code),
    );
    expect(pages.length).toBeGreaterThan(1);
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-docs-'));
    const host = await serveFolders({
      folders: {
        '/sallyport/': 'dist',
        '/scenario.json': 'web/examples/plain/scenario.json',
        '/theme.css': 'web/examples/plain/style.css',
        '/': folder,
      },
    });
    // This server stands in for the local server of the pages.
    const model = await localModel([readsNotes]);
    for (const html of pages) {
      await writeFile(join(folder, 'index.html'), html.replace('http://localhost:11434/v1', model.url));
      await page.goto(`${host.origin}/`);
      const german = html.includes('<html lang="de">');
      await page
        .locator('sallyport-run')
        .getByRole('button', { name: german ? 'Schritt' : 'Step' })
        .click();
      const receipts = page.locator('sallyport-run [part=record]').filter({ hasText: german ? 'Beleg' : 'receipt' });
      await expect(receipts).toHaveCount(1, { timeout: 30_000 });
      if (!html.includes('fromEndpoint')) continue;
      await page.locator('sallyport-run').getByRole('button', { name: 'Run' }).click();
      await expect(page.locator('sallyport-run')).toContainText('The leaven is fed at six.', { timeout: 30_000 });
      await expect(receipts).toHaveCount(3);
    }
    expect(model.asked.length).toBe(3);
    model.close();
    const found = await page.evaluate(async () => {
      const address = '/sallyport/index.js';
      const { fromEndpoint, openRuntime } = (await import(address)) as typeof sallyport;
      // The endpoint worker is loaded from the folder of the assets, too.
      const door = (assets: string) =>
        fromEndpoint({ baseUrl: 'http://127.0.0.1:9/v1', model: 'tiny', assets }).then(
          ({ close, locality }) => (close(), locality.kind),
          (error: unknown) => (error instanceof TypeError ? 'no address' : String(error)),
        );
      const doors = [await door('/sallyport/'), await door('http://[')];
      const runtime = await openRuntime({ assets: '/sallyport/' });
      await runtime.close();
      return [runtime.info.isolation, ...doors];
    });
    expect(found).toEqual(['locked', 'local', 'no address']);
    // An open page still loads the parts of a started element ahead.
    await page.goto('about:blank');
    await host.close();
    await rm(folder, { recursive: true });
  },
);
