import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianServer, installDriver, PgServer, type Programs, serverFolder } from '../../e2e/world/postgres-server.ts';
import type { PgPool } from '../../workers/postgres.ts';

interface OwnPool extends PgPool {
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: { readonly [column: string]: unknown }[] }>;
  end(): Promise<void>;
}

/** A server, its driver and a folder, which `close` removes. Throws where a program is missing. */
export async function startServer() {
  const folder = serverFolder();
  try {
    const server = new PgServer(folderOf(debianServer()), folder);
    const driver = folderOf(installDriver(mkdtempSync(join(tmpdir(), 'sallyport-load-'))));
    server.make();
    await server.start();
    const { Pool } = createRequire(`${driver}/package.json`)('pg') as { Pool: new (options: object) => OwnPool };
    const newPool = (options: object = {}) => {
      const pool = new Pool({ connectionString: server.address(), ...options });
      // The server ends an idle connection when it stops; the next query opens another.
      pool.on?.('error', () => undefined);
      return pool;
    };
    const close = async () => {
      await server.stop();
      for (const each of [folder, driver]) rmSync(each, { recursive: true, force: true });
    };
    return { server, driver, folder, newPool, close };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function folderOf(programs: Programs): string {
  if ('reason' in programs) throw new Error(programs.reason);
  return programs.folder;
}
