// `node e2e/package-files.mjs`: writes e2e/package-files.json, the files of the built package and their sizes.
//
// The package tests hold `npm pack` to that list: no file more, no file less, none larger than its size and some room.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../.scripts/steps.mjs';

/** `tarball` and `unpacked` in bytes; `files` has bytes by path. Files that the bundler names by a hash are added up as
 * `*-HASH` of their folder, and the types of all modules as one row.
 * @typedef {{tarball: number, unpacked: number, files: Record<string, number>}} Contents */

const LIST = join(ROOT, 'e2e/package-files.json');

/** @returns {Contents} */
export function heldContents() {
  return JSON.parse(readFileSync(LIST, 'utf8'));
}

/** Paths and sizes of the files that `npm pack` puts into the tarball, and the sizes of the tarball itself.
 * @returns {{size: number, unpackedSize: number, files: Array<{path: string, size: number}>}} */
export function pack() {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const text = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', shell: process.platform === 'win32' });
  return JSON.parse(text)[0];
}

/** @param {ReturnType<typeof pack>} packed
 * @returns {Contents} */
export function contentsOf({ size, unpackedSize, files }) {
  /** @type {Record<string, number>} */
  const bytes = {};
  const fixed = fixedNames();
  for (const { path, size: each } of files) {
    const name = fixed.has(path) ? path : rowOf(path);
    bytes[name] = (bytes[name] ?? 0) + each;
  }
  const sorted = Object.fromEntries(Object.entries(bytes).sort(([left], [right]) => (left < right ? -1 : 1)));
  return { tarball: size, unpacked: unpackedSize, files: sorted };
}

/** @param {string} path */
function rowOf(path) {
  if (path.startsWith('dist/types/')) return 'dist/types/**/*.d.ts';
  return path.replace(/[\w.-]+-[\w-]{8}(\.(?:js|css|svg))$/, '*-HASH$1');
}

/** Files over their listed size by more than a twentieth. A small file has room for a kilobyte.
 * @param {Contents} contents
 * @param {Contents} held
 * @returns {string[]} */
export function growth(contents, held) {
  const files = new Map(Object.entries(held.files));
  const rows = [
    ...Object.entries(contents.files).map(([path, bytes]) => ({ path, bytes, before: files.get(path) ?? bytes })),
    { path: 'the tarball', bytes: contents.tarball, before: held.tarball },
    { path: 'the unpacked package', bytes: contents.unpacked, before: held.unpacked },
  ];
  return rows.flatMap(({ path, bytes, before }) =>
    bytes > Math.max(before * 1.05, before + 1000) ? [`${path}: ${bytes} bytes, held ${before}`] : [],
  );
}

/** Names that the manifest spells out: they have no hash, even where they seem to end in a hash. */
function fixedNames() {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return new Set(targetsIn(exports).map((target) => target.replace('./', '')));
}

/** Targets of `exports`, under every condition.
 * @param {string | object} exports
 * @returns {string[]} */
function targetsIn(exports) {
  return typeof exports === 'string' ? [exports] : Object.values(exports).flatMap(targetsIn);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const contents = contentsOf(pack());
  writeFileSync(LIST, `${JSON.stringify(contents, null, 2)}\n`);
  console.log(`e2e/package-files.json: ${Object.keys(contents.files).length} files, ${contents.tarball} bytes packed`);
}
