// Reads from git which files changed, and from the sources which file imports which.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { ROOT } from '../steps.mjs';

const FOLDERS = ['core', 'sandbox', 'workers', 'web', 'test', '.scripts'];
const CODE = /\.(ts|mjs|js)$/;
/** The target of an import, of a re-export, of `import()` or of `new URL()`, without `?raw` and its like. */
const TARGET = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)['"](\.{1,2}\/[^'"?]+)/g;

/** Files that differ from `base`, committed or not, and new ones.
 * @param {string} base
 * @returns {string[]} */
export function changedSince(base) {
  const lines = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')].join('\n');
  return [...new Set(lines.split('\n').filter((line) => line !== ''))];
}

/** The commit that a change began at: the merge base with main on a branch, HEAD on main itself. Undefined without git.
 * @returns {string | undefined} */
export function baseCommit() {
  for (const branch of ['main', 'origin/main']) {
    const base = git('merge-base', 'HEAD', branch);
    if (base !== '') return base;
  }
  return git('rev-parse', 'HEAD') || undefined;
}

/** @param {string[]} args
 * @returns {string} empty where git fails */
function git(...args) {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

/** The imports of every source and test file.
 * @returns {Map<string, string[]>} */
export function readImports() {
  const files = FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => CODE.test(file))
      .map((file) => join(folder, file).split(sep).join('/')),
  );
  return new Map(files.map((file) => [file, importsIn(file, readFileSync(join(ROOT, file), 'utf8'))]));
}

/** @param {string} file path below the root
 * @param {string} text
 * @returns {string[]} */
export function importsIn(file, text) {
  return [...text.matchAll(TARGET)].map(([, target = '']) => posix.join(posix.dirname(file), target));
}
