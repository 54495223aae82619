// Remembers from which files `dist/` was built, so that the same build is not made again.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hashFiles, listFiles, SKIPPED } from './check/sources.mjs';
import { ROOT } from './steps.mjs';

/** No build reads these. */
const TESTS = /^(e2e\/|test\/.*\.test\.ts$)/;

/** Where the memory is, and what it is about. @typedef {{root: string, file: string}} Place */
/** @type {Place} */
const HERE = { root: ROOT, file: join(ROOT, 'node_modules/.cache/sallyport/built.json') };

/** The playground and its docs, or the package, too. @typedef {'site' | 'all'} Extent */
/** `sources` and `dist`: hashes over all files. @typedef {{extent: Extent, sources: string, dist: string}} Built */

/** Hash over every file that a build may read, over the installed packages and over the version of Node.
 * @returns {string} */
export function hashSources({ root } = HERE) {
  const paths = listFiles(root, '', SKIPPED).filter((path) => !TESTS.test(path));
  const packages = ['node_modules/.package-lock.json'].filter((path) => existsSync(join(root, path)));
  return `${process.version} ${hashFiles(root, [...paths, ...packages])}`;
}

/** True where `dist/` is the result of the last build, of the same sources and of at least this extent.
 * @param {Extent} extent
 * @returns {boolean} */
export function isBuilt(extent, place = HERE) {
  const built = readBuilt(place.file);
  if (built === undefined || (built.extent === 'site' && extent === 'all')) return false;
  return built.sources === hashSources(place) && built.dist === hashDist(place);
}

/** Forgets the last build, because another begins.
 * @returns {void} */
export function forgetBuild({ file } = HERE) {
  rmSync(file, { force: true });
}

/** Remembers a build that has ended, unless a source changed meanwhile.
 * @param {Extent} extent
 * @param {string} sources `hashSources` before the build
 * @returns {void} */
export function rememberBuild(extent, sources, place = HERE) {
  if (hashSources(place) !== sources) return;
  mkdirSync(dirname(place.file), { recursive: true });
  writeFileSync(place.file, JSON.stringify({ extent, sources, dist: hashDist(place) }));
}

/** @param {string} file
 * @returns {Built | undefined} */
function readBuilt(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {Place} place */
function hashDist({ root }) {
  return existsSync(join(root, 'dist')) ? hashFiles(root, listFiles(root, 'dist/', new Set())) : '';
}
