import { spawnSync } from 'node:child_process';

/** Runs npm, which is a Node program: `npm run` says where it lies. Throws when it fails.
 * @param {readonly string[]} args @param {string} cwd */
export function npm(args, cwd) {
  const path = process.env['npm_execpath'];
  /** @type {import('node:child_process').SpawnSyncOptions} */
  const options = { cwd, stdio: ['ignore', 'inherit', 'inherit'] };
  const done = path?.endsWith('.js')
    ? spawnSync(process.execPath, [path, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (done.status !== 0) throw new Error(`npm ${args.slice(0, 2).join(' ')} failed; see its message above.`);
}
