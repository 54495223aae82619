// Makes a fresh clone ready, and runs commands of the repository and of its packages. Needs only the modules of Node.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The file behind a package's command, so that it runs under this very Node, without npx and on any platform.
 * @param {string} name a package, or `package#command`
 * @returns {string} */
export function binOf(name) {
  const [pkg = name, command] = name.split('#');
  const home = join(ROOT, 'node_modules', pkg);
  const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  return join(home, typeof bin === 'string' ? bin : bin[command ?? pkg]);
}

/** Resolves to the exit code; a signal counts as failure.
 * @param {string[]} args for Node
 * @param {{env?: NodeJS.ProcessEnv, cwd?: string}} [options]
 * @returns {Promise<number>} */
export async function node(args, { env, cwd = ROOT } = {}) {
  return ended(spawn(process.execPath, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } }));
}

/** Runs a script of the section `wireit` of package.json behind the scripts that it depends on. A script whose files are
 * those with which it last passed is not run again, except on machines for integration, which set `CI`.
 * @param {string} script
 * @param {{beside?: boolean}} [options] `beside`: at a low priority, in the time in which other work waits; the output
 *   is printed when the script ends
 * @returns {Promise<number>} the exit code */
export async function wireit(script, { beside = false } = {}) {
  if (process.env.CI) rmSync(join(ROOT, '.wireit'), { recursive: true, force: true });
  const env = {
    // Copies of earlier results would grow without a bound; the results themselves are not made again without a change.
    WIREIT_CACHE: 'none',
    WIREIT_FAILURES: 'continue',
    WIREIT_LOGGER: beside ? 'quiet-ci' : undefined,
    // The compiler and the linter's type checker end within seconds: collecting garbage took a quarter of their time.
    GOGC: 'off',
    GOMEMLIMIT: `${Math.max(2, Math.floor(totalmem() / 2 ** 32))}GiB`,
    ...process.env,
    npm_config_user_agent: process.env['npm_config_user_agent'] ?? `npm/10.0.0 node/${process.version}`,
    npm_lifecycle_event: script,
    npm_package_json: join(ROOT, 'package.json'),
  };
  const stdio = beside ? 'pipe' : 'inherit';
  const child = spawn(process.execPath, [binOf('wireit')], { cwd: ROOT, stdio: ['ignore', stdio, stdio], env });
  if (beside && child.pid !== undefined) lower(child.pid);
  /** @type {Buffer[]} */
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(chunk));
  const code = await ended(child);
  if (beside) process.stdout.write(`\n==== ${script}\n${Buffer.concat(chunks).toString('utf8')}`);
  return code;
}

/** @param {number} pid */
function lower(pid) {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // it has ended, or the system gives no priorities
  }
}

/** @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>} */
function ended(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

const CACHE = join(ROOT, 'node_modules/.cache/sallyport');

let bundles = 0;

/** Builds a module of this repository as a single file that Node runs.
 * @param {string} entry path from the root
 * @returns {Promise<{file: string, remove: () => void}>} */
export async function bundleForNode(entry) {
  // Only when a test runs: its help needs no bundler.
  const { build, runnerImport } = await import('vite');
  /** @type {{module: typeof import('./vite/thread.ts')}} */
  const { module } = await runnerImport(join(ROOT, '.scripts/vite/thread.ts'));
  const outDir = join(CACHE, `${entry.replace(/\W+/g, '-')}-${process.pid}-${bundles++}`);
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    plugins: [module.thread(CACHE)],
    build: {
      ssr: true,
      target: 'node20',
      outDir,
      rolldownOptions: {
        input: { bundle: join(ROOT, entry) },
        output: { codeSplitting: false },
        checks: { bundlerTimings: false },
      },
    },
  });
  return { file: join(outDir, 'bundle.js'), remove: () => rmSync(outDir, { recursive: true, force: true }) };
}

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
