import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { node, ROOT } from '../steps.mjs';

/** A built package: its name in a row, and the folder of its `dist`. @typedef {{name: string, home: string}} Tree */

/** Builds the package of this tree, and of an older commit to compare with.
 * @param {string | undefined} before a commit @returns {Promise<{now: Tree, before?: Tree}>} */
export async function openTrees(before) {
  const older = before === undefined ? undefined : await treeOf(before);
  await build(ROOT);
  return { now: { name: 'sallyport', home: ROOT }, ...(older === undefined ? {} : { before: older }) };
}

/** The built package of a commit: from the cache, or built in a work tree that is removed again.
 * @param {string} commit @returns {Promise<Tree>} */
async function treeOf(commit) {
  const id = git('rev-parse', '--verify', `${commit}^{commit}`).trim();
  const home = join(ROOT, 'node_modules/.cache/sallyport', `before-${id}`);
  const name = `sallyport at ${id.slice(0, 8)}`;
  if (existsSync(join(home, 'dist/node.js'))) return { name, home };
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-before-'));
  const tree = join(folder, 'tree');
  try {
    git('worktree', 'add', '--detach', '--quiet', tree, id);
    installIn(tree);
    await build(tree);
    mkdirSync(home, { recursive: true });
    for (const part of ['package.json', 'dist', 'node_modules']) {
      // A link leads to the packages of this tree, which the cache finds by itself.
      if (!lstatSync(join(tree, part)).isSymbolicLink())
        cpSync(join(tree, part), join(home, part), { recursive: true, verbatimSymlinks: true });
    }
  } finally {
    git('worktree', 'remove', '--force', tree);
    rmSync(folder, { recursive: true, force: true });
  }
  return { name, home };
}

/** Links the packages of this tree where they are those of the older lockfile, and installs them else.
 * @param {string} tree */
function installIn(tree) {
  const [older, ours] = [tree, ROOT].map((root) => packagesOf(join(root, 'package-lock.json')));
  const isSame = Object.entries(older ?? {}).every(
    ([path, { dev, integrity }]) => path === '' || dev === true || ours?.[path]?.integrity === integrity,
  );
  if (isSame) symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'), 'junction');
  else npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], tree);
}

/** @param {string} file
 * @returns {Record<string, {dev?: boolean, integrity?: string}>} */
function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

/** @param {string} root */
async function build(root) {
  if ((await node([join(root, '.scripts/build.mjs')], { cwd: root })) !== 0) throw new Error(`${root} was not built.`);
}

/** @param {readonly string[]} args */
function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
}

/** Runs npm, which is a Node program: `npm run` says where it lies. Throws when it fails.
 * @param {readonly string[]} args @param {string} cwd @param {NodeJS.ProcessEnv} [env] */
export function npm(args, cwd, env = process.env) {
  const path = process.env['npm_execpath'];
  /** @type {import('node:child_process').SpawnSyncOptions} */
  const options = { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] };
  const done = path?.endsWith('.js')
    ? spawnSync(process.execPath, [path, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (done.status !== 0) throw new Error(`npm ${args.slice(0, 2).join(' ')} failed; see its message above.`);
}
