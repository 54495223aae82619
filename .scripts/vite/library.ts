import { join } from 'node:path';
import { defineConfig } from 'vite';
import manifest from '../../package.json' with { type: 'json' };
import { packageEntries } from '../entries.mjs';
import { buildId } from './build-id.ts';
import { finished } from './finished.ts';
import { MCP_ALIASES, MCP_CHUNKS, MCP_PACKAGES, minifiedSdk } from './mcp.ts';

/** The element is a single file of its own. */
const entries = Object.fromEntries(
  packageEntries()
    .filter(({ name, runs }) => runs && name !== 'element')
    .map(({ name, source }) => [name, source]),
);

/**
 * The package: plain modules. Every library that a page needs is inside, so that the page can load `dist/` as it is.
 * `minisearch` alone stays a dependency: only Node imports it, for the search in a corpus.
 */
export default defineConfig({
  plugins: [finished(), buildId(join(import.meta.dirname, '../..')), minifiedSdk],
  publicDir: false,
  define: { SALLYPORT_VERSION: JSON.stringify(manifest.version) },
  resolve: { alias: MCP_ALIASES },
  ssr: { noExternal: ['comlink', /^@noble\//, ...MCP_PACKAGES] },
  build: {
    ssr: true,
    target: 'es2024',
    outDir: 'dist',
    emptyOutDir: false,
    minify: false,
    rolldownOptions: {
      // For Node its runtime would import `node:module`, which no page has.
      platform: 'neutral',
      input: entries,
      // Chunks shared by entries are no exports of an entry.
      preserveEntrySignatures: 'strict',
      // Flat: `import.meta.url` of every file lies in `dist/`, where the finished files are.
      // A host would send the header of a worker with a chunk called `worker-…`.
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: ({ name }) => `${name.replace(/^worker/, 'start')}-[hash].js`,
        codeSplitting: { groups: MCP_CHUNKS },
        // Next.js then takes the hooks as a part of the page, not of the server.
        banner: ({ name }) => (name === 'react' ? "'use client';" : ''),
      },
    },
  },
});
