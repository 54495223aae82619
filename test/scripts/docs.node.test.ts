import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { examplesOf } from '../../.scripts/vite/docs-examples.ts';
import { htmlOf } from '../../.scripts/vite/docs-page.ts';
import { plain, sectionsOf } from '../../.scripts/vite/docs-search.ts';

const page = (text: string, name = 'first-run') => ({ name, title: 'A page', text });
const frame = { menu: '', version: 'Version 1.' };

test('the search reads words without the marks of Markdown', () => {
  const text =
    '**Bold** `code` [a link](b.md#c), ![a picture](pictures/d.svg)\n\n| a | b |\n| --- | --- |\n```js\na || b\n```';
  expect(plain(text)).toBe('Bold code a link, a picture a b a || b');
});

test('a section of the search has the anchor that the page gives its heading', () => {
  const text = '# A page\n\nLead.\n\n## Search\n\nOne.\n\n## Search\n\nTwo.\n';
  const hrefs = sectionsOf(page(text)).map(({ href }) => href);
  expect(hrefs).toEqual(['first-run.html', 'first-run.html#search-2', 'first-run.html#search-3']);
  const html = htmlOf(page(text), frame);
  for (const href of hrefs.slice(1)) expect(html).toContain(`<h2 id="${href.split('#')[1]}">Search</h2>`);
});

test('a script that needs Node has no Run, and parts of a script run together', () => {
  const text = [
    "```js\nimport { createServer } from 'node:http';\n```",
    "```js\nimport { openRuntime } from 'sallyport/node';\nconst a = 1;\n```",
    '```js\nconsole.log(a);\n```',
  ].join('\n\n');
  expect(examplesOf(page(text))).toMatchObject([{ name: 'example-first-run-1', last: 2 }]);
  const html = htmlOf(page(text), frame);
  expect(html.match(/<pre[^>]*>/g)).toEqual(['<pre>', '<pre>', '<pre data-example="example-first-run-1">']);
  expect(examplesOf(page(text, 'another'))).toEqual([]);
});

test('the text of a page becomes no markup', () => {
  const html = htmlOf(page('# A page\n\n<script>alert(1)</script>\n\n## <b>"x"</b>\n'), frame);
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html).not.toContain('<b>');
  expect(html).toContain('aria-label="Link to &lt;b&gt;&quot;x&quot;&lt;/b&gt;"');
});

test('a link to a part of a written page names an anchor of that page', () => {
  const texts = readdirSync('web/docs').filter((file) => file.endsWith('.md'));
  const written = texts.map((file) => page(readFileSync(`web/docs/${file}`, 'utf8'), file.slice(0, -3)));
  const names = new Set(written.map(({ name }) => name));
  const places = new Set(written.flatMap(sectionsOf).map(({ href }) => href));
  const links = written.flatMap(({ name, text }) =>
    [...text.matchAll(/\]\((?:([\w-]+)\.md)?(#[\w-]+)\)/g)].map(([, to = name, anchor]) => ({ to, anchor })),
  );
  const toWritten = links.filter(({ to }) => names.has(to)).map(({ to, anchor }) => `${to}.html${anchor}`);
  expect(toWritten.length).toBeGreaterThan(20);
  expect(toWritten.filter((place) => !places.has(place))).toEqual([]);
});
