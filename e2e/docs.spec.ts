import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type * as sallyport from '../web/index.ts';
import { expect, test } from './fixtures.ts';
import { serveFolders } from './serve.ts';

test('every page of the documentation says what it is, in plain markup', async ({ app }) => {
  const pages = (await readdir('dist/docs')).filter((file) => file.endsWith('.html'));
  expect(pages.length).toBeGreaterThan(25);
  for (const file of pages) {
    const html = await (await fetch(`${app.url}docs/${file}`)).text();
    expect(html, file).toMatch(/<h1>[^<]+/);
    // One script and one style sheet of ours: nothing of a text became markup of its own.
    expect(html.match(/<script/g), file).toHaveLength(1);
    expect(html, file).not.toMatch(/\son\w+="|<style|javascript:/i);
  }
});

test('the documentation is searched by words, and read with the keyboard', async ({ page, app }) => {
  await page.goto(`${app.url}docs/index.html`);
  await page.getByRole('searchbox', { name: 'Search' }).fill('trifecta guard private');
  await expect(page.locator('#found li')).toHaveCount(0);
  await page.getByRole('searchbox', { name: 'Search' }).fill('codes duplicate_member');
  await expect(page.locator('#found a').first()).toHaveText('Codes');
  await page.getByRole('searchbox', { name: 'Search' }).press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Codes');
  await expect(page.getByRole('table').first()).toContainText('duplicate_member');
});

test('the reference has everything that the package exports', async ({ app }) => {
  const html = await (await fetch(`${app.url}docs/exports.html`)).text();
  const told = new Set([...html.matchAll(/<(?:h3[^>]*|p><code)>(\w+)</g)].map(([, name]) => name));
  for (const entry of ['core', 'node', 'testing']) {
    const names = Object.keys((await import(resolve(`dist/${entry}.js`))) as object);
    expect(names.length, entry).toBeGreaterThan(2);
    expect(
      names.filter((name) => !told.has(name)),
      entry,
    ).toEqual([]);
  }
});

test('every link of the documentation leads to a page of it', async ({ app }) => {
  const pages = new Set(await readdir('dist/docs'));
  for (const file of [...pages].filter((each) => each.endsWith('.html'))) {
    const html = await (await fetch(`${app.url}docs/${file}`)).text();
    const links = [...html.matchAll(/href="([^"#]+)/g)].map(([, href = '']) => href);
    const outside = links.filter((href) => !pages.has(href) && !href.startsWith('../'));
    expect(outside, file).toEqual([]);
  }
});

test('what models read leads to every page as text', async ({ app }) => {
  const outline = await (await fetch(`${app.url}llms.txt`)).text();
  const links = [...outline.matchAll(/\]\((docs\/[\w-]+)\.md\)/g)].map(([, page = '']) => page);
  const pages = (await readdir('dist/docs')).filter((file) => file.endsWith('.html'));
  expect(links.map((page) => `${page}.html`).sort()).toEqual(pages.map((file) => `docs/${file}`).sort());
  for (const page of links) expect(await (await fetch(`${app.url}${page}.md`)).text(), page).toMatch(/^# \S/);
});

test('every page that the documentation shows as code works as it is written', async ({ page, browserName }) => {
  const files = (await readdir('web/docs')).filter((file) => file.endsWith('.md'));
  const texts = await Promise.all(files.map((file) => readFile(`web/docs/${file}`, 'utf8')));
  const pages = texts.flatMap((text) => [...text.matchAll(/^```html\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code));
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
  for (const html of pages) {
    await writeFile(join(folder, 'index.html'), html);
    await page.goto(`${host.origin}/`);
    await page.locator('sallyport-run').getByRole('button', { name: 'Step' }).click();
    const receipts = page.locator('sallyport-run [part=record]').filter({ hasText: 'receipt' });
    await expect(receipts).toHaveCount(1, { timeout: 30_000 });
  }
  // What the table of browsers says of this one is what it says of itself.
  const column = { chromium: 1, firefox: 2, webkit: 3 }[browserName];
  const table = await readFile('web/docs/browsers.md', 'utf8');
  const cell = (row: string) =>
    table
      .split('\n')
      .find((line) => line.startsWith(`| ${row} |`))
      ?.split('|')[column + 1];
  const found = await page.evaluate(async () => {
    const address = '/sallyport/index.js';
    const { openRuntime } = (await import(address)) as typeof sallyport;
    const runtime = await openRuntime({ assets: '/sallyport/' });
    const { kind, mirror } = await runtime.storage.status();
    const { key } = await runtime.ledger.checkpoint();
    await runtime.close();
    const tells = 'isVisible' in IntersectionObserverEntry.prototype;
    return { isolation: runtime.info.isolation, kind, mirror, key: typeof key, tells };
  });
  const kinds = { IndexedDB: 'indexeddb', 'private files, flushed': 'opfs' };
  expect(found).toEqual({
    isolation: cell('kernel behind its lock')?.trim() === 'yes' ? 'locked' : 'unlocked',
    kind: kinds[cell('ledger')?.trim() as keyof typeof kinds],
    mirror: kinds[cell('second copy of it')?.trim() as keyof typeof kinds],
    key: cell('signed checkpoints')?.trim() === 'yes' ? 'string' : 'undefined',
    tells: cell('tells that something lies over a question')?.trim() === 'yes',
  });
  await host.close();
  await rm(folder, { recursive: true });
});
