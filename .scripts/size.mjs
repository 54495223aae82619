// `npm run size`: the gzipped sizes of a first visit, as a table. `--parts` lists the contents of the workers: the share
// of each module is an estimate, because a module compresses better beside similar modules. Each is minified and gzipped
// alone, and the sum is scaled to the size of the whole file.
//
// Each row has one number, its goal. The command fails for a size over its goal by more than a twentieth. A goal that is
// met with much room, or that was given up, is changed in its row.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, minify } from 'vite';
import { ROOT } from './steps.mjs';

const PARTS = [
  'workers/kernel/worker.ts',
  'workers/sandbox/worker.ts',
  'workers/auditor/worker.ts',
  'core/verify.ts',
  'web/element.ts',
];

const DIST = join(ROOT, 'dist');
const ASSETS = join(DIST, 'assets');

/** A file or a group of files that a visit loads, by name, in KB.
 * @typedef {{what: string, size: () => number | Promise<number>, goal: number}} Row */

/** The size over which a row fails.
 * @param {number} goal */
export function heldOf(goal) {
  return goal * 1.05;
}

/** @type {Row[]} */
export const ROWS = [
  // It holds values, finds them again for a resumed run, and widens schemas for handles.
  { what: 'kernel worker', size: () => assets(/^worker-kernel-.*\.js$/), goal: 204 },
  { what: 'sandbox worker', size: () => assets(/^worker-sandbox-.*\.js$/), goal: 25 },
  { what: 'runtime: kernel + sandbox', size: () => assets(/^worker-(kernel|sandbox)-.*\.js$/), goal: 228 },
  { what: 'engine (WASM)', size: () => assets(/^quickjs-.*\.wasm$/), goal: 234 },
  { what: 'ajv, with the first schema', size: () => assets(/^compiler\.generated-.*\.js$/), goal: 40 },
  { what: 'what checks, beside it', size: () => assets(/^checker\.generated-.*\.js$/), goal: 7 },
  // It replays a run by the transitions of the kernel, and grows with them.
  { what: 'auditor, with a check', size: () => assets(/^worker-auditor-.*\.js$/), goal: 146 },
  // The page's side of it loads with the dialog, and not with the page.
  // It reads answers of every shape that servers were seen to send, and gives back what a provider demands.
  { what: 'a server elsewhere', size: () => assets(/^(worker-)?endpoint-.*\.js$/), goal: 31 },
  { what: 'a GGUF model, with engine', size: () => assets(/^(worker-model-gguf|wllama)-.*\.(js|wasm)$/), goal: 2552 },
  // It tells how far an opening is and how long a model is silent, and a person ends either.
  { what: 'element + client', size: element, goal: 42 },
  { what: 'verifier alone', size: () => bundled('core/verify.ts'), goal: 18 },
  { what: 'verifier, in a saved page', size: () => bundled('web/verifier/main.ts'), goal: 21 },
  { what: 'playground', size: page, goal: 206 },
  { what: 'style', size: () => assets(/\.css$/), goal: 1 },
];

/** @param {Row} row */
async function weigh({ what, size, goal }) {
  const kb = await size();
  const isOver = kb > heldOf(goal);
  const room = kb <= goal ? '' : isOver ? `, OVER by more than a twentieth` : ', missed within a twentieth';
  console.log(`${what.padEnd(28)} ${kb.toFixed(1).padStart(7)} KB gz  goal ${goal}${room}`);
  return isOver;
}

async function tellParts() {
  for (const entry of PARTS) {
    const { total, parts } = await partsOf(entry);
    console.log(`\n${entry}  ${total.toFixed(1)} KB gz`);
    for (const { module, share } of parts) console.log(`${share.toFixed(2).padStart(7)}  ${module}`);
  }
}

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
  return files.reduce((sum, file) => sum + kbOf(readFileSync(file)), 0);
}

/** @typedef {{module: string, share: number}} Part */

/** @param {string} entry path below the root
 * @returns {Promise<{total: number, parts: Part[]}>} in KB, the heaviest first */
async function partsOf(entry) {
  const [chunk] = await bundle(entry);
  if (chunk === undefined) throw new Error(`${entry} was not built.`);
  const total = kbOf(chunk.code);
  const alone = await Promise.all(
    Object.entries(chunk.modules).map(async ([id, { code }]) => ({ id, alone: await aloneOf(code ?? '') })),
  );
  const sum = alone.reduce((all, part) => all + part.alone, 0);
  const parts = alone.map((part) => ({ module: relative(ROOT, part.id), share: (part.alone / sum) * total }));
  return { total, parts: parts.sort((one, other) => other.share - one.share) };
}

/** @param {string} entry */
async function bundle(entry) {
  const result = await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      write: false,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: join(ROOT, entry),
        preserveEntrySignatures: 'strict',
        output: { format: 'es', codeSplitting: false },
      },
    },
  });
  const output = 'output' in result ? result.output : [];
  return output.flatMap((file) => (file.type === 'chunk' ? [file] : []));
}

/** @param {string} code */
async function aloneOf(code) {
  return kbOf((await minify('part.js', code, { compress: true, mangle: { toplevel: true } })).code);
}

/** @param {string | Uint8Array} text */
function kbOf(text) {
  return gzipSync(text, { level: 9 }).length / 1000;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const row of ROWS) if (await weigh(row)) process.exitCode = 1;
  if (process.argv.includes('--parts')) await tellParts();
}
