import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../steps.mjs';

const CACHE = join(ROOT, 'node_modules/.cache/sallyport');

let bundles = 0;

/** Builds a module of this repository as a single file that Node runs.
 * @param {string} entry path from the root
 * @returns {Promise<{file: string, remove: () => void}>} */
export async function bundleForNode(entry) {
  // Only when a test runs: its help needs no bundler.
  const { build, runnerImport } = await import('vite');
  /** @type {{module: typeof import('../vite/thread.ts')}} */
  const { module } = await runnerImport(join(ROOT, '.scripts/vite/thread.ts'));
  const outDir = join(CACHE, `${entry.replace(/\W+/g, '-')}-${process.pid}-${bundles++}`);
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    plugins: [module.thread(CACHE)],
    build: {
      ssr: true,
      target: 'node20',
      outDir,
      rolldownOptions: {
        input: { bundle: join(ROOT, entry) },
        output: { codeSplitting: false },
        checks: { bundlerTimings: false },
      },
    },
  });
  return { file: join(outDir, 'bundle.js'), remove: () => rmSync(outDir, { recursive: true, force: true }) };
}
