// Runs the commands of one task in order and sums them up; shared by the scripts in this folder.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
 * @param {{env?: NodeJS.ProcessEnv}} [options]
 * @returns {Promise<number>} */
export function node(args, { env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Runs every step even when one fails: one run shows everything that is wrong.
 * @param {Array<{name: string, args: string[], env?: NodeJS.ProcessEnv}>} steps
 * @returns {Promise<string[]>} the names of the steps that failed */
export async function runAll(steps) {
  const failed = [];
  for (const { name, args, env } of steps) {
    const start = performance.now();
    const code = await node(args, env ? { env } : {});
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
    if (code !== 0) failed.push(name);
  }
  return failed;
}
