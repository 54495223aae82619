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
  kind: Boot['store'],
  tell: TellShare,
): Promise<{ store: LedgerStore | PageStore; info: RuntimeInfo['store'] }> {
  if (kind === 'memory') return { store: openMemoryStore(), info: { kind: 'memory', reason: 'asked for' } };
  const store = await openPageStore('sallyport', tell);
  if (store.ok) return { store: withAll(store.value), info: { kind: 'indexeddb', ...lossOf(store.value.status()) } };
  return { store: openMemoryStore(), info: { kind: 'memory', reason: store.refusal.message } };
}

/** Images, accepted sources and the key. */
const OTHERS = ['sallyport-images', 'sallyport-sources', 'sallyport-key'];

/** A store whose `destroy` also deletes the kernel's other databases. */
function withAll(store: PageStore): PageStore {
  const destroy = async () => {
    const done = await store.destroy();
    if (done.ok) for (const name of OTHERS) await deleteDatabase(name);
    return done;
  };
  return { ...store, destroy };
}

/** Condition of the log at the opening, for callers that read it only then. */
function lossOf({ state, mirror, cut }: StorageStatus): Pick<RuntimeInfo['store'], 'state' | 'mirror' | 'cut'> {
  return { state, mirror, ...(cut && { cut }) };
}
