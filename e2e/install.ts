import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

interface Manifest {
  readonly dependencies: object;
  readonly peerDependencies: object;
}

/**
 * A new folder of a project that has installed the package as `npm pack` makes it, and the peer of its hooks; the
 * tarball lies in the folder.
 */
export function installPackage(): string {
  const consumer = mkdtempSync(join(tmpdir(), 'sallyport-consumer-'));
  const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', consumer], {
    encoding: 'utf8',
  });
  const home = join(consumer, 'node_modules/sallyport');
  mkdirSync(home, { recursive: true });
  execFileSync('tar', ['-xzf', join(consumer, packed.trim()), '--strip-components=1', '-C', home]);
  // Copies the packages that `npm install` would bring, and no other part of this repository.
  const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    mkdirSync(dirname(join(consumer, 'node_modules', name)), { recursive: true });
    symlinkSync(resolve('node_modules', name), join(consumer, 'node_modules', name));
  }
  writeFileSync(join(consumer, 'package.json'), '{ "type": "module" }');
  return consumer;
}
