import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { FOLDER } from './build.mjs';

export const WASM = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');

const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** @param {import('node:http').IncomingMessage} request @param {(said: any) => void} hear */
async function hearOf(request, hear) {
  hear(await json(request));
}

/** Isolated, so that the clock is fine enough for a single step.
 * @param {(said: any) => void} [hear] gets the messages of a page that no driver listens to */
export async function serve(hear = () => undefined) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'POST') {
      void hearOf(request, hear).finally(() => response.end());
      return;
    }
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    if (pathname === '/') {
      response
        .setHeader('Content-Type', 'text/html')
        .end('<!doctype html><title>bench</title><script type="module" src="/page.js"></script>');
      return;
    }
    const file = pathname === '/quickjs.wasm' ? WASM : join(FOLDER, pathname);
    try {
      const type = TYPES[/** @type {keyof typeof TYPES} */ (extname(file))] ?? 'application/octet-stream';
      response.setHeader('Content-Type', type).end(readFileSync(file));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return { address: `http://127.0.0.1:${address.port}/`, close: () => server.close() };
}
