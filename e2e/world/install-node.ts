import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The package of the registry that carries Node's binary for this machine and no script. */
const PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Installs a version of Node in a folder, or returns the reason why it cannot be installed. */
export function installNode(
  version: string,
  folder: string,
): { readonly binary: string } | { readonly reason: string } {
  const home = join(folder, version);
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{}');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', `${PACKAGE}@${version}`];
  const { status, stderr } = spawnSync('npm', args, {
    cwd: home,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0)
    return { reason: `${PACKAGE}@${version} cannot be installed: ${/^npm error .+/m.exec(stderr)?.[0]}` };
  const { bin } = JSON.parse(readFileSync(join(home, 'node_modules', PACKAGE, 'package.json'), 'utf8')) as {
    readonly bin: { readonly node: string };
  };
  return { binary: join(home, 'node_modules', PACKAGE, bin.node) };
}
