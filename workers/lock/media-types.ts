/** Media types of the files of a site, by extension. The command line's server and the service worker read it. */
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

/** Type of the file that a path names; of a file without a known extension that of bytes. */
export function mediaType(path: string): string {
  return TYPES[extensionOf(path)] ?? 'application/octet-stream';
}

/** True for the path of a file that compression makes smaller: every known type but PNG. */
export function isCompressed(path: string): boolean {
  const extension = extensionOf(path);
  return extension !== '.png' && Object.hasOwn(TYPES, extension);
}

function extensionOf(path: string): string {
  return /\.\w+$/.exec(path)?.[0] ?? '';
}
