import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { encodingFor, makeCompress } from './compressed.ts';

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
const COMPRESSED: ReadonlySet<string> = new Set(Object.keys(TYPES).filter((extension) => extension !== '.png'));

/** True for the path of a file that is sent compressed. */
export function isCompressed(path: string): boolean {
  return COMPRESSED.has(extname(path));
}

export interface ServedFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Seconds for which a client uses a lasting answer without asking: a changed lock arrives after that time. */
const LASTING_S = 600;

/** Answers a GET or HEAD request. The headers of the lock are set before. */
export type AnswerFile = (file: ServedFile, request: IncomingMessage, response: ServerResponse) => Promise<void>;

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
    response.setHeader('Content-Type', TYPES[extname(path)] ?? 'application/octet-stream');
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
