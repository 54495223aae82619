/** Parts of the client that a run's start does not need. They load while the runtime opens. */
import type { LedgerRecord } from '../../core/ledger/record.ts';
import type { FollowOptions, Runtime } from '../api.ts';
import type { Auditor } from '../auditor/auditor.ts';
import type { Cross, Kernel, Value } from '../kernel/api.ts';
import { follow } from './follow.ts';
import { ledgerFace } from './ledger.ts';
import { storageFace } from './storage.ts';
import { untilClosed, type Waiting } from './until-closed.ts';

export { untilAborted } from '../async/cancellation.ts';

export interface Faces extends Pick<Runtime, 'ledger' | 'storage'> {
  follow(run_id: string, options?: FollowOptions): AsyncGenerator<LedgerRecord>;
}

/** Makes the parts. Their calls reject when the runtime is closed, because a terminated worker does not answer. */
export function facesOf(
  kernel: Kernel,
  auditor: () => Promise<Auditor>,
  value: Value,
  cross: Cross,
  waiting: Waiting,
  over: () => void,
): Faces {
  const looking = untilClosed({ look: kernel.look }, waiting, kernel.info);
  const storage = untilClosed(storageFace(kernel, value, cross), waiting, kernel.info);
  return {
    ledger: untilClosed(ledgerFace(kernel, auditor, value), waiting, kernel.info),
    storage: {
      ...storage,
      deleteEverything: async () => {
        await storage.deleteEverything();
        over();
      },
    },
    follow: (run_id, options) => follow(looking, run_id, options),
  };
}
