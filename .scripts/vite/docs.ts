import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, repositoryOf } from '../publish-address.mjs';
import { buildExamples } from './docs-examples.ts';
import { type DocsPage, escape, htmlOf } from './docs-page.ts';
import { plain, sectionsOf } from './docs-search.ts';
import { editLink } from './edit-link.ts';
import { generatedPages } from './reference.ts';

/** An older version of the documentation, and where it is. */
interface OlderVersion {
  readonly version: string;
  readonly address: string;
}

/** The parts of the documentation, in the order of its menu; a page that no part names is a fault. */
const PARTS: { readonly [part: string]: readonly string[] } = {
  Start: ['index'],
  Tutorials: [
    'first-run',
    'scenarios',
    'start-a-project',
    'first-capability',
    'embed',
    'local-model',
    'private-notes',
    'be-the-model',
  ],
  'How to': [
    'headers',
    'doors',
    'device',
    'small-model',
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
    'agent-server',
    'write-a-store',
    'test',
    'theme',
    'frameworks',
    'react',
    'class',
  ],
  'Keep and check': ['verify', 'retention', 'durability', 'witnesses', 'otlp'],
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
  'Work on it': ['architecture', 'design', 'glossary', 'style', 'languages', 'extend'],
};

/** Files that a page loads. */
const LOADED = ['docs.css', 'search.js', 'rank.js', 'copy.js', 'run.js'];

/** Builds `dist/docs/`: a page of plain HTML for each text, the text itself, and the index of its search. */
export async function buildDocs(root: string): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest & { version: string };
  if (repositoryOf(manifest) === undefined)
    console.log('docs: no edit links, because `repository` in package.json has no address.');
  const pages = inOrder([...readPages(join(root, 'web/docs'), manifest), ...(await generatedPages(root))]);
  const older = JSON.parse(readFileSync(join(root, 'web/docs/versions.json'), 'utf8')) as readonly OlderVersion[];
  const version = versionLine(manifest.version, older);
  const folder = join(root, 'dist/docs');
  mkdirSync(folder, { recursive: true });
  for (const [at, page] of pages.entries()) {
    const frame = { menu: menu(page, pages), previous: pages[at - 1], next: pages[at + 1], version };
    writeFileSync(join(folder, `${page.name}.html`), htmlOf(page, frame));
    writeFileSync(join(folder, `${page.name}.md`), page.text);
  }
  writeFileSync(join(root, 'dist/llms.txt'), outlineOf(pages));
  writeFileSync(join(folder, 'search.json'), JSON.stringify(pages.flatMap(sectionsOf)));
  for (const file of LOADED) writeFileSync(join(folder, file), readFileSync(join(root, 'web/docs', file)));
  cpSync(join(root, 'web/docs/pictures'), join(folder, 'pictures'), { recursive: true });
  await buildExamples(root, pages);
}

/** The pages in the order of the menu. Throws where the menu and the texts differ. */
function inOrder(pages: readonly DocsPage[]): DocsPage[] {
  const named = Object.values(PARTS).flat();
  const stray = pages.filter(({ name }) => !named.includes(name)).map(({ name }) => name);
  if (stray.length > 0) throw new Error(`The menu of the documentation does not name ${stray.join(', ')}.`);
  return named.map((name) => find(pages, name));
}

function find(pages: readonly DocsPage[], name: string): DocsPage {
  const page = pages.find((each) => each.name === name);
  if (page === undefined) throw new Error(`The menu of the documentation names ${name}, which is not there.`);
  return page;
}

/** The version of the package that the pages describe, and the older versions that are kept. */
function versionLine(version: string, older: readonly OlderVersion[]): string {
  const links = older.map((each) => `<a href="${escape(each.address)}">${escape(each.version)}</a>`);
  const others = links.length === 0 ? 'No other version is kept.' : `Older: ${links.join(', ')}.`;
  return `This page describes version ${escape(version)}. ${others}`;
}

/**
 * Outline for models that read a site: the product, and of each page the address as text and the first sentence. The
 * form is that of llmstxt.org.
 */
function outlineOf(pages: readonly DocsPage[]): string {
  const [, lead = ''] = find(pages, 'index').text.split('\n\n');
  const parts = Object.entries(PARTS).map(([part, names]) => {
    const links = names.map((name) => {
      const page = find(pages, name);
      return `- [${page.title}](docs/${name}.md): ${firstSentence(page)}`;
    });
    return `## ${part}\n\n${links.join('\n')}`;
  });
  return `# Sallyport\n\n> ${lead}\n\n${parts.join('\n\n')}\n`;
}

/** The first sentence under the title of a page. */
function firstSentence({ title, text }: DocsPage): string {
  const first = text.split('\n\n').find((part) => /^(?!```)[A-Z`*[]/.test(part)) ?? title;
  const words = plain(first);
  return /^.+?\.(?= |$)/.exec(words)?.[0] ?? words.replace(/:$/, '.');
}

function readPages(folder: string, manifest: Manifest): DocsPage[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const title = /^# (.+)$/m.exec(text)?.[1] ?? '';
      return { name: file.slice(0, -3), title, text, edit: editLink(manifest, `web/docs/${file}`) };
    });
}

function menu(current: DocsPage, pages: readonly DocsPage[]): string {
  const item = (name: string) => {
    const here = name === current.name ? ' aria-current="page"' : '';
    return `<li><a href="${name}.html"${here}>${escape(find(pages, name).title)}</a></li>`;
  };
  return Object.entries(PARTS)
    .map(([part, names]) => `<h2>${part}</h2>\n<ul>\n${names.map(item).join('\n')}\n</ul>`)
    .join('\n');
}
