import { unwrap } from '../../core/sallyport-error.ts';
import type { Runtime } from '../api.ts';
import type { Kernel } from '../kernel/api.ts';
import { loadPart } from '../load-part.ts';

/** `rt.storage` over the kernel. The code for backups loads with the first backup. */
export function storageClient(kernel: Kernel): Runtime['storage'] {
  return {
    status: () => kernel.storage(),
    persist,
    backup: async (options) => unwrap(await (await backups()).backupToBlob(kernel, options)),
    backupTo: async (stream, options) => unwrap(await (await backups()).backupToStream(kernel, stream, options)),
    restore: async (backup, options) => unwrap(await (await backups()).restoreBackup(kernel, backup, options)),
    replace: async (backup, options) => unwrap(await (await backups()).replaceByBackup(kernel, backup, options)),
    deleteEverything: async () => unwrap(await kernel.destroy()),
    events: async () => unwrap(await kernel.records('system')),
  };
}

const backups = () => loadPart(() => import('./backup.ts'));

/** Asks the browser for persistent storage. Only a page can ask; other realms get false. */
async function persist(): Promise<boolean> {
  const { storage } = (globalThis as { navigator?: { storage?: { persist?(): Promise<boolean> } } }).navigator ?? {};
  return (await storage?.persist?.()) ?? false;
}
