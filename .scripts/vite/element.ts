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
 * The element, also for a page without a bundler: its user has no build step. Rarely needed parts (ajv, a script's
 * proposer) lie in files of their own.
 */
export default defineConfig({
  plugins: [finished(), buildId(join(import.meta.dirname, '../..')), closeUp],
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
