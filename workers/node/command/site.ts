import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readFile, realpath, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { headersFor, roleOf } from '../../lock/headers.ts';
import { isCompressed, mediaType } from '../../lock/media-types.ts';
import { RETIRED_WORKER } from '../../lock/retire.ts';
import { WEIGHTS } from '../../lock/weights.ts';

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
 * role, compressed where the client accepts it. Answers 421 for a host name that is not this machine's. Answers 404,
 * with `404.html` of the folder for a person, for a path outside of the folder, a path with a segment that begins with a
 * dot, and a file that is not regular. A site that is retired answers every `service-worker.js` with a worker that
 * removes itself.
 */
export function siteServer(folder: string, mount?: PackageMount, isRetired: boolean = false): Server {
  const answerFile = makeFileAnswer();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '/' } = request;
    const isWorker = isRetired && roleOf({ path: url }) === 'service-worker';
    const found = isWorker ? RETIRED : await readSite(folder, url, mount);
    if (found !== undefined) return answerFile(found, request, response);
    if (await answerAbsent(folder, request, response)) return;
    response.writeHead(404).end(`Not found${hint(url)}\n`);
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

/** Answers a person's request for a missing page with the site's `404.html`; false for another request or site. */
export async function answerAbsent(
  folder: string,
  { headers }: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const page = headers.accept?.includes('text/html') === true ? await readFileOf(folder, '/404.html') : undefined;
  if (page !== undefined) response.writeHead(404, { 'Content-Type': mediaType('404.html') }).end(page.bytes);
  return page !== undefined;
}

const RETIRED: ServedFile = { path: 'service-worker.js', bytes: Buffer.from(RETIRED_WORKER) };

/** A path below the mount names a file of the package, every other path a file of the folder. */
function readSite(folder: string, url: string, mount: PackageMount | undefined): Promise<ServedFile | undefined> {
  if (mount === undefined || !url.startsWith(mount.path)) return readPackaged(folder, url);
  return readPackaged(mount.folder, `/${url.slice(mount.path.length)}`);
}

async function readPackaged(folder: string, url: string): Promise<ServedFile | undefined> {
  const [path = ''] = url.split('?');
  const packaged = packagedPath(path);
  const found = (await readFileOf(folder, path)) ?? (await readFileOf(folder, packaged));
  return found ?? (packaged === SMALL_MODEL ? readSmallModel(folder) : undefined);
}

const SMALL_MODEL = '/small-model.bin';
/** Its path in the playground. */
const BUILT_MODEL = new RegExp(`^/${WEIGHTS}$`);
/** Address of either, also below the mount of a package. */
const MISSING_MODEL = new RegExp(`(?:/small-model\\.bin|/${WEIGHTS})(?:$|\\?)`);

/** The weights of the small model: of this build, or of the package `sallyport-small-model`, where it is installed. */
async function readSmallModel(folder: string): Promise<ServedFile | undefined> {
  const built = await readFileOf(folder, '/small-model/weights.bin');
  if (built !== undefined) return built;
  for (const from of [import.meta.url, pathToFileURL(join(process.cwd(), 'any.js')).href]) {
    try {
      const path = createRequire(from).resolve('sallyport-small-model/weights.bin');
      return { path, bytes: await readFile(path) };
    } catch {
      // it is not installed there
    }
  }
  return undefined;
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
  if (url.startsWith('/docs/'))
    return ': the package comes without the documentation, which is in web/docs of its source';
  return MISSING_MODEL.test(url)
    ? ': the small model is a package of its own. npm install sallyport-small-model, and serve again'
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
    .replace(/^\/selftest$/, '/selftest.html')
    .replace(BUILT_MODEL, SMALL_MODEL);
}

interface ServedFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Seconds for which a client uses a lasting answer without asking: a changed lock arrives after that time. */
const LASTING_S = 600;

/** Answers a GET or HEAD request. The headers of the lock are set before. */
type AnswerFile = (file: ServedFile, request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Answers with files: with the type of their extension, compressed where the client accepts it, and with 304 where the
 * client keeps the same answer. A client asks before each use of what it keeps, except for the addresses that
 * `isLasting` names: their bytes never change. The tag of an answer covers its headers, too: some browsers keep an old
 * policy when they get a 304 with another.
 */
export function makeFileAnswer(isLasting: (url: string) => boolean = () => false): AnswerFile {
  const compress = makeCompress();
  return async ({ path, bytes }, { method, headers, url = '/' }, response) => {
    const hash = sha256(bytes);
    const canCompress = isCompressed(path);
    const encoding = canCompress ? encodingFor(String(headers['accept-encoding'] ?? '')) : undefined;
    response.setHeader('Content-Type', mediaType(path));
    response.setHeader('Cache-Control', isLasting(url) ? `max-age=${LASTING_S}` : 'no-cache');
    if (canCompress) response.setHeader('Vary', 'Accept-Encoding');
    const tag = `"${sha256(`${hash} ${encoding} ${JSON.stringify(response.getHeaders())}`)}"`;
    response.setHeader('ETag', tag);
    if (isKept(headers['if-none-match'], tag)) return void response.writeHead(304).end();
    const sent = encoding === undefined ? bytes : await compress(bytes, hash, encoding);
    if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
    response.setHeader('Content-Length', sent.length);
    response.end(method === 'HEAD' ? undefined : sent);
  };
}

/** True where the client has the answer with this tag (RFC 9110 13.1.2). */
function isKept(tags: string | undefined, tag: string): boolean {
  return (tags ?? '').split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')));
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('base64url');
}

/** Encodings of an answer, the one with the fewest bytes first. */
const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

const COMPRESS: { readonly [E in Encoding]: (bytes: Buffer) => Promise<Buffer> } = {
  // Quality 5 takes a tenth of a second for the engine, where 11 takes seconds.
  br: (bytes) => brotli(bytes, 5),
  gzip: (bytes) => promisify(gzip)(bytes),
};

function brotli(bytes: Buffer, quality: number): Promise<Buffer> {
  return promisify(brotliCompress)(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: quality } });
}

/** Compressed files that are kept, in bytes: the playground takes less than 2 MB. */
const KEPT_BYTES_MAX = 64 << 20;

/** Compresses the bytes with this hash, or returns the result of an earlier time. */
type Compress = (bytes: Buffer, hash: string, encoding: Encoding) => Promise<Buffer>;

/** Ms without a request after which answers are compressed again. */
const QUIET_MS = 20_000;

/**
 * Compresses each content once for each encoding, also where several requests wait for it. While no request comes for
 * `quietMs`, the answers in Brotli are made again in their smallest form, one at a time: a tenth smaller.
 */
export function makeCompress(quietMs: number = QUIET_MS): Compress {
  const kept = new Map<string, Promise<Buffer>>();
  let keptBytes = 0;
  /** Contents whose answer in Brotli is not in its smallest form, by the key of the answer. */
  const large = new Map<string, Buffer>();
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let isShrinking = false;
  const shrink = async (): Promise<void> => {
    const [next] = large;
    if (next === undefined || isShrinking) return;
    const [key, bytes] = next;
    isShrinking = true;
    large.delete(key);
    const small = await brotli(bytes, 11).catch(() => undefined);
    if (small !== undefined && kept.has(key)) kept.set(key, Promise.resolve(small));
    isShrinking = false;
    later(0);
  };
  const later = (ms: number): void => {
    clearTimeout(quiet);
    quiet = setTimeout(() => void shrink(), ms).unref();
  };
  return (bytes, hash, encoding) => {
    if (large.size > 0) later(quietMs);
    const key = `${encoding} ${hash}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const making = COMPRESS[encoding](bytes);
    // The compressed bytes are at most a little more than the plain ones.
    if (keptBytes + bytes.length > KEPT_BYTES_MAX) {
      kept.clear();
      large.clear();
      keptBytes = 0;
    }
    keptBytes += bytes.length;
    kept.set(key, making);
    making.catch(() => kept.delete(key));
    if (encoding === 'br') {
      large.set(key, bytes);
      later(quietMs);
    }
    return making;
  };
}

/** The encoding with the fewest bytes that the client accepts; `q=0` means that it does not. */
function encodingFor(accepted: string): Encoding | undefined {
  const taken = accepted
    .toLowerCase()
    .split(',')
    .map((each) => each.trim().split(/\s*;\s*/))
    .filter(([, weight = 'q=1']) => !/^q=0(\.0*)?$/.test(weight))
    .map(([name]) => name);
  return ENCODINGS.find((encoding) => taken.includes(encoding));
}
