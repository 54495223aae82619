import { verifyExport } from '../../core/ledger/verify.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { LogReport } from '../api.ts';
import { exportRun } from '../store/read-run.ts';
import type { LedgerStore } from '../store/store.ts';
import { auditLog, type LogAnchor } from './audit-log.ts';
import { signatureFault } from './checkpoint.ts';
import { checkLog } from './verify-log.ts';

/** Checks a store's log and every run in it, in the realm of the store. */
export function fsck(store: LedgerStore, anchor: LogAnchor = {}): Promise<Outcome<LogReport>> {
  const log = {
    fsck: (against: string | undefined) => checkLog(store, against),
    export: (run_id: string, secrets: boolean) => exportRun(store, run_id, secrets),
  };
  return auditLog(
    log,
    { verify: async (jsonl, stored) => verifyExport(jsonl, stored && { stored }), unsigned: signatureFault },
    anchor,
  );
}
