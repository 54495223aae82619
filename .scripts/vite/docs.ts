import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import MarkdownIt from 'markdown-it';
import { type Manifest, repositoryOf } from '../publish-address.mjs';
import { editLink } from './edit-link.ts';
import { generatedPages } from './reference.ts';

interface Page {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  /** Link to the source of a written page, as HTML. */
  readonly edit?: string;
}

/** The parts of the documentation, in the order of its menu; a page that no part names is a fault. */
const PARTS: { readonly [part: string]: readonly string[] } = {
  Start: ['index'],
  Tutorials: ['first-run', 'start-a-project', 'first-capability', 'embed', 'local-model', 'be-the-model'],
  'How to': [
    'headers',
    'doors',
    'device',
    'grants',
    'approvals',
    'authorizer',
    'limits',
    'sandbox',
    'host-function',
    'powers',
    'mcp-servers',
    'own-loop',
    'ai-sdk',
    'serve-mcp',
    'gateway',
    'mcp-hosts',
    'import-schemas',
    'openapi',
    'web-mcp',
    'content',
    'resume',
    'sqlite',
    'postgres',
    'test',
    'theme',
    'frameworks',
    'react',
    'class',
  ],
  'Keep and check': ['verify', 'retention', 'durability', 'otlp'],
  Reference: [
    'api',
    'exports',
    'element',
    'codes',
    'records',
    'formats',
    'schemas',
    'slices',
    'limits-reference',
    'telemetry',
    'sizes',
    'numbers',
    'browsers',
    'conformance',
  ],
  Explanation: [
    'why',
    'walkthrough',
    'threats',
    'mcp-attacks',
    'break-it',
    'strictness',
    'proofs',
    'storage',
    'scale',
    'long-tests',
    'dependencies',
    'changelog',
  ],
  'Work on it': ['architecture', 'design', 'glossary', 'style', 'extend'],
};

/** HTML in a page is plain text: it is escaped. */
const markdown = new MarkdownIt({ html: false, linkify: false });

/** Builds `dist/docs/`: a page of plain HTML for each text, and the index of its search. */
export async function buildDocs(root: string): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  if (repositoryOf(manifest) === undefined)
    console.log('docs: no edit links, because `repository` in package.json has no address.');
  const pages: readonly Page[] = [...readPages(join(root, 'web/docs'), manifest), ...(await generatedPages(root))];
  const folder = join(root, 'dist/docs');
  mkdirSync(folder, { recursive: true });
  const byName = new Map(pages.map((page) => [page.name, page]));
  const named = Object.values(PARTS).flat();
  const stray = [...byName.keys()].filter((name) => !named.includes(name));
  if (stray.length > 0) throw new Error(`The menu of the documentation does not name ${stray.join(', ')}.`);
  for (const name of named) writeFileSync(join(folder, `${name}.html`), htmlOf(must(byName, name), byName));
  for (const name of named) writeFileSync(join(folder, `${name}.md`), must(byName, name).text);
  writeFileSync(join(root, 'dist/llms.txt'), outlineOf(byName));
  writeFileSync(join(folder, 'search.json'), JSON.stringify(named.flatMap((name) => sectionsOf(must(byName, name)))));
  for (const file of ['docs.css', 'search.js', 'copy.js']) {
    writeFileSync(join(folder, file), readFileSync(join(root, 'web/docs', file)));
  }
  cpSync(join(root, 'web/docs/pictures'), join(folder, 'pictures'), { recursive: true });
}

/**
 * Outline for models that read a site: the product, and the address of each page as text. The form is that of
 * llmstxt.org.
 */
function outlineOf(pages: ReadonlyMap<string, Page>): string {
  const { text } = must(pages, 'index');
  const [, lead = ''] = text.split('\n\n');
  const parts = Object.entries(PARTS).map(([part, names]) => {
    const links = names.map((name) => `- [${must(pages, name).title}](docs/${name}.md)`);
    return `## ${part}\n\n${links.join('\n')}`;
  });
  return `# Sallyport\n\n> ${lead}\n\n${parts.join('\n\n')}\n`;
}

function must(pages: ReadonlyMap<string, Page>, name: string): Page {
  const page = pages.get(name);
  if (page === undefined) throw new Error(`The menu of the documentation names ${name}, which is not there.`);
  return page;
}

function readPages(folder: string, manifest: Manifest): Page[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      return { name: file.slice(0, -3), title: titleOf(text), text, edit: editLink(manifest, `web/docs/${file}`) };
    });
}

export function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}

function htmlOf(page: Page, pages: ReadonlyMap<string, Page>): string {
  // Links among the texts work in a repository, too.
  const body = markdown.render(page.text).replace(/href="([\w-]+)\.md(#[\w-]*)?"/g, 'href="$1.html$2"');
  const anchorFor = openAnchors();
  const headed = body.replace(/<h([23])>(.*?)<\/h\1>/g, (_, level: string, text: string) => {
    return `<h${level} id="${anchorFor(text.replace(/<[^>]*>/g, ''))}">${text}</h${level}>`;
  });
  const sized = headed.replace(/<img src="(pictures\/[\w-]+\.svg)"/g, (tag, path: string) => `${tag} ${sizeOf(path)}`);
  const tables = sized
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(page.title)} – Sallyport</title>
<link rel="icon" href="../icon-192.png" type="image/png">
<link rel="stylesheet" href="docs.css">
<script type="module" src="search.js"></script>
</head>
<body>
<nav aria-label="Documentation">
<a class="home" href="../">Sallyport</a>
<button type="button" popovertarget="menu">Menu</button>
<div id="menu" popover>
<label>Search <input id="search" type="search" autocomplete="off"></label>
<ul id="found" aria-live="polite"></ul>
${menu(page.name, pages)}
</div>
</nav>
<main>
${tables}
${page.edit ?? ''}</main>
</body>
</html>
`;
}

/** Width and height of a picture, so that the text beneath it does not move when it is loaded. */
function sizeOf(path: string): string {
  const svg = readFileSync(join(import.meta.dirname, '../../web/docs', path), 'utf8');
  const [, width = 0, height = 0] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
  return `width="${Number(width) * 1.2}" height="${Math.round(Number(height) * 1.2)}"`;
}

function menu(current: string, pages: ReadonlyMap<string, Page>): string {
  const item = (name: string) => {
    const here = name === current ? ' aria-current="page"' : '';
    return `<li><a href="${name}.html"${here}>${escape(must(pages, name).title)}</a></li>`;
  };
  return Object.entries(PARTS)
    .map(([part, names]) => `<h2>${part}</h2>\n<ul>\n${names.map(item).join('\n')}\n</ul>`)
    .join('\n');
}

/** Sections for the search: page, heading, and words. */
function sectionsOf({ name, title, text }: Page) {
  const anchorFor = openAnchors();
  return text
    .split(/^(?=#{1,3} )/m)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const heading = /^#{1,3} (.+)/.exec(part)?.[1] ?? title;
      const anchor = heading === title ? '' : `#${anchorFor(heading)}`;
      return {
        href: `${name}.html${anchor}`,
        title,
        heading: heading.replaceAll('`', ''),
        text: part.replace(/\s+/g, ' '),
      };
    });
}

/** An anchor of its own for each heading of a page: entries export the same names, and three are of the page itself. */
function openAnchors(): (heading: string) => string {
  const taken = new Map([
    ['search', 1],
    ['found', 1],
    ['menu', 1],
  ]);
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

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
