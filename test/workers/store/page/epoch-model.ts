import { pass } from '../../../../core/outcome.ts';
import type { DatabaseStore } from '../../../../workers/store/page/database-store.ts';
import { CurrentEpoch, FoundEvent } from '../../../../workers/store/page/epoch.ts';
import type { Observation } from '../../../../workers/store/page/witness.ts';
import type { Append, LedgerStore } from '../../../../workers/store/store.ts';
import { valueOf } from '../store-suite.ts';
import type { Life, MemoryDisk } from './memory-files.ts';

/** A ledger on a disk in memory. */
export type Opened = Awaited<ReturnType<typeof openLedger>>;

/** A ledger before an opening, and what was told of it. */
export interface Prepared {
  readonly disk: MemoryDisk;
  readonly witness?: Observation;
}

/** Opens the ledger of a disk as a kernel does: compares files and index, and records what was found. */
async function openLedger({ disk, witness }: Prepared, life: Life) {
  const store = disk.store(life) as DatabaseStore;
  const current: CurrentEpoch = new CurrentEpoch({
    store,
    index: disk.index(life),
    folders: disk.folders(life),
    witness: { read: async () => witness },
    events: { onPlaced: () => undefined, onLost: async () => pass(undefined) },
  });
  const found = new FoundEvent();
  found.keep(valueOf(await current.compare()));
  const { files, state, number: epoch } = current;
  if (files === undefined) throw new Error('no files');
  const append = (each: Append) => files.append(each, 'strict');
  const runs = async () => pass(disk.state.batches.map(({ after }) => after.run).toReversed());
  valueOf(await found.record({ ...store, append, runs } as unknown as LedgerStore, epoch));
  return { state, epoch, files, store, append };
}

/** Opens a ledger, does something, and ends the kernel. */
export async function visit<T>(prepared: Prepared, act: (opened: Opened) => T | Promise<T>): Promise<T> {
  const life: Life = { isDead: false };
  const done = await act(await openLedger(prepared, life));
  prepared.disk.kill(life);
  return done;
}

/**
 * Prepares a ledger for each number of changes of files and index, and opens it and acts in a kernel that dies behind
 * them, up to a kernel that ends. Returns the number of changes.
 */
export async function eachCut(
  prepare: () => Promise<Prepared>,
  act: (opened: Opened, prepared: Prepared) => Promise<unknown>,
  check: (prepared: Prepared, where: string) => Promise<void>,
): Promise<number> {
  for (let cut = 0; ; cut++) {
    const prepared = await prepare();
    const work = async (life: Life) => {
      await act(await openLedger(prepared, life), prepared);
      return true;
    };
    const { done } = await prepared.disk.cutAfter(cut, work);
    await check(prepared, `stopped behind ${cut} changes`);
    if (done) return cut;
  }
}

/** Records of a run in the index. */
export function textsOf(disk: MemoryDisk, run_id: string): readonly string[] {
  return disk.state.batches.filter((batch) => batch.run_id === run_id).flatMap(({ records }) => records);
}
