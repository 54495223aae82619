import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

/** Files that come with their first use: the engine of a GGUF model and its worker, and the test of a device. */
const LATER = /\/(?:wllama-[^/]+\.wasm|(?:worker-model-gguf|selftest)-[^/]+\.js)$/;

/** Builds the service worker for the contents of a built site: the page, its assets, its manifest and icons. */
export async function buildServiceWorker(root: string, dist: string = join(root, 'dist')): Promise<void> {
  const files = siteFiles(dist, readdirSync(join(root, 'web/public'), { recursive: true, encoding: 'utf8' }));
  await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    define: {
      SALLYPORT_LATER: JSON.stringify(files.filter((file) => LATER.test(file))),
      SALLYPORT_ENTRIES: JSON.stringify(entriesIn(readFileSync(join(dist, 'index.html'), 'utf8'))),
      SALLYPORT_FILES: JSON.stringify(hashesOf(dist, files)),
      SALLYPORT_VERSION: JSON.stringify(versionOf(dist, files)),
    },
    build: {
      target: 'es2024',
      outDir: dist,
      emptyOutDir: false,
      // A single classic script: some browsers lack service workers that are modules.
      rolldownOptions: {
        input: join(root, 'workers/lock/service-worker.ts'),
        output: { format: 'iife', entryFileNames: 'service-worker.js' },
      },
    },
  });
}

function siteFiles(dist: string, others: readonly string[]): string[] {
  const inside = (folder: string) => readdirSync(join(dist, folder)).map((file) => `${folder}/${file}`);
  // The Markdown texts of the pages and the examples that run are not for offline readers.
  const docs = [...inside('docs'), ...inside('docs/pictures')].filter((file) => {
    return /\.(?!md$)\w+$/.test(file) && !/^docs\/(?:example|runtime)\b/.test(file);
  });
  return [
    'index.html',
    'selftest.html',
    'boot.js',
    ...inside('assets'),
    ...docs,
    ...others.filter((file) => /\.\w+$/.test(file) && file !== '404.html'),
  ].sort();
}

/** The SHA-256 of each file's bytes in base64, under the path by which it is asked for. */
function hashesOf(dist: string, files: readonly string[]): { readonly [file: string]: string } {
  const hash = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(dist, file)))
      .digest('base64');
  return Object.fromEntries(files.map((file) => [file.replace(/(^|\/)index\.html$/, '$1'), hash(file)]));
}

/** The files that the page names. */
function entriesIn(page: string): string[] {
  return [...new Set(Array.from(page.matchAll(/\bassets\/[\w.-]+/g), ([file]) => file))];
}

function versionOf(dist: string, files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(dist, file)));
  return hash.digest('hex').slice(0, 16);
}
