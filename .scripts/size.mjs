// `npm run size`: what a first visit loads, gzipped, as a table. Over a limit, it fails.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ROOT } from './steps.mjs';

const DIST = join(ROOT, 'dist');
const ASSETS = join(DIST, 'assets');

/** What is loaded, by name, with the limit in KB where there is one.
 * @type {Array<{what: string, file: RegExp, limit?: number}>} */
const ROWS = [
  { what: 'kernel worker', file: /^worker-kernel-.*\.js$/ },
  { what: 'sandbox worker', file: /^worker-sandbox-.*\.js$/ },
  { what: 'playground', file: /^(index|playground)-.*\.js$/, limit: 110 },
  { what: 'a model elsewhere', file: /^(worker-)?endpoint-.*\.js$/ },
  { what: 'style', file: /^.*\.css$/ },
  { what: 'engine (WASM)', file: /\.wasm$/ },
  { what: 'ajv, with the first schema', file: /^compiler\.generated-.*\.js$/, limit: 45 },
];
/** Kernel and sandbox: the runtime without any page. */
const RUNTIME = { what: 'runtime: kernel + sandbox', limit: 48 };

/** What a page loads for `<sallyport-run>` before a run is started. */
const ELEMENT = { what: 'element + client', limit: 20 };

/** The files of the element with all that they import before anything runs.
 * @param {string} file
 * @returns {string[]} */
function withImports(file) {
  const source = readFileSync(join(DIST, file), 'utf8');
  const named = [...source.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)].map(([, name = '']) => name);
  return [file, ...named.flatMap(withImports)];
}

function elementSize() {
  const run = readdirSync(DIST).filter((name) => /^element-run-.*\.js$/.test(name));
  const files = new Set(['element.js', ...run].flatMap(withImports));
  return (
    [...files].reduce((sum, name) => sum + gzipSync(readFileSync(join(DIST, name)), { level: 9 }).length, 0) / 1000
  );
}

/** @param {RegExp} file */
function gzipped(file) {
  const found = readdirSync(ASSETS).filter((name) => file.test(name));
  return found.reduce((sum, name) => sum + gzipSync(readFileSync(join(ASSETS, name)), { level: 9 }).length, 0) / 1000;
}

const rows = ROWS.map(({ what, file, limit }) => ({ what, size: gzipped(file), limit }));
const runtime = rows.slice(0, 2).reduce((sum, { size }) => sum + size, 0);
let over = false;
const element = { ...ELEMENT, size: elementSize() };
for (const { what, size, limit } of [...rows, element, { ...RUNTIME, size: runtime }]) {
  const isOver = limit !== undefined && size > limit;
  over ||= isOver;
  const note = limit === undefined ? '' : `  of ${limit} KB${isOver ? '  OVER' : ''}`;
  console.log(`${what.padEnd(28)} ${size.toFixed(1).padStart(7)} KB gz${note}`);
}
if (over) process.exitCode = 1;
