import type { Runtime } from '../api.ts';
import type { Cross, Kernel, Value } from '../kernel/api.ts';

/** `rt.storage` over the kernel. The code for backups loads with the first backup. */
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

const carry = () => import('./backup.ts');

/** Asks the browser for persistent storage. Only a page can ask; other realms get false. */
async function persist(): Promise<boolean> {
  const { storage } = (globalThis as { navigator?: { storage?: { persist?(): Promise<boolean> } } }).navigator ?? {};
  return (await storage?.persist?.()) ?? false;
}
