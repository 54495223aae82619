import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, runnerImport } from 'vite';
import { ROOT } from '../steps.mjs';

/** A folder of this process alone, so that two simultaneous benchmarks do not disturb each other. */
export const FOLDER = join(ROOT, `node_modules/.cache/sallyport/bench-${process.pid}`);

export function removeBuild() {
  rmSync(FOLDER, { recursive: true, force: true });
}

/** Builds a part that measures in Node, and loads it.
 * @param {string} entry in `test/bench`, by default the sections and the format of their rows
 * @returns {Promise<any>} */
export async function buildForNode(entry = 'node') {
  /** @type {{module: typeof import('../vite/thread.ts')}} */
  const { module } = await runnerImport(join(ROOT, '.scripts/vite/thread.ts'));
  const plugins = [module.thread(FOLDER)];
  await bundle(entry, { plugins, ssr: { external: true }, build: { ssr: true, target: 'node20' } });
  return import(pathToFileURL(join(FOLDER, `${entry}.js`)).href);
}

/** The page, the worker that measures, and the sandboxes that it may ask the page for. */
export function buildForWorker() {
  worker ??= buildWorker();
  return worker;
}

/** Built once for all browsers. @type {Promise<void> | undefined} */
let worker;

async function buildWorker() {
  const conditions = ['worker', 'browser', 'module', 'import', 'default'];
  const config = { resolve: { conditions }, build: { target: 'es2024', assetsInlineLimit: 0, modulePreload: false } };
  for (const entry of ['page', 'worker']) await bundle(entry, config);
  await bundle('sandbox', config, 'workers/sandbox/worker.ts');
}

/** @param {string} name @param {import('vite').InlineConfig} config */
async function bundle(name, config, entry = `test/bench/${name}.ts`) {
  await build({
    ...config,
    configFile: false,
    root: ROOT,
    base: './',
    publicDir: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      ...config.build,
      outDir: FOLDER,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        input: { [name]: join(ROOT, entry) },
        output: { codeSplitting: false, entryFileNames: '[name].js', assetFileNames: '[name][extname]' },
        preserveEntrySignatures: 'strict',
        checks: { bundlerTimings: false },
      },
    },
  });
}
