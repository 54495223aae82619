import { type Outcome, pass } from '../../../core/outcome.ts';
import type { StorageStatus } from '../../api.ts';
import type { TellShare } from '../../ports.ts';
import type { LedgerStore } from '../store.ts';
import { DurableLog } from './durable-log.ts';
import { openScratch } from './scratch.ts';

/** The ledger in private files, with its index in IndexedDB and its witness. */
export interface DurableStore extends LedgerStore {
  epoch(): number;
  status(): StorageStatus;
  /** Writes delayed data now, because the page hides. */
  settle(): Promise<void>;
}

/**
 * Opens the ledger, and repairs it: an index that lacks content is filled from the private files, or a new epoch
 * records the loss. Without private files IndexedDB is alone, and the status says `mirror: 'none'`. A long opening
 * tells which share of it is done.
 */
export async function openDurableStore(
  name = 'sallyport',
  tell: TellShare = () => undefined,
): Promise<Outcome<DurableStore>> {
  const log = await DurableLog.open(name, tell);
  return log.ok ? pass(storeOver(log.value)) : log;
}

function storeOver(log: DurableLog): DurableStore {
  const { store } = log;
  return {
    kind: store.kind,
    read: (...args) => log.settled(() => store.read(...args)),
    payload: (...args) => log.settled(() => store.payload(...args)),
    runs: () => log.settled(store.runs),
    head: () => log.told(store.head),
    snapshot: () => log.told(store.snapshot),
    get: (...args) => log.settled(() => store.get(...args)),
    all: (...args) => log.settled(() => store.all(...args)),
    append: (append, durability) => log.append(append, durability),
    put: (writes, durability) => log.put(writes, durability),
    scratch: () => openScratch(log.name),
    replace: (batches) => log.replace(batches),
    tidy: (run_id) => log.tidy(run_id),
    staleCopies: () => log.staleCopies(),
    log: (...args) => log.settled(() => store.log(...args)),
    restore: (pages) => log.restore(pages),
    exchange: (pages) => log.exchange(pages),
    gather: (run_id) => log.gather(run_id),
    fill: () => log.fill(),
    placed: () => log.placed(),
    isShared: () => log.isShared(),
    destroy: () => log.destroy(),
    epoch: () => log.epoch,
    status: () => log.status(),
    settle: () => log.settle(),
    close: () => log.close(),
  };
}
