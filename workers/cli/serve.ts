import { readFile, realpath, stat } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { visibleLine } from '../../core/inner.ts';
import { headersFor, roleOf } from '../lock.ts';
import { type Call, type Command, EXIT, UsageError } from './command.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Serves the playground, or a folder, with the headers that lock the kernel.',
  operands: '[FOLDER]',
  options: {
    port: { value: 'N', help: 'Port on this machine; 5180 where it is absent, any free one for 0.' },
  },
  examples: ['sallyport serve', 'sallyport serve dist --port 8080'],
  run,
};

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};

async function run({ operands, options, json, terminal }: Call): Promise<number> {
  const port = portOf(options['port']);
  const folder = await realpath(operands[0] ?? fileURLToPath(new URL('.', import.meta.url))).catch(() => {
    throw new UsageError(`${operands[0]} cannot be read`);
  });
  if (!(await stat(folder)).isDirectory()) throw new UsageError(`${operands[0]} is not a folder`);
  const server = createServer(({ method, url, headers }, response) => {
    const destination = headers['sec-fetch-dest'];
    const role = roleOf({ path: url ?? '/', destination: typeof destination === 'string' ? destination : undefined });
    for (const [name, value] of Object.entries(headersFor(role))) response.setHeader(name, value);
    if (method === 'GET' || method === 'HEAD') void answer(folder, url ?? '/', response);
    else response.writeHead(405).end();
  });
  // This machine only: whoever wants to show it to others has a host of their own.
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve)).catch(
    (error: unknown) => {
      throw new UsageError(`Port ${port} cannot be used (${(error as { code?: string }).code ?? 'unknown'})`);
    },
  );
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  if (json) terminal.printJson({ address, folder });
  else terminal.print(visibleLine(`Serving ${folder} at ${address}  (Ctrl+C ends it)`));
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  server.closeAllConnections();
  server.close();
  return EXIT.ok;
}

function portOf(given: string | boolean | undefined): number {
  const port = Number(given ?? 5180);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new UsageError('--port takes a number from 0 to 65535');
}

/** A path is a stranger's: what it names must lie inside the folder, links followed. */
async function answer(folder: string, url: string, response: ServerResponse): Promise<void> {
  const file = await resolve(folder, url);
  const bytes = file === undefined ? undefined : await readFile(file).catch(() => undefined);
  if (file === undefined || bytes === undefined) return void response.writeHead(404).end(`Not found${hint(url)}\n`);
  response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(bytes);
}

function hint(url: string): string {
  return url.startsWith('/docs/')
    ? ': the package comes without the documentation, which is in web/docs of its source'
    : '';
}

async function resolve(folder: string, url: string): Promise<string | undefined> {
  try {
    const { pathname } = new URL(url, 'http://localhost');
    const path = decodeURIComponent(pathname).replace(/\/$/, '/index.html');
    const file = await realpath(join(folder, path)).catch(() => realpath(join(folder, packagedPath(path))));
    return file.startsWith(folder + sep) ? file : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The package ships the playground's workers and its engine once, under the names without a hash by which programs import
 * them. Example: `/assets/worker-kernel-Bx2kQ81a.js` is `/worker-kernel.js`.
 */
function packagedPath(path: string): string {
  return path
    .replace(/^\/assets\/(worker-\w+)-[\w-]{8}\.js$/, '/$1.js')
    .replace(/^\/assets\/.+\.wasm$/, '/quickjs.wasm');
}
