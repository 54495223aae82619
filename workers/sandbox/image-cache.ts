import { type Misuse, SallyportError } from '../../core/sallyport-error.ts';
import { type StoredImage, sourceKey } from '../../sandbox/index.ts';
import type { ImageStore, SourceStore } from '../ports.ts';
import type { GuestCapability, LoadedImage, PersistentSandboxPort } from './port.ts';

/**
 * A sandbox that starts from cached images: a capability that was built before is not built again. An image is checked
 * only against its own hashes, because an attacker who can write this origin's databases can also write the page. A
 * receipt names the hash of the image, and a replay builds the image from the source.
 */
export function cachingImages(sandbox: PersistentSandboxPort, images: ImageStore): PersistentSandboxPort {
  async function load(capability: GuestCapability): Promise<LoadedImage> {
    const { hash } = capability;
    const stored = await images.get(hash).catch(() => undefined);
    const image = isImage(stored) ? { image: { stored, digest: stored.digest } } : {};
    const loaded = await sandbox.load({ ...capability, ...image });
    // a call does not wait until its image is stored
    if (loaded.built !== undefined) images.put(hash, loaded.built).catch(() => undefined);
    return { imageHash: loaded.imageHash };
  }

  const known = new Map<string, Promise<LoadedImage>>();
  return {
    // a source with an image has been loaded before
    check: async (capability) => {
      const stored = await images.get(capability.hash).catch(() => undefined);
      if (!isImage(stored)) await sandbox.check(capability);
    },
    load: (capability) => {
      const loading = known.get(capability.hash) ?? load(capability);
      known.set(capability.hash, loading);
      // a failed load may succeed the next time
      loading.catch(() => known.delete(capability.hash));
      return loading;
    },
    call: (request, powers) => sandbox.call(request, powers),
    resume: (request, powers) => sandbox.resume(request, powers),
    close: () => sandbox.close(),
  };
}

/** True if a value from the database has the shape of an image. Only then is it sent to a worker. */
function isImage(stored: unknown): stored is StoredImage {
  if (typeof stored !== 'object' || stored === null) return false;
  const { digest, bytes, runs, roots } = stored as Partial<StoredImage>;
  return typeof digest === 'string' && bytes instanceof Uint8Array && Array.isArray(runs) && typeof roots === 'object';
}

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

const FAULTS: ReadonlySet<string> = new Set<Misuse>([
  'source_syntax',
  'source_threw',
  'source_no_default',
  'source_limit',
  'source_too_long',
  'limits_invalid',
  'name_invalid',
]);

/** True for an error by which a sandbox refuses a source. Other errors say that there was no sandbox. */
export function isSourceFault(error: unknown): error is SallyportError {
  return error instanceof SallyportError && FAULTS.has(error.code);
}
