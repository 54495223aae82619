// Makes a project with the packed package, installs and starts it, as a person does; shared by a script and tests.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../.scripts/steps.mjs';

const SHELL = process.platform === 'win32';
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];

/** The environment of a shell: a build of Vite in this process has set NODE_ENV, with which Next cannot build. */
function environment() {
  return { ...process.env, NODE_ENV: undefined };
}

/** Runs npm to its end in a folder; throws with its last words if it fails.
 * @param {string} folder
 * @param {string[]} args
 * @returns {string} its output */
export function npm(folder, args) {
  const how = /** @type {const} */ ({ cwd: folder, encoding: 'utf8', shell: SHELL, env: environment() });
  const { status, stdout, stderr } = spawnSync('npm', args, how);
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed: ${`${stdout}${stderr}`.trim().slice(-2000)}`);
  return stdout;
}

/** Packs the built package into a folder.
 * @param {string} folder
 * @returns {string} path of the tarball */
export function packPackage(folder) {
  return join(folder, npm(ROOT, ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]).trim());
}

/** Installs packages into a folder; without packages, those of its manifest.
 * @param {string} folder
 * @param {string[]} packages */
export function installInto(folder, packages = []) {
  npm(folder, ['install', ...QUIET, ...packages]);
}

/** Makes a project with `sallyport new` of the package as npm installs it from the tarball.
 * @param {{folder: string, name: string, template: string, tarball: string}} asked
 * @returns {string} path of the project */
export function makeProject({ folder, name, template, tarball }) {
  const tool = join(folder, 'tool');
  mkdirSync(tool, { recursive: true });
  installInto(tool, [tarball]);
  npm(tool, ['exec', '--no', '--', 'sallyport', 'new', join(folder, name), '--template', template]);
  return join(folder, name);
}

/** Starts a command of npm and waits for the address that it prints.
 * @param {string} folder
 * @param {string[]} args
 * @returns {Promise<{address: string, stop: () => Promise<void>}>} */
export async function startProject(folder, args) {
  const child = spawn('npm', args, {
    cwd: folder,
    // A group of its own: npm starts the server as a child.
    detached: !SHELL,
    shell: SHELL,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment(), NO_COLOR: '1', FORCE_COLOR: undefined },
  });
  const ended = once(child, 'close');
  const stop = async () => {
    end(child.pid ?? 0);
    await ended;
  };
  try {
    return { address: await addressOf(child), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param {number} pid */
function end(pid) {
  if (SHELL) spawnSync('taskkill', ['/pid', String(pid), '/t', '/f']);
  else
    try {
      process.kill(-pid, 'SIGTERM');
    } catch {
      // The process has ended by itself.
    }
}

/** @param {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, import('node:stream').Readable>} child
 * @returns {Promise<string>} */
function addressOf(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`It printed no address: ${said.slice(-2000)}`)), 120_000);
    const read = (/** @type {Buffer} */ part) => {
      said += part.toString();
      const found = /https?:\/\/(?:localhost|127\.0\.0\.1):\d+\/?/.exec(said);
      if (found === null) return;
      clearTimeout(timer);
      resolve(`${found[0].replace(/\/$/, '')}/`);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('close', () => reject(new Error(`It ended: ${said.slice(-2000)}`)));
  });
}
