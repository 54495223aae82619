import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import manifest from '../../package.json' with { type: 'json' };
import { buildId } from './build-id.ts';
import type { DocsPage } from './docs-page.ts';
import { finished } from './finished.ts';
import { fileOf } from './selftest.ts';

/** A script of a page that runs in the page, too. */
interface Example {
  readonly name: string;
  readonly code: string;
  /** Number of its last block among the blocks of JavaScript of the page. */
  readonly last: number;
}

const IMPORT = /^import (\{[^}]+\}) from '([^']+)';.*\n/gm;
/** Modules that a page has, too, each with its file of the site and the source of that file. */
const MODULES: { readonly [module: string]: { readonly file: string; readonly source: string } } = {
  'sallyport/core': { file: 'runtime-core', source: 'core/index.ts' },
  'sallyport/node': { file: 'runtime', source: 'web/docs/runtime.ts' },
  'sallyport/verify': { file: 'runtime-verify', source: 'core/verify.ts' },
};
const INPUT = {
  ...Object.fromEntries(Object.values(MODULES).map(({ file, source }) => [file, source])),
  'runtime-element': 'web/element.ts',
};

/** The examples of a page that run: all whose modules a page has. A block without imports continues the block before. */
export function examplesOf({ name, text }: DocsPage): Example[] {
  const examples: Example[] = [];
  for (const [last, [, code = '']] of [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].entries()) {
    const before = examples.at(-1);
    if (before === undefined || code.includes('import '))
      examples.push({ name: `example-${name}-${last}`, code, last });
    else examples[examples.length - 1] = { ...before, code: `${before.code}\n${code}`, last };
  }
  return examples.filter(
    (each) => WITHOUT_RUN[each.name] === undefined && modulesOf(each.code).every((module) => module in MODULES),
  );
}

/** Writes each example as a module, and builds the modules that they import, with the element. All use the site's workers. */
export async function buildExamples(root: string, pages: readonly DocsPage[]): Promise<void> {
  const folder = join(root, 'dist/docs');
  for (const { name, code } of pages.flatMap(examplesOf)) writeFileSync(join(folder, `${name}.js`), moduleOf(code));
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [buildId(root), finished((name) => `../assets/${fileOf(join(root, 'dist/assets'), name)}`)],
    define: { SALLYPORT_VERSION: JSON.stringify(manifest.version) },
    ssr: { noExternal: true, resolve: { conditions: ['browser', 'module', 'import', 'default'] } },
    build: {
      ssr: true,
      target: 'es2024',
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: {
        input: INPUT,
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: '[name].js', chunkFileNames: 'runtime-[name]-[hash].js', minify: true },
      },
    },
  });
}

function modulesOf(code: string): string[] {
  return [...code.matchAll(IMPORT)].map(([, , from = '']) => from);
}

/** The example as a function of its console, with its imports from the files of the site. */
function moduleOf(code: string): string {
  const imports = [...code.matchAll(IMPORT)].map(([, names = '', from = '']) => {
    return `import ${names} from './${MODULES[from]?.file}.js';\n`;
  });
  return `${imports.join('')}export default async (console) => {\n${code.replace(IMPORT, '')}};\n`;
}

/**
 * Examples without *Run*, though a page has their modules or their element. Each has its reason, by the name that the
 * example would have. A test holds the list against the pages.
 */
export const WITHOUT_RUN: { readonly [name: string]: string } = {
  'example-browsers-0': 'It prints the facts of Node. A page has other facts.',
  'example-witnesses-0': 'Only Node has `compareCheckpoints`.',
  'element-frameworks-0': 'Its page has a script and an import map inside, which the policy of this site forbids.',
  'element-local-model-0': 'Its page has a script and an import map inside, and it needs a model server.',
};

/** A `<sallyport-run>` of an example, which a page of the documentation can show in place. */
interface ElementExample {
  /** Number of its block among the blocks of HTML of the page. */
  readonly block: number;
  readonly attributes: { readonly [name: string]: string };
  /** File of the example's own style sheet. */
  readonly sheet?: string;
}

/** Its file, copied from a complete page of the repository. */
const SCENARIO = 'web/examples/plain/scenario.json';

/** The elements of a page, each with the language of its own page. Their ledgers are in memory, so they leave no data. */
export function elementsOf({ name, text }: DocsPage): ElementExample[] {
  return [...text.matchAll(/^```html\n([\s\S]*?)^```$/gm)].flatMap(([, html = ''], block) => {
    const id = `element-${name}-${block}`;
    if (!html.includes('<sallyport-run') || WITHOUT_RUN[id] !== undefined) return [];
    const own = attributesIn(/<sallyport-run([^>]*)>/.exec(html)?.[1]);
    const { lang = 'en' } = attributesIn(/<html([^>]*)>/.exec(html)?.[1]);
    const attributes = { lang, ...own, src: `example-${own['src']}`, store: 'memory' };
    const sheet = /<link rel="stylesheet"/.test(html) ? { sheet: sheetOf(name) } : {};
    return [{ block, attributes, ...sheet }];
  });
}

/** Writes the files that the elements load: their scenario, and the style sheet that stands in the same text. */
export function writeElementFiles(root: string, pages: readonly DocsPage[]): void {
  const folder = join(root, 'dist/docs');
  copyFileSync(join(root, SCENARIO), join(folder, 'example-scenario.json'));
  for (const page of pages)
    for (const { sheet } of elementsOf(page)) if (sheet !== undefined) writeFileSync(join(folder, sheet), cssIn(page));
}

function sheetOf(page: string): string {
  return `example-${page}.css`;
}

function cssIn({ name, text }: DocsPage): string {
  const css = /^```css\n([\s\S]*?)^```$/m.exec(text)?.[1];
  if (css === undefined) throw new Error(`${name}.md has an example with a style sheet, and no style sheet.`);
  return css;
}

function attributesIn(tag = ''): { readonly [name: string]: string } {
  return Object.fromEntries(
    [...tag.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
}
