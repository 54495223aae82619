import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join, relative, sep } from 'node:path';
import { headersFor, roleOf } from '../../lock/headers.ts';
import { makeFileAnswer, type ServedFile } from './file-answer.ts';

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
  const answerFile = makeFileAnswer();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '/' } = request;
    const found = await readSite(folder, url, mount);
    if (found === undefined) response.writeHead(404).end(`Not found${hint(url)}\n`);
    else await answerFile(found, request, response);
  };
  return createServer((request, response) => {
    const { method, url = '/', headers } = request;
    const destination = headers['sec-fetch-dest'];
    const role = roleOf({ path: url, destination: typeof destination === 'string' ? destination : undefined });
    for (const [name, value] of Object.entries(headersFor(role))) response.setHeader(name, value);
    if (!OWN_HOST.test(headers.host ?? '')) response.writeHead(421).end('This server answers to localhost only.\n');
    else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405).end();
    else answer(request, response).catch(() => response.destroy());
  });
}

/** A path below the mount names a file of the package, every other path a file of the folder. */
function readSite(folder: string, url: string, mount: PackageMount | undefined): Promise<ServedFile | undefined> {
  if (mount === undefined || !url.startsWith(mount.path)) return readPackaged(folder, url);
  return readPackaged(mount.folder, `/${url.slice(mount.path.length)}`);
}

async function readPackaged(folder: string, url: string): Promise<ServedFile | undefined> {
  const [path = ''] = url.split('?');
  return (await readFileOf(folder, path)) ?? readFileOf(folder, packagedPath(path));
}

/**
 * Reads the file that a stranger's path names; undefined where there is none. After links are followed, it must be a
 * regular file inside the folder, which is absolute, with links followed.
 */
export async function readFileOf(folder: string, url: string): Promise<ServedFile | undefined> {
  let file: FileHandle | undefined;
  try {
    const { pathname } = new URL(url, 'http://localhost');
    const asked = decodeURIComponent(pathname).replace(/\/$/, '/index.html');
    const path = await realpath(join(folder, asked));
    if (!path.startsWith(folder + sep) || hasDot(relative(folder, path)) || hasDot(asked)) return;
    // The check precedes the opening, because opening a device can act; without O_NONBLOCK, opening a pipe would wait.
    if (!(await stat(path)).isFile()) return;
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    return (await file.stat()).isFile() ? { path, bytes: await file.readFile() } : undefined;
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
