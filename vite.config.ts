import { basename, dirname, join } from 'node:path';
import { defineConfig } from 'vite';
import { buildId } from './.scripts/vite/build-id.ts';
import { checkedSources } from './.scripts/vite/checked-sources.ts';
import { compressed } from './.scripts/vite/compressed.ts';
import { engine } from './.scripts/vite/engine.ts';
import { firstLoad } from './.scripts/vite/first-load.ts';
import { lock, singleFile } from './.scripts/vite/lock.ts';
import { preload, START, VIEWS } from './.scripts/vite/preload.ts';
import { script } from './.scripts/vite/script.ts';
import manifest from './package.json' with { type: 'json' };

/** `workers/kernel/worker.ts` becomes `assets/worker-kernel-….js`: the name by which servers know a worker. */
function workerName(entry: { readonly name: string; readonly facadeModuleId?: string | null }): string {
  const file = (entry.facadeModuleId ?? '').split('?')[0] ?? '';
  const name = /[\\/]worker\.ts$/.test(file) ? basename(dirname(file)) : entry.name;
  return `assets/worker-${name}-[hash].js`;
}

/** Absolute path of a file of this repository. */
function source(path: string): string {
  return join(import.meta.dirname, path);
}

const first = firstLoad(
  'library',
  [START, source('web/playground/early-kernel.ts')],
  ['index', source('web/playground/main.ts'), source('workers/client/secondary-clients.ts')],
  [VIEWS, source('web/playground/show-page.ts')],
);

/** The playground. The package is built by `.scripts/build.mjs`. */
export default defineConfig({
  base: './',
  appType: 'mpa',
  publicDir: 'web/public',
  define: { SALLYPORT_VERSION: JSON.stringify(manifest.version) },
  plugins: [
    engine(),
    buildId(import.meta.dirname),
    checkedSources(import.meta.dirname),
    lock(),
    compressed(),
    script(),
    first.plugin,
    preload(),
  ],
  worker: {
    format: 'es',
    plugins: () => [singleFile()],
    rolldownOptions: { output: { codeSplitting: false, entryFileNames: workerName } },
  },
  build: {
    // This directory may already hold the package; the build script removes the old files of the playground.
    emptyOutDir: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      // A person who starts the playground on a slow machine cannot change the plugins of its build.
      checks: { pluginTimings: false },
      output: {
        // A host would send the header of a worker with a part of the page called `worker-…`.
        chunkFileNames: ({ name }) => `assets/${name.replace(/^worker\b/, 'shared-part')}-[hash].js`,
        codeSplitting: {
          groups: first.groups,
        },
      },
    },
  },
  optimizeDeps: {
    // The other pages of this repository load the built package, which a development server does not have.
    entries: ['index.html'],
    // A package that is found late would reload the page.
    include: [
      'comlink',
      'idb',
      'lit',
      'quickjs-emscripten-core',
      '@jitl/quickjs-wasmfile-release-sync',
      '@noble/ed25519',
      'minisearch',
    ],
  },
  server: { port: 5179, cors: false, hmr: { overlay: false } },
  preview: { port: 5180, cors: false },
});
