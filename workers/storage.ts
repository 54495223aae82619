import type { Outcome } from '../core/index.ts';
import type { Abortable, Runtime } from './api.ts';
import type { Tell } from './backup.ts';
import type { Cross } from './client.ts';
import type { Kernel } from './kernel.ts';

/** `onProgress` is told the share that is done, from 0 to 1. A signal ends it with nothing changed, until it is written. */
export interface KeepOptions extends Abortable {
  readonly onProgress?: (share: number) => void;
}

type Value = <T>(outcome: Outcome<T>) => T;

/** `rt.storage` over the kernel. */
export function storageFace(kernel: Kernel, value: Value, cross: Cross): Runtime['storage'] {
  return {
    status: () => kernel.storage(),
    persist,
    backup: async (options = {}) => {
      const backup = value(await kernel.backUp(cross(tellerOf(options))));
      return backup ?? stopped(options);
    },
    restore: async (backup, options = {}) => {
      if (!value(await kernel.takeBack(backup, cross(tellerOf(options))))) stopped(options);
    },
    deleteEverything: async () => value(await kernel.destroy()),
    events: async () => value(await kernel.records('system')),
  };
}

function tellerOf({ signal, onProgress }: KeepOptions): Tell {
  signal?.throwIfAborted();
  return (done, all) => {
    onProgress?.(done / Math.max(1, all));
    return signal?.aborted !== true;
  };
}

function stopped({ signal }: KeepOptions): never {
  throw signal?.reason;
}

/** Only a page can ask; whoever cannot is promised nothing. */
async function persist(): Promise<boolean> {
  const { storage } = (globalThis as { navigator?: { storage?: { persist?(): Promise<boolean> } } }).navigator ?? {};
  return (await storage?.persist?.()) ?? false;
}
