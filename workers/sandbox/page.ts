import { type Crossed, taken } from '../lock/realm-port.ts';
import type { SchemaPort } from '../ports.ts';
import { Pool } from './pool.ts';
import type { PersistentSandboxPort, Spawn } from './port.ts';
import { realmSchemas, type SchemaScripts } from './schemas.ts';

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

/** Starts a sandbox worker; `port` is transferred. The page does it, because the kernel's lock forbids it workers. */
export type SpawnWorker = () => Promise<Crossed<{ readonly id: number; readonly port: MessagePort }>>;
type KillWorker = (id: number) => unknown;
/** Resolves with the reason when a started worker has ended: by itself, by a failure, or because it was killed. */
export type WorkerEnded = (id: number) => Promise<string>;
/** Loads the scripts of the schema realms; called with the first schema that needs them. */
export type LoadSchemaScripts = () => Promise<SchemaScripts>;

/** Methods of the page for a worker behind the lock that runs sandboxes: the kernel or the auditor. */
export interface SandboxHost {
  readonly spawn: SpawnWorker;
  readonly kill: KillWorker;
  readonly ended: WorkerEnded;
  readonly scripts: LoadSchemaScripts;
}
