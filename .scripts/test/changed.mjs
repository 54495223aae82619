// Reads from git which files changed.
import { execFileSync } from 'node:child_process';
import { ROOT } from '../steps.mjs';

/** Files that differ from `base`, committed or not, and new ones; empty without git and without `base`.
 * @param {string} base
 * @returns {string[]} */
export function changedFiles(base) {
  const lines = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')].join('\n');
  return [...new Set(lines.split('\n').filter((line) => line !== ''))];
}

/** The commit that a change began at: the merge base with main on a branch, HEAD on main itself.
 * @returns {string} */
export function baseCommit() {
  return git('merge-base', 'HEAD', 'main') || git('merge-base', 'HEAD', 'origin/main') || 'HEAD';
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
