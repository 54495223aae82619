import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from '@playwright/test';

test('every page of the documentation says what it is, in plain markup', async () => {
  const pages = (await readdir('dist/docs')).filter((file) => file.endsWith('.html'));
  expect(pages.length).toBeGreaterThan(25);
  for (const file of pages) {
    const html = await readFile(`dist/docs/${file}`, 'utf8');
    expect(html, file).toMatch(/<h1>[^<]+/);
    // One script and one style sheet of ours: nothing of a text became markup of its own.
    expect(html.match(/<script/g), file).toHaveLength(1);
    expect(html, file).not.toMatch(/\son\w+="|<style|javascript:/i);
  }
});

test('the reference has everything that the package exports', async () => {
  const html = await readFile('dist/docs/exports.html', 'utf8');
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

test('every link of the documentation leads to a page of it', async () => {
  const pages = new Set(await readdir('dist/docs'));
  for (const file of [...pages].filter((each) => each.endsWith('.html'))) {
    const html = await readFile(`dist/docs/${file}`, 'utf8');
    const links = [...html.matchAll(/href="([^"#]+)/g)].map(([, href = '']) => href);
    const outside = links.filter((href) => !pages.has(href) && !href.startsWith('../'));
    expect(outside, file).toEqual([]);
  }
});

test('what models read leads to every page as text', async () => {
  const outline = await readFile('dist/llms.txt', 'utf8');
  const links = [...outline.matchAll(/\]\((docs\/[\w-]+)\.md\)/g)].map(([, page = '']) => page);
  const pages = (await readdir('dist/docs')).filter((file) => file.endsWith('.html'));
  expect(links.map((page) => `${page}.html`).sort()).toEqual(pages.map((file) => `docs/${file}`).sort());
  for (const page of links) expect(await readFile(`dist/${page}.md`, 'utf8'), page).toMatch(/^# \S/);
});
