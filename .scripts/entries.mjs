// The package's entries, read from `exports` in package.json, the only place that names them.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from './steps.mjs';

/** `./dist/core.js` with types `./dist/types/core/index.d.ts` is made from `core/index.ts`. An entry without `default`
 * has types and no code.
 * @returns {Array<{name: string, source: string, runs: boolean}>} */
export function packageEntries() {
  /** @type {{exports: Record<string, string | {types: string, default?: string}>}} */
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return Object.values(manifest.exports).flatMap((target) => {
    if (typeof target === 'string') return [];
    const source = target.types.replace('./dist/types/', '').replace(/\.d\.ts$/, '.ts');
    return [{ name: basename(target.default ?? source, '.js'), source, runs: target.default !== undefined }];
  });
}
