import { defineConfig, type Plugin } from 'vite';
import { finished } from './finished.ts';

/** What sets a style sheet in is for who reads its source; a page downloads it for nothing. */
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
 * The element, for a page without a bundler too: nothing of it is left to whoever installs it, and what is needed only
 * by some (ajv, a script's proposer) lies in files of its own.
 */
export default defineConfig({
  plugins: [finished(), closeUp],
  publicDir: false,
  // Built as for a server so that addresses stay as they are written, and with what browsers are to get.
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
        // One file with all that a run needs: left alone, what a later file shares with it becomes a third one, and
        // two files compress worse than one.
        codeSplitting: { groups: [{ name: 'run', test: /web[\\/]element[\\/]run\.ts$/ }] },
      },
    },
  },
});
