import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import manifest from '../../package.json' with { type: 'json' };
import type { DocsPage } from './docs-page.ts';
import { finished } from './finished.ts';

/** A script of a page that runs in the page, too. */
interface Example {
  readonly name: string;
  readonly code: string;
  /** Number of its last block among the blocks of JavaScript of the page. */
  readonly last: number;
}

/** Pages whose scripts print the same lines in a page as in Node. */
const PAGES = [
  'api',
  'approvals',
  'be-the-model',
  'first-capability',
  'first-run',
  'grants',
  'host-function',
  'import-schemas',
  'limits',
  'powers',
  'sandbox',
  'slices',
  'walkthrough',
];
const IMPORT = /^import (\{[^}]+\}) from '([^']+)';.*\n/gm;
/** Modules that a page has, too. */
const KNOWN = ['sallyport/core', 'sallyport/node'];

/** The examples of a page. A block without imports continues the block before. */
export function examplesOf({ name, text }: DocsPage): Example[] {
  if (!PAGES.includes(name)) return [];
  const examples: Example[] = [];
  for (const [last, [, code = '']] of [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].entries()) {
    const before = examples.at(-1);
    if (before === undefined || code.includes('import '))
      examples.push({ name: `example-${name}-${last}`, code, last });
    else examples[examples.length - 1] = { ...before, code: `${before.code}\n${code}`, last };
  }
  return examples.filter(({ code }) => [...code.matchAll(IMPORT)].every(([, , from = '']) => KNOWN.includes(from)));
}

/** Writes each example as a module, and builds the runtime that they import. It uses the workers of the site. */
export async function buildExamples(root: string, pages: readonly DocsPage[]): Promise<void> {
  const folder = join(root, 'dist/docs');
  for (const { name, code } of pages.flatMap(examplesOf)) writeFileSync(join(folder, `${name}.js`), moduleOf(code));
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [finished((name) => `../assets/${hashed(join(root, 'dist/assets'), name)}`)],
    define: { SALLYPORT_VERSION: JSON.stringify(manifest.version) },
    ssr: { noExternal: true, resolve: { conditions: ['browser', 'module', 'import', 'default'] } },
    build: {
      ssr: true,
      target: 'es2024',
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: {
        input: { runtime: 'web/docs/runtime.ts' },
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: '[name].js', chunkFileNames: 'runtime-[name]-[hash].js', minify: true },
      },
    },
  });
}

/** The example as a function of its console, with its imports from the runtime. */
function moduleOf(code: string): string {
  const imports = [...code.matchAll(IMPORT)].map(([, names = '']) => `import ${names} from './runtime.js';\n`);
  return `${imports.join('')}export default async (console) => {\n${code.replace(IMPORT, '')}};\n`;
}

/** The file of the site's build for a finished file: its name has a hash. */
function hashed(assets: string, name: string): string {
  const [stem = '', extension = ''] = name.split('.');
  const file = readdirSync(assets).find((each) => each.startsWith(`${stem}-`) && each.endsWith(`.${extension}`));
  if (file === undefined) throw new Error(`The playground's build has nothing for ${name}.`);
  return file;
}
