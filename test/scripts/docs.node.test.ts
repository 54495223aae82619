import { expect, test } from 'vitest';
import { firstSentence } from '../../.scripts/vite/docs.ts';
import { elementsOf, examplesOf, WITHOUT_RUN } from '../../.scripts/vite/docs-examples.ts';
import { htmlOf, plain, sectionsOf } from '../../.scripts/vite/docs-page.ts';
import { versionLine, writtenPages } from '../../.scripts/vite/docs-written.ts';
import { LEADS } from '../../.scripts/vite/reference.ts';

const page = (text: string, name = 'first-run') => ({ name, title: 'A page', text });
const frame = { menu: '', version: 'Version 1.' };
const written = writtenPages('web/docs', {});
/** The pages with examples, as HTML. */
const built = new Map(
  written.filter(({ text }) => /^```(?:js|html)$/m.test(text)).map((each) => [each.name, htmlOf(each, frame)]),
);

test('the search reads words without the marks of Markdown', () => {
  const text =
    '**Bold** `code` [a link](b.md#c), ![a picture](pictures/d.svg)\n\n| a | b |\n| --- | --- |\n```js\na || b\n```';
  expect(plain(text)).toBe('Bold code a link, a picture a b a || b');
  expect(plain('Press *Run*, *Step*, or *a **bold** word*: `web/*.md` and 2 * 3 * 4 stay.')).toBe(
    'Press Run, Step, or a bold word: web/*.md and 2 * 3 * 4 stay.',
  );
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
});

/** The code blocks of a page in a language, as they are written. */
function blocksOf(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);
}

/** Names that the scripts of a page would have as examples. A block without imports continues the block before. */
function scriptsOf({ name, text }: { readonly name: string; readonly text: string }) {
  const blocks = blocksOf(text, 'js').map((code, at) => ({
    at,
    imports: [...code.matchAll(/^import .* from '(.+)';/gm)],
  }));
  const whole = blocks.filter(({ at, imports }) => at === 0 || imports.length > 0);
  return whole.map(({ at, imports }) => ({ name: `example-${name}-${at}`, imports: imports.map(([, from]) => from) }));
}

test('a script has Run where a page has its modules, unless a reason stands in the list of exceptions', () => {
  const has = ['sallyport/core', 'sallyport/node', 'sallyport/verify'];
  const known = written
    .flatMap(scriptsOf)
    .filter(({ imports }) => imports.every((module) => has.includes(module ?? '')));
  const running = [...built.values()].flatMap((html) => html.match(/(?<=data-example=")[^"]+/g) ?? []);
  expect(known.map(({ name }) => name).filter((name) => running.includes(name) === name in WITHOUT_RUN)).toEqual([]);
  expect(running.length).toBeGreaterThan(18);
  const named = Object.keys(WITHOUT_RUN).filter((name) => name.startsWith('example-'));
  expect(named.filter((name) => !known.some((each) => each.name === name))).toEqual([]);
});

test('an HTML example has Run, unless a reason stands in the list of exceptions', () => {
  const examples = written.flatMap(({ name, text }) => {
    const tags = built.get(name)?.match(/<pre[^>]*>(?=<code class="language-html">)/g) ?? [];
    return blocksOf(text, 'html').map((_, at) => ({ name: `element-${name}-${at}`, runs: tags[at] !== '<pre>' }));
  });
  expect(examples.filter(({ name, runs }) => runs === name in WITHOUT_RUN)).toEqual([]);
  const named = Object.keys(WITHOUT_RUN).filter((name) => name.startsWith('element-'));
  expect(named.filter((name) => !examples.some((each) => each.name === name))).toEqual([]);
});

test('the element of an HTML example keeps its attributes and its language, and its ledger in memory', () => {
  const german =
    '```html\n<html lang="de">\n<link rel="stylesheet" href="a.css">\n<sallyport-run theme="dark" src="scenario.json" task="Go.">';
  const [element] = elementsOf(page(`${german}</sallyport-run>\n\`\`\`\n`));
  const attributes = { lang: 'de', theme: 'dark', src: 'example-scenario.json', task: 'Go.', store: 'memory' };
  expect(element).toEqual({ block: 0, attributes, sheet: 'example-first-run.css' });
  expect(elementsOf(page('```html\n<p>No element.</p>\n```\n'))).toEqual([]);
});

test('a page has a link to its source when the manifest has the address of the repository', () => {
  const [linked, plainPage] = [{ repository: 'git+https://host.example/owner/name.git' }, {}].map((manifest) => {
    return writtenPages('web/docs', manifest).find(({ name }) => name === 'why');
  });
  const link = '<a href="https://host.example/owner/name/edit/main/web/docs/why.md">Edit this page</a>';
  expect(htmlOf(linked ?? page(''), frame)).toContain(link);
  expect(htmlOf(plainPage ?? page(''), frame)).not.toContain('Edit this page');
});

test('a page names its version, and links to the older versions when the repository has an address', () => {
  const repository = 'git+https://host.example/owner/name.git';
  expect(versionLine({ version: '0.3.0' }, [])).toBe('This page describes version 0.3.0. No older version is kept.');
  expect(versionLine({ version: '0.3.0' }, ['0.2.0', '0.1.0'])).toBe(
    'This page describes version 0.3.0. Older versions, as tags: v0.2.0, v0.1.0.',
  );
  expect(versionLine({ version: '0.3.0', repository }, ['0.2.0'])).toBe(
    'This page describes version 0.3.0. Older versions, as tags: <a href="https://host.example/owner/name/tree/v0.2.0/web/docs">v0.2.0</a>.',
  );
  expect(versionLine({ version: '0.3.0' }, ['<b>'])).toContain('v&lt;b>');
});

test('the first sentence of a page says who needs it', () => {
  const saysWho = (each: Parameters<typeof firstSentence>[0]) => /^If .*\byour?s?\b/.test(firstSentence(each));
  expect(saysWho(page('# A page\n\nIf you keep a ledger, read this.\n'))).toBe(true);
  expect(saysWho(page('# A page\n\nA ledger is kept. If you keep one, read this.\n'))).toBe(false);
  const pages = [...written, ...LEADS.map((lead) => page(`# A page\n\n${lead}`, lead))];
  expect(pages.length).toBeGreaterThan(60);
  expect(pages.filter((each) => !saysWho(each)).map(({ name }) => name)).toEqual([]);
});

test('the text of a page becomes no markup', () => {
  const html = htmlOf(page('# A page\n\n<script>alert(1)</script>\n\n## <b>"x"</b>\n'), frame);
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html).not.toContain('<b>');
  expect(html).toContain('aria-label="Link to &lt;b&gt;&quot;x&quot;&lt;/b&gt;"');
});

test('a link to a part of a written page names an anchor of that page', () => {
  const names = new Set(written.map(({ name }) => name));
  const places = new Set(written.flatMap(sectionsOf).map(({ href }) => href));
  const links = written.flatMap(({ name, text }) =>
    [...text.matchAll(/\]\((?:([\w-]+)\.md)?(#[\w-]+)\)/g)].map(([, to = name, anchor]) => ({ to, anchor })),
  );
  const toWritten = links.filter(({ to }) => names.has(to)).map(({ to, anchor }) => `${to}.html${anchor}`);
  expect(toWritten.length).toBeGreaterThan(20);
  expect(toWritten.filter((place) => !places.has(place))).toEqual([]);
});
