import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { brotliCompressSync, constants } from 'node:zlib';

/** Headers of a connection, and those that a compressed copy changes. */
const OWN = ['connection', 'content-encoding', 'content-length', 'date', 'etag', 'keep-alive', 'transfer-encoding'];

/** Serves the playground of a built tree with the headers that lock its kernel, on a port and so an origin of its own.
 * @param {import('./trees.mjs').Tree} tree @returns {Promise<{address: string, close: () => Promise<void>}>} */
export async function serveTree({ home }) {
  const command = [join(home, 'dist/cli.js'), 'serve', join(home, 'dist'), '--port', '0'];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const close = async () => {
    child.kill();
    await ended;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const [address] = /http:\/\/\S+/.exec(line) ?? [];
    if (address !== undefined) return { address, close };
  }
  throw new Error(`${home} is not served.`);
}

/** The same files as a host serves them: compressed, and files with a hash in their name kept by the browser. `sent` tells
 * the bytes of all answers so far.
 * @param {import('./trees.mjs').Tree} tree */
export async function serveCompressed(tree) {
  const origin = await serveTree(tree);
  /** @type {Map<string, Promise<{status: number, headers: Record<string, string>, body: Buffer}>>} */
  const files = new Map();
  let sent = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const made = files.get(path) ?? compressed(new URL(path, origin.address));
    files.set(path, made);
    made.then(
      ({ status, headers, body }) => {
        sent += body.length;
        return response.writeHead(status, headers).end(body);
      },
      () => response.destroy(),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await origin.close();
  };
  return { address: `http://127.0.0.1:${address.port}/`, sent: () => sent, close };
}

/** @param {URL} url */
async function compressed(url) {
  const answer = await fetch(url);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !OWN.includes(name)));
  if (/\/assets\//.test(url.pathname)) headers['cache-control'] = 'public, max-age=31536000, immutable';
  if (bytes.length < 500) return { status: answer.status, headers, body: bytes };
  return {
    status: answer.status,
    headers: { ...headers, 'content-encoding': 'br' },
    // The quality of `sallyport serve`, which hosts exceed.
    body: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  };
}
