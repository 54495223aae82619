import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { headersFor, roleOf } from '../workers/lock/headers.ts';
import { listenAtNewPort } from './new-port.ts';

/** A static host: folders by their path, with the headers given in the options. */
export interface StaticHost {
  readonly origin: string;
  readonly requests: readonly string[];
  close(): Promise<void>;
}

interface HostOptions {
  /** Folder or file on disk for each path, the longest path first. */
  readonly folders: { readonly [path: string]: string };
  /** File on disk for a path, before the folders are asked. */
  readonly find?: (path: string) => string | undefined;
  /** Text of a page that is answered for unknown paths, as the hosts of single pages do. */
  readonly instead?: () => string | undefined;
  /** Headers for a path; the lock's for workers where it is absent. */
  readonly headers?: (path: string) => { readonly [name: string]: string };
  /** Texts in scripts that are replaced here, for example the origins of an example. */
  readonly replace?: () => { readonly [text: string]: string };
}

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
  '.wasm': 'application/wasm',
};

/** Only workers get headers: pages of another host bring their own policy. */
export function lockedWorkers(path: string): { readonly [name: string]: string } {
  const role = roleOf({ path });
  return role === 'page' ? {} : headersFor(role);
}

/** A path that ends in `/` stands for a folder, any other path for a file. */
function fileFor(pathname: string, folders: HostOptions['folders']): string {
  const [path, place] = Object.entries(folders).find(([prefix]) => pathname.startsWith(prefix)) ?? ['', ''];
  if (!path.endsWith('/')) return place;
  return join(place, normalize(pathname.slice(path.length)).replace(/\/$|^\.$/, '/index.html'));
}

function replaced(bytes: Buffer, words: { readonly [text: string]: string }): Buffer {
  const entries = Object.entries(words);
  if (entries.length === 0) return bytes;
  return Buffer.from(entries.reduce((text, [from, to]) => text.replaceAll(from, to), bytes.toString('utf8')));
}

export async function serveFolders({
  folders,
  headers = lockedWorkers,
  replace = () => ({}),
  find = () => undefined,
  instead = () => undefined,
}: HostOptions): Promise<StaticHost> {
  const requests: string[] = [];
  const answer = async (pathname: string, response: ServerResponse): Promise<void> => {
    const file = find(pathname) ?? fileFor(pathname, folders);
    const bytes = await readFile(file).catch(() => undefined);
    const page = instead();
    if (bytes === undefined && page !== undefined)
      return void response.writeHead(200, { 'Content-Type': 'text/html' }).end(page);
    if (bytes === undefined) return void response.writeHead(404).end();
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    response.writeHead(200, { 'Content-Type': type, ...headers(pathname) });
    response.end(extname(file) === '.js' ? replaced(bytes, replace()) : bytes);
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    // Browsers ask for this icon by themselves.
    if (pathname === '/favicon.ico') return void response.writeHead(204).end();
    requests.push(pathname);
    void answer(pathname, response);
  });
  const port = await listenAtNewPort(server);
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { origin: `http://127.0.0.1:${port}`, requests, close };
}
