// The files of the repository, as the checks may read them: their content and the files that each names.
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isolatedDeclarationSync } from 'rolldown/experimental';

/** `hash`: of the content. `seen`: hash of the part that other files can see: the types of the exports.
 * `targets`: paths that the file names, below the root, whether there is a file or not.
 * `configures`: it configures a tool. `declares`: it may declare types for other files. `built`: it names the package
 * or a file of `dist/`.
 * @typedef {{hash: string, seen: string, targets: string[], configures: boolean, declares: boolean, built: boolean}} Source */
/** Path below the root, with `/`, to its source. `dist`: hash over the built files.
 * @typedef {{files: Map<string, Source>, dist: string}} Sources */

/** Folders without sources. */
export const SKIPPED = new Set([
  'node_modules',
  '.git',
  'dist',
  'test-results',
  'playwright-report',
  '.shots',
  '__pycache__',
]);

/** Code that the compiler and the linter read. */
export const CODE = /\.[cm]?[jt]sx?$/;

/** A configuration at any depth, JSON and code at the root, and the checks themselves. */
const CONFIGURATION =
  /(^|\/)(\.[^/]*|package\.json|tsconfig[^/]*\.json|biome\.jsonc?)$|^[^/]+\.(json|ts)$|^\.scripts\/(check|steps)\b/;
const DECLARES = /^\s*declare (global|module)\b|^\/\/\/ *<reference/m;
/** Without an import or export, a file is no module, and its names are global. */
const MODULE = /^\s*(import|export)\b/m;
/** Any relative path in quotes: imports, types of imports, and more than these. */
const TARGET = /['"`](\.{1,2}(?:\/[^'"`?\s]*)?)(?=['"`?])/g;
const BUILT = /['"`](sallyport\b|(\.\.\/)+dist\b)/;

/** @param {string} root
 * @param {(path: string) => boolean} isIsolated the compiler holds its exports to explicit types (`isolatedDeclarations`)
 * @returns {Sources} */
export function readSources(root, isIsolated) {
  const paths = listFiles(root, '', SKIPPED);
  const built = existsSync(join(root, 'dist')) ? listFiles(root, 'dist/', new Set(['assets', 'docs'])) : [];
  return {
    files: new Map(paths.map((path) => [path, sourceOf(path, readFileSync(join(root, path)), isIsolated(path))])),
    dist: hashFiles(root, built),
  };
}

/** @param {string} path below the root
 * @param {Buffer} content
 * @param {boolean} isolated
 * @returns {Source} */
export function sourceOf(path, content, isolated) {
  const code = CODE.test(path);
  const text = code ? content.toString('utf8') : '';
  const named = [...text.matchAll(TARGET)].map(([, target = '']) => posix.join(posix.dirname(path), target));
  const targets = [...new Set(named)];
  return {
    hash: hash('sha1', content),
    seen: hash('sha1', isolated ? declarationsOf(path, text) : content),
    targets,
    configures: CONFIGURATION.test(path),
    declares: code && (DECLARES.test(text) || !MODULE.test(text)),
    built: BUILT.test(text),
  };
}

/** The types of the exports; the whole text where they cannot be told from the file alone.
 * @param {string} path
 * @param {string} text */
function declarationsOf(path, text) {
  const { code, errors } = isolatedDeclarationSync(path, text);
  return errors.length === 0 ? code : text;
}

/** Hash over the paths and the contents of files.
 * @param {string} root
 * @param {string[]} paths
 * @returns {string} */
export function hashFiles(root, paths) {
  return hash('sha1', paths.map((path) => `${path} ${hash('sha1', readFileSync(join(root, path)))}`).join('\n'));
}

/** Paths of all files in a folder, below the root.
 * @param {string} root
 * @param {string} folder empty, or with `/` at its end
 * @param {Set<string>} skipped
 * @returns {string[]} in the order of their names */
export function listFiles(root, folder, skipped) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder + entry.name;
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : listFiles(root, `${path}/`, skipped);
      return entry.isFile() && path !== '.git' ? [path] : [];
    });
}
