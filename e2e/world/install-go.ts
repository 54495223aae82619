import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Go, and Debian's copy of golang.org/x/mod. */
interface Go {
  run(args: readonly string[]): SpawnSyncReturns<string>;
}

const MODULES = '/usr/share/gocode';
const SUMDB = 'src/golang.org/x/mod/sumdb/tlog';

/**
 * Go with `golang.org/x/mod` of this machine, or Debian's packages unpacked in a folder, which needs no rights and
 * installs no package. Returns the reason where neither can be had.
 */
export function installGo(folder: string): Go | { readonly reason: string } {
  const here = spawnSync('go', ['env', 'GOROOT'], { encoding: 'utf8' });
  if (here.status === 0 && existsSync(join(MODULES, SUMDB))) return goIn(here.stdout.trim(), MODULES, folder);
  const depends = spawnSync('apt-cache', ['depends', 'golang-go'], { encoding: 'utf8' });
  const [, version] = /Depends: golang-([\d.]+)-go/.exec(depends.stdout ?? '') ?? [];
  if (version === undefined) return { reason: 'Go is not installed, and Debian has no package golang-go here' };
  mkdirSync(folder, { recursive: true });
  const packages = [`golang-${version}-go`, `golang-${version}-src`, 'golang-golang-x-mod-dev'];
  const { status, stderr } = spawnSync('apt-get', ['download', ...packages], { cwd: folder, encoding: 'utf8' });
  if (status !== 0)
    return { reason: `${packages.join(', ')} cannot be downloaded: ${/^E: .+/m.exec(stderr ?? '')?.[0]}` };
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb')))
    spawnSync('dpkg-deb', ['-x', file, '.'], { cwd: folder });
  const root = join(folder, `usr/lib/go-${version}`);
  if (!existsSync(join(root, 'bin/go'))) return { reason: `golang-${version}-go has no bin/go` };
  return goIn(root, join(folder, MODULES), folder);
}

/** Go without modules: it reads packages from a folder, and no network. */
function goIn(root: string, path: string, folder: string): Go {
  const env = {
    ...process.env,
    GOROOT: root,
    GOPATH: path,
    GOCACHE: join(folder, 'cache'),
    GO111MODULE: 'off',
    GOFLAGS: '',
    CGO_ENABLED: '0',
  };
  return { run: (args) => spawnSync(join(root, 'bin/go'), args, { encoding: 'utf8', env }) };
}
