// Installs packages of Debian, and reports its work.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Installs packages where this machine has Debian's package manager and the rights to use it.
 * @param {string} reason
 * @param {readonly string[]} packages */
export function installFromDebian(reason, packages) {
  if (!existsSync('/usr/bin/apt-get')) return;
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  if (sudo.length > 0 && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status !== 0) return;
  const install = [...sudo, 'apt-get', 'install', '--yes', '--no-install-recommends'];
  console.log(`${reason}: running ${[...install, ...packages].join(' ')} …`);
  run([...sudo, 'apt-get', 'update', '--quiet']);
  // each apart: an older Debian may lack a package, and the remaining packages are installed all the same
  for (const each of packages) run([...install, each]);
}

/** Package managers print much; their output matters only when they fail.
 * @param {string[]} argv */
export function run([command = '', ...args]) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const done = spawnSync(command, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (done.status !== 0)
    console.error(
      `${command} ${args.join(' ')} failed:\n${(done.stderr || done.stdout || String(done.error ?? '')).trim()}`,
    );
}
