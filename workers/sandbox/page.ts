import type { SandboxHost } from '../kernel/host.ts';
import { taken } from '../lock/realm-port.ts';
import type { SchemaPort } from '../ports.ts';
import { Pool } from './pool.ts';
import type { PersistentSandboxPort } from './port.ts';
import { realmSchemas } from './schemas.ts';

/** Sandboxes for a worker behind the lock: the page creates and ends their workers, and fetches their scripts. */
export function pageSandboxes({
  spawn,
  kill,
  scripts,
}: SandboxHost): () => Promise<{ readonly sandbox: PersistentSandboxPort; readonly schemas: SchemaPort }> {
  const spawned = async () => {
    const { id, port } = taken(await spawn());
    return { port, terminate: () => void kill(id) };
  };
  return async () => {
    const pool = new Pool({ spawn: spawned });
    return { sandbox: pool, schemas: realmSchemas(pool.realms, scripts) };
  };
}
