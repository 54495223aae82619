import { type Misuse, SallyportError } from '../../core/sallyport-error.ts';
import { type GivenImage, type StoredImage, sourceKey } from '../../sandbox/index.ts';
import { LATE, within } from '../async.ts';
import type { ImageStore, SourceStore } from '../ports.ts';
import type { PersistentSandboxPort } from './port.ts';

/** What a sandbox remembers between two visits. */
interface SandboxStores {
  readonly images: ImageStore;
  readonly sources: SourceStore;
  /** Keys of the sources that were accepted when this program was built. */
  readonly built?: readonly string[];
}

/**
 * Puts a memory before a sandbox: a source that it has accepted is registered on the next visit without a sandbox, and a
 * capability that it has built starts from its image. Reads the keys of the sources at once, before there is a sandbox.
 *
 * Any script of the origin can write into the stores. A forged key skips a diagnostic and no more: a call still loads
 * its source in the sandbox, which refuses it there. An image is checked only against its own hashes, because an
 * attacker who can write this origin's databases can also write the page. A receipt names the hash of the image, and a
 * replay builds the image from the source.
 */
export function sandboxMemory({
  images,
  sources,
  built = [],
}: SandboxStores): (sandbox: PersistentSandboxPort) => PersistentSandboxPort {
  const known = knownIn(sources);
  const imageOf = async (hash: string): Promise<GivenImage | undefined> => {
    const stored = await images.get(hash).catch(() => undefined);
    return isImage(stored) ? { stored, digest: stored.digest } : undefined;
  };
  return (sandbox) => ({
    check: async (capability) => {
      const key = sourceKey(capability);
      if (built.includes(key) || (await known).has(key)) return;
      // a source with an image has been loaded before
      if ((await imageOf(capability.hash)) === undefined) await sandbox.check(capability);
      // a registration does not wait until its key is stored
      sources.add(key).catch(() => undefined);
    },
    load: async (capability) => {
      const { hash } = capability;
      try {
        const loaded = await sandbox.load({ ...capability, image: () => imageOf(hash) });
        // a call does not wait until its image is stored
        if (loaded.built !== undefined) images.put(hash, loaded.built).catch(() => undefined);
        return loaded;
      } catch (error) {
        // the next registration tells its author
        if (isSourceFault(error)) sources.delete(sourceKey(capability)).catch(() => undefined);
        throw error;
      }
    },
    call: (request, powers) => sandbox.call(request, powers),
    resume: (request, powers) => sandbox.resume(request, powers),
    close: () => sandbox.close(),
  });
}

/** True for an error by which a sandbox refuses a source. Other errors say that there was no sandbox. */
export function isSourceFault(error: unknown): error is SallyportError {
  return error instanceof SallyportError && FAULTS.has(error.code);
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

/** True if a value from the database has the shape of an image. Only then is it sent to a worker. */
function isImage(stored: unknown): stored is StoredImage {
  if (typeof stored !== 'object' || stored === null) return false;
  const { digest, bytes, runs, roots } = stored as Partial<StoredImage>;
  return typeof digest === 'string' && bytes instanceof Uint8Array && Array.isArray(runs) && typeof roots === 'object';
}

/** ms after which a store that does not answer counts as empty: a check of the sources takes about as long. */
const PATIENCE_MS = 500;

async function knownIn(store: SourceStore): Promise<ReadonlySet<string>> {
  const none: readonly string[] = [];
  const keys = await within(
    store.keys().catch(() => none),
    PATIENCE_MS,
  );
  return new Set(keys === LATE ? none : keys);
}
