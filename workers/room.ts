import type { StorageStatus } from './api.ts';

/** What the browser tells of the room it gives; elsewhere nothing is told. */
export async function room(): Promise<Pick<StorageStatus, 'persisted' | 'usage' | 'quota'>> {
  const { storage } = (globalThis as { navigator?: { storage?: Partial<StorageManager> } }).navigator ?? {};
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
