// Sizes of a first visit: how each is measured, its limit, and its goal.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { partsOf } from './bundle-report.mjs';
import { ROOT } from './steps.mjs';

const DIST = join(ROOT, 'dist');
const ASSETS = join(DIST, 'assets');

/** A file or a group of files that a visit loads, by name, in KB.
 * @typedef {{what: string, size: () => number | Promise<number>, held: number, goal?: number}} Row */

/** @type {Row[]} */
export const ROWS = [
  // Keys of the playground's sources came in: 32 bytes each, which no compression makes smaller.
  { what: 'kernel worker', size: () => assets(/^worker-kernel-.*\.js$/), held: 163 },
  { what: 'sandbox worker', size: () => assets(/^worker-sandbox-.*\.js$/), held: 24 },
  { what: 'runtime: kernel + sandbox', size: () => assets(/^worker-(kernel|sandbox)-.*\.js$/), held: 187, goal: 105 },
  { what: 'engine (WASM)', size: () => assets(/^quickjs-.*\.wasm$/), held: 234 },
  { what: 'ajv, with the first schema', size: () => assets(/^compiler\.generated-.*\.js$/), held: 41, goal: 45 },
  { what: 'what checks, beside it', size: () => assets(/^checker\.generated-.*\.js$/), held: 7 },
  { what: 'auditor, with a check', size: () => assets(/^worker-auditor-.*\.js$/), held: 110 },
  // The page's side of it loads with the dialog, and not with the page.
  { what: 'a server elsewhere', size: () => assets(/^(worker-)?endpoint-.*\.js$/), held: 26 },
  { what: 'a GGUF model, with engine', size: () => assets(/^(worker-model-gguf|wllama)-.*\.(js|wasm)$/), held: 2600 },
  // Over its goal: texts of the records that another language can replace, the language of the page, and an opening
  // that hears of a missing worker came in, and so did the page's end of the changes of a request, and the return of
  // the focus.
  { what: 'element + client', size: element, held: 32.5, goal: 26 },
  { what: 'verifier alone', size: () => bundled('core/verify.ts'), held: 15, goal: 11 },
  { what: 'verifier, in a saved page', size: () => bundled('web/verifier/main.ts'), held: 18.5 },
  { what: 'playground', size: page, held: 160, goal: 150 },
  { what: 'style', size: () => assets(/\.css$/), held: 3 },
];

/** @param {RegExp} file */
function assets(file) {
  const found = readdirSync(ASSETS).filter((name) => file.test(name));
  if (found.length === 0) throw new Error(`dist/assets has nothing like ${file}: run npm run build.`);
  return gzipped(found.map((name) => join(ASSETS, name)));
}

/** Scripts that the page runs at once. It names the workers, too, which are measured apart. */
function page() {
  const named = [
    ...readFileSync(join(DIST, 'index.html'), 'utf8').matchAll(/(?:src|href)="\.\/(assets\/(?!worker-)[\w.-]+\.js)"/g),
  ];
  if (named.length === 0) throw new Error('dist/index.html names no script: run npm run build.');
  return gzipped(named.map(([, file = '']) => join(DIST, file)));
}

/** Size of an entry that a bundler packs.
 * @param {string} entry */
async function bundled(entry) {
  return (await partsOf(entry)).total;
}

/** Files that a page loads for `<sallyport-run>` before a run is started. */
function element() {
  const run = readdirSync(DIST).filter((name) => /^element-run-.*\.js$/.test(name));
  const files = new Set(['element.js', ...run].flatMap(withImports));
  return gzipped([...files].map((name) => join(DIST, name)));
}

/** A file with its static imports.
 * @param {string} file
 * @returns {string[]} */
function withImports(file) {
  const source = readFileSync(join(DIST, file), 'utf8');
  const named = [...source.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)].map(([, name = '']) => name);
  return [file, ...named.flatMap(withImports)];
}

/** @param {string[]} files */
function gzipped(files) {
  return files.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0) / 1000;
}
