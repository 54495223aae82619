import { mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { buildThread, threadId } from './thread.ts';

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  readonly version: string;
};

/** The command is one file: the sandbox's thread and the engine are in it as data. */
function inlined(): Plugin {
  return {
    name: 'sallyport:inlined',
    enforce: 'pre',
    resolveId: threadId,
    async load(id) {
      if (id.endsWith('?thread')) {
        const { file } = await buildThread(id.replace(/\?thread$/, ''), {
          folder: mkdtempSync(join(tmpdir(), 'thread-')),
        });
        return `export default new URL(${JSON.stringify(`data:text/javascript;base64,${base64(file)}`)});`;
      }
      if (!id.endsWith('/workers/node/wasm.ts')) return null;
      const wasm = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
      return `export const readWasm = async () => Buffer.from(${JSON.stringify(base64(wasm))}, 'base64');`;
    },
  };
}

function base64(file: string): string {
  return readFileSync(file).toString('base64');
}

export default defineConfig({
  plugins: [inlined()],
  publicDir: false,
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
      output: { codeSplitting: false, entryFileNames: '[name].js' },
    },
  },
});
