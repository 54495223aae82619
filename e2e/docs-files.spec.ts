import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from '@playwright/test';

test('every page of the documentation has a heading and a single script, and no inline handler or style', async () => {
  const pages = (await readdir('dist/docs')).filter((file) => file.endsWith('.html'));
  expect(pages.length).toBeGreaterThan(25);
  for (const file of pages) {
    const html = await readFile(`dist/docs/${file}`, 'utf8');
    expect(html, file).toMatch(/<h1>[^<]+/);
    // The only script is the script of the site: no text of a page became markup.
    expect(html.match(/<script/g), file).toHaveLength(1);
    expect(html, file).not.toMatch(/\son\w+="|<style|javascript:/i);
  }
});

test('the reference has every export of the package', async () => {
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

test('every link and every search result of the documentation leads to an existing place', async () => {
  const names = (await readdir('dist/docs')).filter((each) => each.endsWith('.html'));
  const pages = new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(`dist/docs/${name}`, 'utf8')] as const)),
  );
  const places = new Set(names);
  for (const [name, html] of pages) {
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
    expect(
      ids.filter((id, nth) => ids.indexOf(id) !== nth),
      name,
    ).toEqual([]);
    for (const id of ids) places.add(`${name}#${id}`);
  }
  const found = JSON.parse(await readFile('dist/docs/search.json', 'utf8')) as readonly { readonly href: string }[];
  const files = new Set(await readdir('dist/docs'));
  const links = [...pages].flatMap(([name, html]) =>
    [...html.matchAll(/href="([^"]+)/g)].map(([, href = '']) => (href.startsWith('#') ? `${name}${href}` : href)),
  );
  const outside = [...links, ...found.map(({ href }) => href)].filter(
    (href) => !places.has(href) && !files.has(href) && !/^(?:\.\.\/|https:)/.test(href),
  );
  expect(outside).toEqual([]);
});

test('llms.txt links to every page of the documentation as text', async () => {
  const outline = await readFile('dist/llms.txt', 'utf8');
  const links = [...outline.matchAll(/\]\((docs\/[\w-]+)\.md\)/g)].map(([, page = '']) => page);
  const pages = (await readdir('dist/docs')).filter((file) => file.endsWith('.html'));
  expect(links.map((page) => `${page}.html`).sort()).toEqual(pages.map((file) => `docs/${file}`).sort());
  // Each link says what its page is about.
  expect(outline.match(/\]\(docs\/[\w-]+\.md\): \S.{15,}/g)).toHaveLength(links.length);
  for (const page of links) expect(await readFile(`dist/${page}.md`, 'utf8'), page).toMatch(/^# \S/);
});
