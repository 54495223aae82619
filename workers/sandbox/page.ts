import { taken } from '../lock/realm-port.ts';
import type { SchemaPort } from '../ports.ts';
import type { SandboxHost } from './host.ts';
import { Pool } from './pool.ts';
import type { PersistentSandboxPort, Spawn } from './port.ts';
import { realmSchemas } from './schemas.ts';

/** Sandboxes for a worker behind the lock: the page creates and ends their workers, and fetches their scripts. */
export function pageSandboxes(
  host: SandboxHost,
): () => Promise<{ readonly sandbox: PersistentSandboxPort; readonly schemas: SchemaPort }> {
  return async () => {
    const pool = new Pool(pageSpawn(host));
    return { sandbox: pool, schemas: realmSchemas(pool.realms, host.scripts) };
  };
}

/** Workers that a page creates and ends, and whose end by themselves it tells. */
export function pageSpawn({ spawn, kill, ended }: Omit<SandboxHost, 'scripts'>): Spawn {
  return {
    spawn: async () => {
      const { id, port } = taken(await spawn());
      const end = ended(id).then((reason) => ({ isMemory: false, reason }));
      return { port, terminate: () => void kill(id), ended: end };
    },
  };
}
