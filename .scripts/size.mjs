// `npm run size`: what a browser downloads, compressed, beside the budgets of the design. Build first.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ROOT } from './steps.mjs';

const DIST = join(ROOT, 'dist');

/** The files of each row are all that match. KB are 1,000 bytes; a row without a budget is there to be known.
 * @type {Array<{what: string, files: RegExp, budget?: number}>} */
const ROWS = [
  { what: 'runtime at start, without WASM', files: /^assets\/worker-(kernel|sandbox)-[^/]+\.js$/, budget: 48 },
  { what: '  kernel worker', files: /^assets\/worker-kernel-[^/]+\.js$/ },
  { what: '  sandbox worker', files: /^assets\/worker-sandbox-[^/]+\.js$/ },
  { what: 'playground shell', files: /^(index\.html|assets\/index-[^/]+\.(js|css))$/, budget: 110 },
  { what: 'schema compiler, with the first run-time schema', files: /^assets\/compiler[^/]*\.js$/, budget: 45 },
  { what: 'QuickJS, WASM', files: /^assets\/emscripten-module-[^/]+\.wasm$/ },
  { what: 'verifier', files: /^(assets\/)?verif[^/]*\.(js|html)$/ },
];

const files = existsSync(DIST) ? readdirSync(DIST, { recursive: true, encoding: 'utf8' }) : [];
const sizes = ROWS.map(({ what, files: wanted, budget }) => {
  const found = files.map((file) => file.replaceAll('\\', '/')).filter((file) => wanted.test(file));
  return { what, found: found.length, budget, kb: found.reduce((sum, file) => sum + gzipped(file), 0) / 1000 };
});
if (!sizes.some(({ found }) => found > 0)) throw new Error('There is nothing in dist: run npm run build first.');

console.log(`${'what'.padEnd(50)}  gz KB  budget  met`);
for (const { what, found, budget, kb } of sizes) {
  if (found === 0) continue;
  const met = budget === undefined ? '' : kb <= budget ? 'yes' : 'NO';
  console.log(`${what.padEnd(50)} ${kb.toFixed(1).padStart(6)} ${String(budget ?? '').padStart(7)}  ${met}`.trimEnd());
}
if (sizes.some(({ budget, kb }) => budget !== undefined && kb > budget)) process.exitCode = 1;

function gzipped(/** @type {string} */ file) {
  return gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length;
}
