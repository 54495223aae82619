import type { RuntimeInfo, StorageStatus } from '../api.ts';
import type { TellShare } from '../ports.ts';
import { openMemoryStore } from '../store/memory/store.ts';
import { deleteDatabase } from '../store/page/database.ts';
import { openPageStore, type PageStore } from '../store/page/store.ts';
import type { LedgerStore } from '../store/store.ts';
import type { Boot } from './host.ts';

/**
 * Opens the store of a page's runtime. Without IndexedDB (private mode, blocked storage) the kernel runs in memory and
 * reports the reason.
 */
export async function openStore(
  { store: kind, database }: Boot,
  tell: TellShare,
): Promise<{ store: LedgerStore | PageStore; info: RuntimeInfo['store'] }> {
  if (kind === 'memory') return { store: openMemoryStore(), info: { kind: 'memory', reason: 'asked for' } };
  const store = await openPageStore(database, tell);
  if (store.ok)
    return { store: withAll(store.value, database), info: { kind: 'indexeddb', ...lossOf(store.value.status()) } };
  return { store: openMemoryStore(), info: { kind: 'memory', reason: store.refusal.message } };
}

/** The kernel's databases beside the ledger: images, accepted sources and the key. */
export function databasesBeside(database: string): {
  readonly images: string;
  readonly sources: string;
  readonly key: string;
} {
  return { images: `${database}-images`, sources: `${database}-sources`, key: `${database}-key` };
}

/** A store whose `destroy` also deletes the kernel's other databases. */
function withAll(store: PageStore, database: string): PageStore {
  const destroy = async () => {
    const done = await store.destroy();
    if (done.ok) for (const name of Object.values(databasesBeside(database))) await deleteDatabase(name);
    return done;
  };
  return { ...store, destroy };
}

/** Condition of the log at the opening, for callers that read it only then. */
function lossOf({ state, mirror, cut }: StorageStatus): Pick<RuntimeInfo['store'], 'state' | 'mirror' | 'cut'> {
  return { state, mirror, ...(cut && { cut }) };
}
