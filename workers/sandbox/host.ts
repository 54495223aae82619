import type { Crossed } from '../lock/realm-port.ts';
import type { SchemaScripts } from './schemas.ts';

/** Starts a sandbox worker; `port` is transferred. The page does it, because the kernel's lock forbids it workers. */
export type SpawnWorker = () => Promise<Crossed<{ readonly id: number; readonly port: MessagePort }>>;
export type KillWorker = (id: number) => unknown;
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
