import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { buildId } from './build-id.ts';
import { finished } from './finished.ts';
import { MCP_ALIASES } from './mcp.ts';
import { script } from './script.ts';

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  readonly version: string;
};

/** The command, which starts the sandbox's thread and reads the engine from the files beside it. */
export default defineConfig({
  plugins: [finished(), buildId(join(import.meta.dirname, '../..')), script()],
  publicDir: false,
  resolve: { alias: MCP_ALIASES },
  ssr: { noExternal: true },
  define: { SALLYPORT_VERSION: JSON.stringify(manifest.version) },
  build: {
    ssr: true,
    target: 'node20',
    outDir: 'dist',
    emptyOutDir: false,
    minify: true,
    rolldownOptions: {
      input: { cli: 'workers/cli.ts' },
      // The SDK of MCP is loaded by `sallyport mcp` alone.
      output: { entryFileNames: '[name].js', chunkFileNames: 'cli-[name]-[hash].js' },
    },
  },
});
