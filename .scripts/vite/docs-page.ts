import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import MarkdownIt from 'markdown-it';
import { elementsOf, examplesOf } from './docs-examples.ts';

/** A text of the documentation. */
export interface DocsPage {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  /** Link to the source of a written page, as HTML. */
  readonly edit?: string;
}

/** The parts of a page around its text. */
export interface Frame {
  readonly menu: string;
  readonly previous?: DocsPage | undefined;
  readonly next?: DocsPage | undefined;
  /** The line about the version, as HTML. */
  readonly version: string;
}

/** HTML in a page is plain text: it is escaped. */
const markdown = new MarkdownIt({ html: false, linkify: false });

/** The whole page. */
export function htmlOf(page: DocsPage, { menu, previous, next, version }: Frame): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(page.title)} – Sallyport</title>
<link rel="icon" href="../icon-192.png" type="image/png">
<link rel="stylesheet" href="docs.css">
<link rel="alternate" href="${page.name}.md" type="text/markdown">
<script type="module" src="search.js"></script>
</head>
<body>
<nav aria-label="Documentation">
<a class="home" href="../">Sallyport</a>
<button type="button" popovertarget="menu">Menu</button>
<div id="menu" popover>
<label>Search <input id="search" type="search" autocomplete="off" aria-keyshortcuts="Control+K"></label>
<p id="count" role="status"></p>
<ul id="found"></ul>
${menu}
</div>
</nav>
<main>
${bodyOf(page)}<footer>
<p class="turn">${turn('Previous', 'prev', previous)}${turn('Next', 'next', next)}</p>
<p>${version} <a href="${page.name}.md">This page as Markdown</a></p>
${page.edit ?? ''}</footer>
</main>
</body>
</html>
`;
}

/** The text of a page, with anchors at its headings, and the examples that run named. */
function bodyOf(page: DocsPage): string {
  const anchorFor = openAnchors();
  const examples = new Map(examplesOf(page).map(({ name, last }) => [last, name]));
  const elements = new Map(elementsOf(page).map((each) => [each.block, each]));
  let [script, html] = [-1, -1];
  return (
    markdown
      .render(page.text)
      // Links among the texts work in a repository, too.
      .replace(/href="([\w-]+)\.md(#[\w-]*)?"/g, 'href="$1.html$2"')
      .replace(/<h([23])>(.*?)<\/h\1>/g, (_, level: string, heading: string) => {
        const words = heading.replace(/<[^>]*>/g, '');
        const id = anchorFor(words);
        const link = `<a class="anchor" href="#${id}" aria-label="Link to ${words}">#</a>`;
        return `<div class="headed"><h${level} id="${id}">${heading}</h${level}>${link}</div>`;
      })
      .replace(/<img src="(pictures\/[\w-]+\.svg)"/g, (tag, path: string) => `${tag} ${sizeOf(path)}`)
      .replace(/<pre>(?=<code class="language-js">)/g, (tag) => {
        script += 1;
        const name = examples.get(script);
        return name === undefined ? tag : `<pre data-example="${name}">`;
      })
      .replace(/<pre>(?=<code class="language-html">)/g, (tag) => {
        html += 1;
        const example = elements.get(html);
        return example === undefined ? tag : `<pre data-element="${escape(JSON.stringify(example))}">`;
      })
      .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
      .replaceAll('</table>', '</table></div>')
  );
}

/** Width and height of a picture, so that the text beneath it does not move when it is loaded. */
function sizeOf(path: string): string {
  const svg = readFileSync(join(import.meta.dirname, '../../web/docs', path), 'utf8');
  const [, width = 0, height = 0] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
  return `width="${Number(width) * 1.2}" height="${Math.round(Number(height) * 1.2)}"`;
}

function turn(word: string, rel: string, page: DocsPage | undefined): string {
  return page === undefined ? '' : `<a rel="${rel}" href="${page.name}.html">${word}: ${escape(page.title)}</a>`;
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Ids of the frame around a text. */
const OF_THE_PAGE = ['search', 'found', 'count', 'menu'];

/** Gives each heading of a page an anchor of its own: entries export the same names. */
function openAnchors(): (heading: string) => string {
  const taken = new Map(OF_THE_PAGE.map((id) => [id, 1]));
  return (heading) => {
    const anchor = anchorOf(heading);
    const nth = (taken.get(anchor) ?? 0) + 1;
    taken.set(anchor, nth);
    return nth === 1 ? anchor : `${anchor}-${nth}`;
  };
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll('&quot;', '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** A section as the search reads it: its place, the title of its page, its heading, and its words. */
interface Section {
  readonly href: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

/** The sections of a page, from each heading to the next. */
export function sectionsOf({ name, title, text }: DocsPage): Section[] {
  const anchorFor = openAnchors();
  return text
    .split(/^(?=#{1,3} )/m)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [, heading = title, words = ''] = /^#{1,3} (.+)\n?([\s\S]*)/.exec(part) ?? ['', title, part];
      const anchor = heading === title ? '' : `#${anchorFor(heading)}`;
      return { href: `${name}.html${anchor}`, title, heading: heading.replaceAll('`', ''), text: plain(words) };
    });
}

/** The words of a text, without the marks of Markdown. */
export function plain(text: string): string {
  return text
    .replace(/^\[\/\/\]: # .*$/gm, '')
    .replace(/^```\w*$|^[\s|:-]+$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*/g, '')
    .replace(/(?<![\w*/])\*(?! )([^*\n]+)(?<! )\*(?![\w*/])/g, '$1')
    .replaceAll('`', '')
    .replace(/(?<!\|)\|(?!\|)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
