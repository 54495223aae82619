import type { StoredImage } from '../../sandbox/index.ts';
import type { ImageStore } from '../ports.ts';
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
