// The package's entries, read from `exports` in package.json, the only place that names them.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from './steps.mjs';

/** A target of `exports`: types, and code unless the entry has types alone.
 * @typedef {{types: string, default?: string}} Target */

/** `./dist/core.js` with types `./dist/types/core/index.d.ts` is made from `core/index.ts`. An entry without `default`
 * has types and no code. An entry with a part for pages (`browser`) is two entries here, that part the second.
 * @returns {Array<{name: string, title: string, source: string, runs: boolean}>} */
export function packageEntries() {
  /** @type {{exports: Record<string, string | (Target & {browser?: Target})>}} */
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return Object.entries(manifest.exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return [];
    const title = path.replace('.', 'sallyport');
    const inPage = target.browser === undefined ? [] : [entryOf(`${title} in a page`, target.browser)];
    return [entryOf(title, target), ...inPage];
  });
}

/** @param {string} title
 * @param {Target} target */
function entryOf(title, { types, default: code }) {
  const source = types.replace('./dist/types/', '').replace(/\.d\.ts$/, '.ts');
  return { name: basename(code ?? source, '.js'), title, source, runs: code !== undefined };
}
