import type { Isolation } from '../../core/ledger/kinds/run.ts';
import type { KillWorker, LoadSchemaScripts, SpawnWorker } from '../kernel/host.ts';
import type { Auditor } from './auditor.ts';

export interface AuditorHost extends Auditor {
  /** Called once, before the first check. Returns the result of this worker's test of its own lock. */
  boot(development: boolean, spawn: SpawnWorker, kill: KillWorker, scripts: LoadSchemaScripts): Promise<Isolation>;
}
