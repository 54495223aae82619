import { sourceKey } from '../../sandbox/index.ts';
import type { SourceStore } from '../ports.ts';
import type { PersistentSandboxPort } from './port.ts';
import { isSourceFault } from './source-fault.ts';

/** ms after which a store that does not answer counts as empty: a check of the sources takes about as long. */
const PATIENCE_MS = 500;

/**
 * Remembers the sources that a sandbox has accepted, so that the next visit registers them without a sandbox. `built` are
 * the keys of sources that were accepted when this program was built. Reads the store at once. The result puts the
 * memory before a sandbox.
 *
 * Any script of the origin can write into the store. A forged key skips a diagnostic and no more: a call still loads its
 * source in the sandbox, which refuses it there.
 */
export function sourceMemory(
  store: SourceStore,
  built: readonly string[] = [],
): (sandbox: PersistentSandboxPort) => PersistentSandboxPort {
  const known = knownIn(store);
  const isKnown = async (key: string) => built.includes(key) || (await known).has(key);
  return (sandbox) => ({
    check: async (capability) => {
      const key = sourceKey(capability);
      if (await isKnown(key)) return;
      await sandbox.check(capability);
      // a registration does not wait until its key is stored
      store.add(key).catch(() => undefined);
    },
    load: async (capability) => {
      try {
        return await sandbox.load(capability);
      } catch (error) {
        // the next registration tells its author
        if (isSourceFault(error)) store.delete(sourceKey(capability)).catch(() => undefined);
        throw error;
      }
    },
    call: (request, powers) => sandbox.call(request, powers),
    resume: (request, powers) => sandbox.resume(request, powers),
    close: () => sandbox.close(),
  });
}

async function knownIn(store: SourceStore): Promise<ReadonlySet<string>> {
  let watch: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<readonly string[]>((resolve) => {
    watch = setTimeout(resolve, PATIENCE_MS, []);
  });
  const keys = await Promise.race([store.keys().catch(() => []), late]);
  clearTimeout(watch);
  return new Set(keys);
}
