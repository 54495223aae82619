import type { Runtime } from '../api.ts';
import type { Kernel, PortAdapter, Value } from '../kernel/api.ts';

/** `rt.storage` over the kernel. The code for backups loads with the first backup. */
export function storageClient(kernel: Kernel, value: Value, adapt: PortAdapter): Runtime['storage'] {
  return {
    status: () => kernel.storage(),
    persist,
    backup: async (options) => value(await (await backups()).backupToBlob(kernel, adapt, options)),
    backupTo: async (stream, options) => value(await (await backups()).backupToStream(kernel, stream, adapt, options)),
    restore: async (backup, options) => value(await (await backups()).restoreBackup(kernel, backup, adapt, options)),
    deleteEverything: async () => value(await kernel.destroy()),
    events: async () => value(await kernel.records('system')),
  };
}

const backups = () => import('./backup.ts');

/** Asks the browser for persistent storage. Only a page can ask; other realms get false. */
async function persist(): Promise<boolean> {
  const { storage } = (globalThis as { navigator?: { storage?: { persist?(): Promise<boolean> } } }).navigator ?? {};
  return (await storage?.persist?.()) ?? false;
}
