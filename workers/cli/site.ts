import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { headersFor, roleOf } from '../lock/headers.ts';

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/plain; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};

/** Extensions that are compressed; compression makes a PNG no smaller. */
const COMPRESSED = new Set(Object.keys(TYPES).filter((extension) => extension !== '.png'));
/** Compressed files that the server keeps, in bytes: the playground takes less than 2 MB. */
const KEPT_BYTES_MAX = 64 << 20;

type Encoding = 'br' | 'gzip';
const COMPRESS: { readonly [E in Encoding]: (bytes: Buffer) => Promise<Buffer> } = {
  // Quality 5 takes milliseconds where 11 takes seconds.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/** Host names of this machine. The server refuses a page of another name that resolves to it (DNS rebinding). */
const OWN_HOST = /^(localhost|127\.0\.0\.1)(:\d+)?$/i;

/** The files of the package among those of a site. */
export interface PackageMount {
  /** Begins and ends with `/`. */
  readonly path: string;
  /** Absolute, with links followed. */
  readonly folder: string;
}

/**
 * Serves the regular files of a folder, and of the package below the path of its mount: each with the headers of its
 * role, compressed where the client accepts it. Answers 421 for a host name that is not this machine's. Answers 404 for
 * a path outside of the folder, a path with a segment that begins with a dot, and a file that is not regular.
 */
export function siteServer(folder: string, mount?: PackageMount): Server {
  const compressed = new Map<string, Buffer>();
  return createServer((request, response) => {
    const { method, url = '/', headers } = request;
    const destination = headers['sec-fetch-dest'];
    const role = roleOf({ path: url, destination: typeof destination === 'string' ? destination : undefined });
    for (const [name, value] of Object.entries(headersFor(role))) response.setHeader(name, value);
    if (!OWN_HOST.test(headers.host ?? '')) response.writeHead(421).end('This server answers to localhost only.\n');
    else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405).end();
    else answer((url) => readSite(folder, url, mount), request, response, compressed).catch(() => response.destroy());
  });
}

async function answer(
  read: (url: string) => Promise<ServedFile | undefined>,
  { url = '/', headers }: IncomingMessage,
  response: ServerResponse,
  compressed: Map<string, Buffer>,
): Promise<void> {
  const found = await read(url);
  if (found === undefined) return void response.writeHead(404).end(`Not found${hint(url)}\n`);
  const extension = extname(found.path);
  response.setHeader('Content-Type', TYPES[extension] ?? 'application/octet-stream');
  if (!COMPRESSED.has(extension)) return void response.end(found.bytes);
  response.setHeader('Vary', 'Accept-Encoding');
  const encoding = encodingFor(String(headers['accept-encoding'] ?? ''));
  if (encoding === undefined) return void response.end(found.bytes);
  response.setHeader('Content-Encoding', encoding);
  response.end(await compress(found, encoding, compressed));
}

interface ServedFile {
  readonly path: string;
  readonly bytes: Buffer;
  /** Changes when the file does. */
  readonly version: string;
}

async function compress({ path, bytes, version }: ServedFile, encoding: Encoding, kept: Map<string, Buffer>) {
  const key = `${encoding} ${version} ${path}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = await COMPRESS[encoding](bytes);
  const sum = [...kept.values()].reduce((total, each) => total + each.length, made.length);
  if (sum > KEPT_BYTES_MAX) kept.clear();
  kept.set(key, made);
  return made;
}

/** The smallest encoding that the client accepts; `q=0` means that it does not. */
function encodingFor(accepted: string): Encoding | undefined {
  const taken = accepted
    .toLowerCase()
    .split(',')
    .map((each) => each.trim().split(/\s*;\s*/))
    .filter(([, weight = 'q=1']) => !/^q=0(\.0*)?$/.test(weight))
    .map(([name]) => name);
  return (['br', 'gzip'] as const).find((encoding) => taken.includes(encoding));
}

/** A path below the mount names a file of the package, every other path a file of the folder. */
function readSite(folder: string, url: string, mount: PackageMount | undefined): Promise<ServedFile | undefined> {
  if (mount === undefined || !url.startsWith(mount.path)) return read(folder, url);
  return read(mount.folder, `/${url.slice(mount.path.length)}`);
}

/**
 * Reads the file that a stranger's path names. After links are followed, it must be a regular file inside the folder.
 */
async function read(folder: string, url: string): Promise<ServedFile | undefined> {
  let file: FileHandle | undefined;
  try {
    const { pathname } = new URL(url, 'http://localhost');
    const asked = decodeURIComponent(pathname).replace(/\/$/, '/index.html');
    const path = await realpath(join(folder, asked)).catch(() => realpath(join(folder, packagedPath(asked))));
    if (!path.startsWith(folder + sep) || hasDot(relative(folder, path)) || hasDot(asked)) return;
    // The check precedes the opening, because opening a device can act; without O_NONBLOCK, opening a pipe would wait.
    if (!(await stat(path)).isFile()) return;
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = await file.stat();
    if (!found.isFile()) return;
    return { path, bytes: await file.readFile(), version: `${found.mtimeMs} ${found.size} ${found.ino}` };
  } catch {
    return;
  } finally {
    await file?.close();
  }
}

function hasDot(path: string): boolean {
  return path.split(/[/\\]/).some((segment) => segment.startsWith('.'));
}

function hint(url: string): string {
  return url.startsWith('/docs/')
    ? ': the package comes without the documentation, which is in web/docs of its source'
    : '';
}

/**
 * Path of a file in the package, which ships the playground's workers and engine a single time, under the names without
 * a hash by which programs import them. Example: `/assets/worker-kernel-Bx2kQ81a.js` is `/worker-kernel.js`.
 */
function packagedPath(path: string): string {
  return path
    .replace(/^\/assets\/(worker-\w+)-[\w-]{8}\.js$/, '/$1.js')
    .replace(/^\/assets\/quickjs-[\w-]{8}\.wasm$/, '/quickjs.wasm')
    .replace(/^\/assets\/weights-[\w-]{8}\.bin$/, '/small-model.bin');
}
