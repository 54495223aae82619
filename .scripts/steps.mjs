// Runs commands of the repository and of its packages; shared by the scripts in this folder.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
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
