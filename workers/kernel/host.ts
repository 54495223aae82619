import type { RuntimeInfo } from '../api.ts';
import type { Crossed } from '../lock/realm-port.ts';
import type { SchemaScripts } from '../sandbox/schemas.ts';

/** Facts and data that a new kernel receives from the page because it cannot obtain them itself. */
export interface Boot {
  readonly store: 'browser' | 'memory';
  /** The development server sends a looser lock; the kernel reports it. */
  readonly development: boolean;
}

/** Starts a sandbox worker; `port` is transferred. The page does it, because the kernel's lock forbids it workers. */
export type SpawnWorker = () => Promise<Crossed<{ readonly id: number; readonly port: MessagePort }>>;
export type KillWorker = (id: number) => unknown;
/** Resolves with the reason when a started worker has ended: by itself, by a failure, or because it was killed. */
export type WorkerEnded = (id: number) => Promise<string>;
/** Returns what the first sandbox worker found of its own lock, when it has started. */
export type SandboxProbes = () => Promise<RuntimeInfo['probes']>;
/** Loads the scripts of the schema realms; called with the first schema that needs them. */
export type LoadSchemaScripts = () => Promise<SchemaScripts>;

/** Receives the share of a long opening that is done, from 0 to 1. */
export type TellShare = (share: number) => unknown;

/** Methods of the page for a worker behind the lock that runs sandboxes: the kernel or the auditor. */
export interface SandboxHost {
  readonly spawn: SpawnWorker;
  readonly kill: KillWorker;
  readonly ended: WorkerEnded;
  readonly scripts: LoadSchemaScripts;
}

/** Methods of the page for the kernel's worker. */
export interface KernelPage extends SandboxHost {
  readonly tell: TellShare;
  readonly sandboxProbes: SandboxProbes;
}

export interface KernelHost {
  /** Takes a port that serves a `KernelPage`, and answers with the port that serves the kernel. */
  boot(options: Boot, page: MessagePort): Promise<MessagePort>;
}
