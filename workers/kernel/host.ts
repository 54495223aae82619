import type { SchemaScripts } from '../sandbox/schemas.ts';
import type { Kernel } from './api.ts';

/** What the page gives a new kernel: everything it cannot find out or have by itself. */
export interface Boot {
  readonly store: 'browser' | 'memory';
  /** Under the development server the lock is looser, and says so. */
  readonly development: boolean;
}

/** Starts a sandbox worker; `port` is transferred. Only the page can: the kernel's lock forbids it workers. */
export type SpawnWorker = () => Promise<{ readonly id: number; readonly port: MessagePort }>;
export type KillWorker = (id: number) => unknown;
/** The scripts of the schema realms, fetched with the first schema that needs them. */
export type LoadSchemaScripts = () => Promise<SchemaScripts>;

export interface KernelHost {
  /** Functions are arguments of their own, because only those cross a port as proxies. */
  boot(options: Boot, spawn: SpawnWorker, kill: KillWorker, scripts: LoadSchemaScripts): Promise<Kernel>;
}
