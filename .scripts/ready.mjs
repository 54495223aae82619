// Makes a fresh clone ready: right Node, installed dependencies. Uses only the modules of Node.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Installs the packages of `package-lock.json`, unless they are installed already. */
export function ready() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    stop(`Sallyport needs Node 20.19 or later; this is ${process.version}.`);
  const reason = whyInstall();
  if (reason === undefined) return;
  console.log(`${reason}: running npm ci …`);
  const done = npm(['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  if (done !== 0) stop('npm ci failed; see its message above.');
}

/** @returns {string | undefined} */
function whyInstall() {
  const installed = join(ROOT, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return 'Dependencies are not installed';
  const [want, have] = [packages(join(ROOT, 'package-lock.json')), packages(installed)];
  // Optional packages are for other platforms; only the installed ones must agree.
  const stale = Object.entries(want).some(([path, pkg]) => {
    if (path === '') return false;
    const there = have[path];
    return there === undefined ? pkg.optional !== true : there.integrity !== pkg.integrity;
  });
  return stale ? 'Installed dependencies differ from package-lock.json' : undefined;
}

/** @param {string} lockfile
 * @returns {Record<string, {integrity?: string, optional?: boolean}>} */
function packages(lockfile) {
  return JSON.parse(readFileSync(lockfile, 'utf8')).packages;
}

/** npm itself is a Node program; `npm run` says where it lies.
 * @param {string[]} args */
function npm(args) {
  const path = process.env.npm_execpath;
  const options = /** @type {const} */ ({ cwd: ROOT, stdio: 'inherit' });
  const done = path?.endsWith('.js')
    ? spawnSync(process.execPath, [path, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  return done.status ?? 1;
}

/** @param {string} message
 * @returns {never} */
function stop(message) {
  console.error(message);
  process.exit(1);
}
