import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import type * as documents from '../../test/bench/documents.ts';
import { type Manifest, repositoryOf } from '../release.mjs';
import { buildExamples, writeElementFiles } from './docs-examples.ts';
import { type DocsPage, escape, htmlOf, plain, sectionsOf } from './docs-page.ts';
import { versionLine, writtenPages } from './docs-written.ts';
import { generatedPages } from './reference.ts';

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
    'held',
    'be-the-model',
  ],
  'How to': [
    'headers',
    'deploys',
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
    'agent-frameworks',
    'serve-mcp',
    'gateway',
    'mcp-hosts',
    'least-privilege',
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
  'Keep and check': ['verify', 'retention', 'witnesses', 'otlp'],
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
    'dependencies',
    'conformance',
    'changelog',
  ],
  Explanation: [
    'why',
    'walkthrough',
    'threats',
    'mcp-attacks',
    'break-it',
    'strictness',
    'proofs',
    'engine',
    'durability',
    'storage',
    'scale',
    'small-model',
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
  const pages = inOrder([...(await filled(root, manifest)), ...(await generatedPages(root))]);
  const older = JSON.parse(readFileSync(join(root, 'web/docs/versions.json'), 'utf8')) as readonly string[];
  const version = versionLine(manifest, older);
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
  writeElementFiles(root, pages);
  await buildExamples(root, pages);
}

/** The written pages, with their tables of measurements. */
async function filled(root: string, manifest: Manifest): Promise<DocsPage[]> {
  const { module } = await runnerImport<typeof documents>(join(root, 'test/bench/documents.ts'));
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  return writtenPages(join(root, 'web/docs'), manifest).map((page) => ({
    ...page,
    text: module.withMeasurements(page.text, read),
  }));
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

/** The first sentence under the title of a page, which says who needs the page. */
export function firstSentence({ title, text }: DocsPage): string {
  const first = text.split('\n\n').find((part) => /^(?!```)[A-Z`*[]/.test(part)) ?? title;
  const words = plain(first);
  return /^.+?\.(?= |$)/.exec(words)?.[0] ?? words.replace(/:$/, '.');
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
