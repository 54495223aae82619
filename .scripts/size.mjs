// `npm run size`: what a first visit loads, gzipped, as a table. Over a limit, it fails.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ROOT } from './steps.mjs';

const ASSETS = join(ROOT, 'dist/assets');

/** What is loaded, by name, with the limit in KB where there is one.
 * @type {Array<{what: string, file: RegExp, limit?: number}>} */
const ROWS = [
  { what: 'kernel worker', file: /^worker-kernel-.*\.js$/ },
  { what: 'sandbox worker', file: /^worker-sandbox-.*\.js$/ },
  { what: 'playground', file: /^(index|playground)-.*\.js$/ },
  { what: 'style', file: /^.*\.css$/ },
  { what: 'engine (WASM)', file: /\.wasm$/ },
  { what: 'ajv, with the first schema', file: /^compiler\.generated-.*\.js$/, limit: 45 },
];
/** Kernel and sandbox: the runtime without any page. */
const RUNTIME = { what: 'runtime: kernel + sandbox', limit: 48 };

/** @param {RegExp} file */
function gzipped(file) {
  const found = readdirSync(ASSETS).filter((name) => file.test(name));
  return found.reduce((sum, name) => sum + gzipSync(readFileSync(join(ASSETS, name)), { level: 9 }).length, 0) / 1000;
}

const rows = ROWS.map(({ what, file, limit }) => ({ what, size: gzipped(file), limit }));
const runtime = rows.slice(0, 2).reduce((sum, { size }) => sum + size, 0);
let over = false;
for (const { what, size, limit } of [...rows, { ...RUNTIME, size: runtime }]) {
  const isOver = limit !== undefined && size > limit;
  over ||= isOver;
  const note = limit === undefined ? '' : `  of ${limit} KB${isOver ? '  OVER' : ''}`;
  console.log(`${what.padEnd(28)} ${size.toFixed(1).padStart(7)} KB gz${note}`);
}
if (over) process.exitCode = 1;
