import type { StorageStatus } from '../api.ts';
import { ORIGIN } from '../store/origin.ts';

/** The browser's estimate of used and granted storage, and whether it may evict it; empty on other platforms. */
export async function storageEstimate(): Promise<Pick<StorageStatus, 'persisted' | 'usage' | 'quota'>> {
  const storage: Partial<StorageManager> | undefined = ORIGIN.storage;
  const [estimate, persisted] = await Promise.all([
    storage?.estimate?.().catch(() => undefined),
    storage?.persisted?.().catch(() => undefined),
  ]);
  const { usage, quota } = estimate ?? {};
  return {
    ...(persisted !== undefined && { persisted }),
    ...(usage !== undefined && { usage }),
    ...(quota !== undefined && { quota }),
  };
}
