import type { Isolation } from '../../core/ledger/kinds/run.ts';
import type { Auditor } from './auditor.ts';

export interface AuditorHost extends Auditor {
  /**
   * Called once, before the first check, with a port that serves a `SandboxHost`. Returns the result of this worker's test
   * of its own lock.
   */
  boot(development: boolean, page: MessagePort): Promise<Isolation>;
}
