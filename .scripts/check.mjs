// `npm run check`: what a machine can say without running the program.
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { binOf, ROOT, runBeside } from './steps.mjs';

/** Every tsconfig of a folder: each folder compiles against only the `lib` it may use.
 * @param {string} folder
 * @returns {string[]} */
function configs(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : configs(path);
    return /^tsconfig(\.\w+)?\.json$/.test(entry.name) && folder !== ROOT ? [relative(ROOT, path)] : [];
  });
}

const SKIPPED = new Set(['node_modules', '.git', 'dist', 'test-results', 'playwright-report']);

const failed = await runBeside([
  ...configs(ROOT).map((config) => ({ name: `tsc ${config}`, args: [binOf('typescript#tsc'), '-p', config] })),
  { name: 'oxlint', args: [binOf('oxlint'), '--deny-warnings', '--report-unused-disable-directives'] },
  { name: 'biome', args: [binOf('@biomejs/biome#biome'), 'check', '--error-on-warnings'] },
  { name: 'knip', args: [binOf('knip'), '--no-progress'] },
]);
if (failed.length > 0) {
  console.error(`\ncheck: ${failed.length} failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
