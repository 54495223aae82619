import type { Outcome } from '../core/index.ts';
import type { Abortable, Runtime } from './api.ts';
import type { Cross } from './client.ts';
import type { Kernel } from './kernel/api.ts';

/** `onProgress` is told the share that is done, from 0 to 1. A signal ends it with nothing changed, until it is written. */
export interface KeepOptions extends Abortable {
  readonly onProgress?: (share: number) => void;
}

export interface RestoreOptions extends KeepOptions {
  /** It is verified, as for an empty ledger, and nothing is changed. */
  readonly only?: 'tried';
}

type Value = <T>(outcome: Outcome<T>) => T;

/** `rt.storage` over the kernel. What carries backups is loaded with the first one. */
export function storageFace(kernel: Kernel, value: Value, cross: Cross): Runtime['storage'] {
  return {
    status: () => kernel.storage(),
    persist,
    backup: async (options) => value(await (await carry()).carryWhole(kernel, cross, options)),
    backupTo: async (stream, options) => value(await (await carry()).carryTo(kernel, stream, cross, options)),
    restore: async (backup, options) => value(await (await carry()).carryIn(kernel, backup, cross, options)),
    deleteEverything: async () => value(await kernel.destroy()),
    events: async () => value(await kernel.records('system')),
  };
}

const carry = () => import('./carry.ts');

/** Only a page can ask; whoever cannot is promised nothing. */
async function persist(): Promise<boolean> {
  const { storage } = (globalThis as { navigator?: { storage?: { persist?(): Promise<boolean> } } }).navigator ?? {};
  return (await storage?.persist?.()) ?? false;
}
