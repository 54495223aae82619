import { basename, dirname } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { packageEntries } from '../entries.mjs';
import { threadId, threadName } from './thread.ts';

const entries = Object.fromEntries(packageEntries().map(({ name, source }) => [name, source]));

/**
 * Workers, threads and the WASM file ship finished beside the entries. They are named by
 * `new URL('./file', import.meta.url)`, which browsers, Node and other bundlers all understand.
 */
function finished(): Plugin {
  const files = new Map<string, string>();
  return {
    name: 'sallyport:finished',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (source.endsWith('?thread')) return threadId.call(this, source, importer);
      const name = finishedName(source);
      if (name === undefined) return null;
      files.set(`\0finished:${name}`, name);
      return `\0finished:${name}`;
    },
    load(id) {
      if (id.endsWith('?thread')) {
        const name = threadName(id.replace(/\?thread$/, ''));
        return `export default new URL(${JSON.stringify(`./${name}.js`)}, import.meta.url);`;
      }
      const name = files.get(id);
      return name === undefined
        ? null
        : `export default new URL(${JSON.stringify(`./${name}`)}, import.meta.url).href;`;
    },
  };
}

function finishedName(source: string): string | undefined {
  const worker = /^(?<file>.*\/worker\.ts)\?worker&url$/.exec(source)?.groups?.['file'];
  if (worker !== undefined) return `worker-${basename(dirname(worker))}.js`;
  return /^@jitl\/quickjs-.*\/wasm\?url$/.test(source) ? 'quickjs.wasm' : undefined;
}

/** The package: plain modules, dependencies left to whoever installs it. */
export default defineConfig({
  plugins: [finished()],
  publicDir: false,
  ssr: { external: true },
  build: {
    ssr: true,
    target: 'es2024',
    outDir: 'dist',
    emptyOutDir: false,
    minify: false,
    rolldownOptions: {
      input: entries,
      // Flat: `import.meta.url` of every file lies in `dist/`, where the finished files are.
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
