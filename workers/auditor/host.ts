import type { Isolation } from '../../core/ledger/record.ts';
import type { KillWorker, LoadSchemaScripts, SpawnWorker } from '../kernel/host.ts';
import type { Auditor } from './auditor.ts';

export interface AuditorHost extends Auditor {
  /** To be called once, before anything is checked. Says what this worker found when it tried its own lock. */
  boot(development: boolean, spawn: SpawnWorker, kill: KillWorker, scripts: LoadSchemaScripts): Promise<Isolation>;
}
