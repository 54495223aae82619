/** Parts of the client that a run's start does not need. They load while the runtime opens. */
import type { LedgerRecord } from '../../core/ledger/record.ts';
import type { FollowOptions, Runtime } from '../api.ts';
import type { Auditor } from '../auditor/auditor.ts';
import type { Kernel, RunReader } from '../kernel/api.ts';
import { follow } from './follow.ts';
import { ledgerClient } from './ledger.ts';
import { type PendingCalls, rejectAtClose } from './pending-calls.ts';
import { storageClient } from './storage.ts';

export { untilAborted } from '../async.ts';

export interface SecondaryClients extends Pick<Runtime, 'ledger' | 'storage'> {
  readonly look: RunReader;
  follow(run_id: string, options?: FollowOptions): AsyncGenerator<LedgerRecord>;
}

/** Makes the parts. Their calls reject when the runtime is closed, because a terminated worker does not answer. */
export function secondaryClients(
  kernel: Kernel,
  auditor: () => Promise<Auditor>,
  pending: PendingCalls,
  over: () => void,
): SecondaryClients {
  const storage = rejectAtClose(storageClient(kernel), pending, kernel.info);
  return {
    look: kernel.look,
    ledger: rejectAtClose(ledgerClient(kernel, auditor), pending, kernel.info),
    storage: {
      ...storage,
      replace: async (backup, options) => {
        await storage.replace(backup, options);
        over();
      },
      deleteEverything: async () => {
        await storage.deleteEverything();
        over();
      },
    },
    follow: (run_id, options) => follow(kernel, run_id, options),
  };
}
