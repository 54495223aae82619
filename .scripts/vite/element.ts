import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { buildId } from './build-id.ts';
import { finished } from './finished.ts';

/** Removes the indentation of style sheets: it serves readers of the source, and a page would download it in vain. */
const closeUp: Plugin = {
  name: 'sallyport:close-up',
  transform: {
    filter: { id: /web[\\/]element[\\/]style\.ts$/ },
    handler: (code) => ({ code: code.replace(/css`[^`]*`/g, closed), map: null }),
  },
};

function closed(sheet: string): string {
  return sheet.replace(/\s+/g, ' ').replace(/ ?([{};]) ?/g, '$1');
}

/**
 * Has each part that is loaded later come together with all that it imports: a browser would ask for them level by level,
 * and a slow network answers each request in half a second.
 */
const sideBySide: Plugin = {
  name: 'sallyport:side-by-side',
  generateBundle: (_, bundle) => {
    /** All files that have been loaded when this one runs. */
    const loadedWith = (file: string, seen: Set<string> = new Set()): ReadonlySet<string> => {
      const part = bundle[file];
      if (seen.has(file) || part?.type !== 'chunk') return seen;
      seen.add(file);
      for (const each of part.imports) loadedWith(each, seen);
      return seen;
    };
    for (const part of Object.values(bundle)) {
      if (part.type !== 'chunk') continue;
      const there = loadedWith(part.fileName);
      part.code = part.code.replace(/import\(`\.\/([\w.-]+)`\)/g, (written, file: string) => {
        const beside = [...loadedWith(file)].filter((each) => each !== file && !there.has(each));
        if (beside.length === 0) return written;
        return `Promise.all([${[file, ...beside].map((each) => `import(\`./${each}\`)`).join()}]).then(e=>e[0])`;
      });
    }
  },
};

/**
 * The element, also for a page without a bundler: its user has no build step. Rarely needed parts (ajv, a script's
 * proposer) lie in files of their own.
 */
export default defineConfig({
  plugins: [finished(), buildId(join(import.meta.dirname, '../..')), closeUp, sideBySide],
  publicDir: false,
  // Built as for a server, so that addresses stay as written, and with the conditions for browsers.
  ssr: { noExternal: true, resolve: { conditions: ['browser', 'module', 'import', 'default'] } },
  build: {
    ssr: true,
    target: 'es2024',
    outDir: 'dist',
    emptyOutDir: false,
    rolldownOptions: {
      input: { element: 'web/element.ts' },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: 'element-[name]-[hash].js',
        minify: true,
        // A single file with all parts that a run needs: by default the parts shared with a later file would become a
        // third file, and two files compress worse.
        codeSplitting: {
          groups: [
            // On a server the entry loads this alone: the element's own code wants a document.
            { name: 'load-part', test: /workers[\\/]load-part\.ts$/, priority: 1 },
            { name: 'run', test: /web[\\/]element[\\/]run\.ts$/ },
          ],
        },
      },
    },
  },
});
