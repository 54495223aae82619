import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Folders whose files become the files of a build. */
const FOLDERS = ['core', 'sandbox', 'workers', 'web'];
const SOURCE = /\.(?:[cm]?[jt]s|json|css|html)$/;

/**
 * Tells each file of a build the hash of all sources, so that a page notices a worker of another build
 * (`workers/lock/greeting.ts`). The same sources give the same hash.
 */
export function buildId(root: string): Plugin {
  return {
    name: 'sallyport:build-id',
    apply: 'build',
    config: () => ({ define: { SALLYPORT_BUILD: JSON.stringify(hashOf(root)) } }),
  };
}

function hashOf(root: string): string {
  const inside = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`);
  const files = FOLDERS.flatMap(inside).map((file) => file.replaceAll('\\', '/'));
  const hash = createHash('sha256');
  for (const file of ['package.json', 'package-lock.json', ...files.filter((each) => SOURCE.test(each)).sort()])
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex').slice(0, 16);
}
