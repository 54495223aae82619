// Runs all tests of a change on a machine: `npm test -- --all`, then `npm run test:world` over the same build. The last
// line counts the tests of both.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { provideServers } from '../server-install.mjs';
import { addUp } from './lines.mjs';

provideServers();
const all = await run('npm', ['test', '--', '--all']);
const world = await run('npm', ['run', 'test:world', '--', '--built']);
console.log(`\n${addUp([all, world])}`);
process.exitCode = all.code === 0 && world.code === 0 ? 0 : 1;

/** Prints the output of a command, and returns its last line.
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<{code: number, last: string}>} */
async function run(command, args) {
  const windows = process.platform === 'win32';
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], shell: windows });
  let last = '';
  createInterface(child.stdout).on('line', (line) => {
    console.log(line);
    if (line.trim() !== '') last = line;
  });
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (/** @type {number | null} */ exit) => resolve(exit ?? 1));
  });
  return { code, last };
}
