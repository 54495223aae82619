// Runs commands, alone or side by side; shared by the scripts in this folder.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, constants, setPriority } from 'node:os';
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
export function node(args, { env, cwd = ROOT } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** @typedef {{name: string, args: string[]}} Step */

/** Runs steps side by side, started in the order given, as many at a time as the machine has cores. Every step runs
 * even when another fails. The output of a step is printed when it ends.
 * @param {Step[]} steps
 * @param {number} [width]
 * @returns {Promise<string[]>} the names of the steps that failed */
export async function runBeside(steps, width = availableParallelism()) {
  const waiting = [...steps];
  /** @type {string[]} */
  const failed = [];
  const work = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      if (!(await runStep(step))) failed.push(step.name);
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return failed;
}

/** @param {Step} step
 * @returns {Promise<boolean>} whether it passed */
async function runStep({ name, args }) {
  const start = performance.now();
  const { code, output } = await capture(args);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  if (code !== 0) process.stdout.write(output.endsWith('\n') ? output : `${output}\n`);
  return code === 0;
}

/** Runs a command at a low priority: it takes the time in which other work waits.
 * @param {string[]} args for Node
 * @returns {Promise<{code: number, output: string}>} */
export function nodeBeside(args) {
  return capture(args, ({ pid }) => {
    try {
      if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
    } catch {
      // it has ended, or the system gives no priorities
    }
  });
}

/** @param {string[]} args for Node
 * @param {(child: import('node:child_process').ChildProcess) => void} [onStart]
 * @returns {Promise<{code: number, output: string}>} */
function capture(args, onStart) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], env: colored() });
    onStart?.(child);
    /** @type {Buffer[]} */
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

/** A terminal behind a pipe still shows colours. */
function colored() {
  return process.stdout.isTTY ? { FORCE_COLOR: '1', ...process.env } : process.env;
}
