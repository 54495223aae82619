import { type Outcome, verifyExport } from '../../core/index.ts';
import type { LogReport } from '../api.ts';
import { exportRun } from '../audit.ts';
import { signatureLack } from '../checkpoint.ts';
import { checkLog } from '../log-check.ts';
import type { LedgerStore } from '../store.ts';
import { auditLog, type LogAnchor } from './log.ts';

/** A store's log and every run in it, checked where the store is. */
export function fsck(store: LedgerStore, anchor: LogAnchor = {}): Promise<Outcome<LogReport>> {
  const log = {
    fsck: (against: string | undefined) => checkLog(store, against),
    export: (run_id: string, secrets: boolean) => exportRun(store, run_id, secrets),
  };
  return auditLog(log, { verify: async (jsonl) => verifyExport(jsonl), unsigned: signatureLack }, anchor);
}
