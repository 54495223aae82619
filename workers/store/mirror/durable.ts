import { refuse } from '../../../core/errors.ts';
import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import type { Frontier } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { StorageStatus } from '../../api.ts';
import { type BrowserStore, openBrowserStore } from '../idb/store.ts';
import { ORIGIN } from '../origin.ts';
import { eachRows } from '../rows.ts';
import {
  type AfterCommit,
  type Append,
  type Batch,
  type CommittedBatch,
  type Durability,
  inPages,
  type LedgerStore,
  type Pages,
} from '../store.ts';
import { epochOf, recordInLog } from '../system-log.ts';
import type { TableWrite } from '../tables.ts';
import type { LogExtent } from './contents.ts';
import { Copy } from './copy.ts';
import { asEntries } from './fill.ts';
import { hasCopy, type MirrorPlace } from './place.ts';
import { mirrorPlaces } from './places.ts';
import { joinLedger, kernelsOn, type Presence } from './presence.ts';
import { mirrorRefusal } from './refusal.ts';
import { Renewal } from './renewal.ts';
import { isContinuation, lastRows, restorable } from './restorable.ts';
import { openScratch, removeScratch, sweepScratch } from './scratch.ts';
import { type WitnessKeeper, witnessKeeper } from './witness.ts';

/** The ledger in IndexedDB with its mirror and its witness. */
export interface DurableStore extends LedgerStore {
  epoch(): number;
  status(): StorageStatus;
  /** Writes delayed data now, because the page hides. */
  settle(): Promise<void>;
}

/**
 * As `openBrowserStore`, with repair: data that the browser lost is restored from the mirror, or a new epoch records
 * the loss.
 */
export async function openDurableStore(name = 'sallyport'): Promise<Outcome<DurableStore>> {
  const log = await DurableLog.open(name);
  return log.ok ? pass(storeOver(log.value)) : log;
}

function storeOver(log: DurableLog): DurableStore {
  const { store } = log;
  return {
    kind: store.kind,
    read: store.read,
    payload: store.payload,
    runs: store.runs,
    head: store.head,
    snapshot: store.snapshot,
    get: store.get,
    all: store.all,
    append: (append, durability) => log.append(append, durability),
    put: (writes, durability) => log.put(writes, durability),
    scratch: () => openScratch(log.name),
    replace: (batches) => log.replace(batches),
    tidy: (run_id) => log.tidy(run_id),
    log: store.log,
    restore: (pages) => log.restore(pages),
    isShared: () => log.isShared(),
    destroy: () => log.destroy(),
    epoch: () => log.epoch,
    status: () => log.status(),
    settle: () => log.settle(),
    close: () => log.close(),
  };
}

/** The database, the own part of the mirror and the witness of a kernel. */
class DurableLog {
  epoch = 1;
  readonly store: BrowserStore;
  readonly name: string;
  private readonly copy: Copy;
  private readonly witness: WitnessKeeper;
  private readonly renewal: Renewal = new Renewal();
  private state: StorageStatus['state'] = 'good';
  private trouble: StorageStatus['trouble'];
  private taken = 0;
  private presence: Presence | undefined;
  private looking: Promise<Outcome<void>> | undefined;

  private constructor(name: string, store: BrowserStore, place: MirrorPlace) {
    this.name = name;
    this.store = store;
    this.copy = new Copy(place);
    this.witness = witnessKeeper(name);
  }

  static async open(name: string): Promise<Outcome<DurableLog>> {
    const made: { log?: DurableLog } = {};
    const follow: AfterCommit = async (committed, durability) =>
      made.log === undefined ? pass(undefined) : made.log.follow(committed, durability);
    const store = await openBrowserStore(name, follow);
    if (!store.ok) return store;
    let found: Outcome<void> = pass(undefined);
    const end = await store.value.frontier();
    if (!end.ok) return end;
    const places = await mirrorPlaces(name);
    for (const place of places) {
      // a copy in two places: wiping this place would lose the part that only it has
      const stays = await hasCopy(place, places, end.value.size);
      const log = new DurableLog(name, store.value, place);
      made.log = log;
      // Joins first: a kernel that rewrites a copy has to know that it is alone.
      log.presence = joinLedger(name, {
        onErased: () => void log.checkCopies(),
        onJoined: () => void log.renewal.stop(),
      });
      found = await log.checkCopies();
      if (found.ok) {
        void sweepScratch(name);
        return pass(log);
      }
      log.presence.leave();
      // A full disk is full for every place, and a fault of the database has no remedy in another place.
      if (found.refusal.code !== 'mirror_lost' || stays) return found;
    }
    return found as Outcome<never>;
  }

  async append(append: Append, durability: Durability): ReturnType<LedgerStore['append']> {
    if (this.looking !== undefined || this.taken !== this.store.taken) {
      const found = await this.checkCopies();
      if (!found.ok) return this.tell(found);
    }
    const done = await this.store.append(append, durability);
    if (done.ok || done.refusal.code !== 'log_lost') return this.tell(done);
    const found = await this.checkCopies();
    return this.tell(found.ok ? await this.store.append(append, durability) : found);
  }

  /**
   * Rows alone go to the mirror first: a crash between the two leaves an additional row in the mirror, and no
   * unmirrored row here.
   */
  async put(tables: Iterable<TableWrite>, durability: Durability): Promise<Outcome<void>> {
    return this.tell(await this.copy.before(tables, () => this.store.put(tables, durability)));
  }

  async replace(batches: readonly Batch[]): Promise<Outcome<void>> {
    // a running renewal may hold the content to be erased
    await this.renewal.stop();
    const done = await this.store.replace(batches);
    return this.tell(done.ok ? await this.copy.append(asEntries(batches), 'strict') : done);
  }

  /** Rewrites the copy if this kernel is alone. If not, the remainder goes once a kernel is alone. */
  async tidy(run_id?: string): Promise<Outcome<void>> {
    await this.renewal.stop();
    const swept = run_id === undefined ? pass(undefined) : await this.sweep(run_id);
    if (!swept.ok) return this.tell(swept);
    return this.alone(async () => this.tell(await this.copy.renew(this.store)));
  }

  async restore(pages: Pages): Promise<Outcome<void>> {
    let done = await this.store.restore(pages);
    for (let nth = 0, page = done.ok && (await pages(nth)); done.ok && page; page = await pages(++nth)) {
      const { batches, tables } = page;
      done = await this.copy.append([{ tables, at: Date.now() }, ...asEntries(batches)], 'strict');
    }
    return this.tell(done);
  }

  async isShared(): Promise<boolean> {
    return (await kernelsOn(this.name)) > 1;
  }

  /** Deletes database, mirror and witness. Afterwards this kernel has no ledger. */
  async destroy(): Promise<Outcome<void>> {
    if (await this.isShared()) return refuse('store_busy', {});
    await this.renewal.stop();
    await this.copy.close();
    const done = await this.store.destroy();
    await this.copy.place.remove();
    await this.witness.remove();
    await removeScratch(this.name);
    this.presence?.leave();
    return done;
  }

  status(): StorageStatus {
    const { state, trouble, epoch } = this;
    return { kind: 'indexeddb', state, mirror: this.copy.place.form, epoch, ...(trouble && { trouble }) };
  }

  settle(): Promise<void> {
    return this.witness.settle();
  }

  async close(): Promise<void> {
    await this.renewal.stop();
    await this.store.close();
    await this.settle();
    await this.copy.close();
    this.presence?.leave();
  }

  /** Keeps the last refusal visible until the next successful write. */
  private tell<T>(outcome: Outcome<T>): Outcome<T> {
    this.trouble = outcome.ok ? undefined : { code: outcome.refusal.code, message: outcome.refusal.message };
    return outcome;
  }

  private async follow(committed: readonly CommittedBatch[], durability: Durability): Promise<Outcome<void>> {
    const at = Date.now();
    const missing = committed.filter(({ batch }) => !this.copy.has(batch.seq));
    const copied = await this.copy.append(
      missing.map(({ batch, tables }) => ({ batch, tables, at })),
      durability,
    );
    const last = committed.at(-1)?.batch.after.log;
    if (copied.ok && last !== undefined) this.witness.see(this.epoch, last);
    return copied;
  }

  /**
   * Erases a run from the mirror. Each kernel sweeps its own file, this kernel also the files without a writer; files
   * of earlier epochs lose this run. The whole copy is read once for each run, whatever its length.
   */
  private async sweep(run_id: string): Promise<Outcome<void>> {
    try {
      await this.copy.reopen(this.epoch);
      await this.copy.place.forget(this.epoch, new Set([run_id]));
      this.presence?.announceErasure();
      return pass(undefined);
    } catch (reason) {
      return mirrorRefusal(reason);
    }
  }

  /** Compares database, mirror and witness. A single kernel does so at a time, and in it a single call. */
  private checkCopies(): Promise<Outcome<void>> {
    this.looking ??= this.look().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async look(): Promise<Outcome<void>> {
    await this.renewal.stop();
    const found = await this.withOpenLock(() => this.compare().catch(mirrorRefusal));
    // not awaited: the caller that opens a ledger wants to use it
    if (found.ok && this.copy.due)
      this.renewal.begin((signal) => this.alone(() => this.copy.renew(this.store, signal)));
    return found;
  }

  private withOpenLock(look: () => Promise<Outcome<void>>): Promise<Outcome<void>> {
    return ORIGIN.locks === undefined ? look() : ORIGIN.locks.request(`sallyport:open:${this.name}`, look);
  }

  /** Acts while no other kernel has the ledger open or can open it. */
  private alone(act: () => Promise<Outcome<void>>): Promise<Outcome<void>> {
    return this.withOpenLock(async () => ((await kernelsOn(this.name)) > 1 ? pass(undefined) : act()));
  }

  private async compare(): Promise<Outcome<void>> {
    this.taken = this.store.taken;
    const witness = await this.witness.read();
    const written = await epochOf(this.store);
    if (!written.ok) return written;
    this.epoch = Math.max(1, written.value, await this.copy.place.epoch(), witness?.epoch ?? 0);
    const mirror = await this.copy.reopen(this.epoch);
    // Read last: the database is never behind an earlier observation of it.
    const end = await this.store.frontier();
    if (!end.ok) return end;
    const seen = [mirror.end, ...(witness?.epoch === this.epoch ? [witness] : [])];
    const longest = seen.reduce((one, other) => (other.size > one.size ? other : one));
    if (end.value.size < longest.size) return this.recover(seen, longest, end.value);
    if (mirror.rows && (await this.isEmpty())) return this.recover(seen, longest, end.value);
    return this.copy.topUp(this.store);
  }

  private async recover(seen: readonly LogExtent[], longest: LogExtent, end: Frontier): Promise<Outcome<void>> {
    await this.copy.close();
    const entries = await this.copy.place.readAll(this.epoch);
    const runs = await this.store.runs();
    if (!runs.ok) return runs;
    const found = restorable(entries, end, new Map(runs.value.map((row) => [row.run_id, row])));
    const restored = await this.store.restore(inPages(found.batches, lastRows(entries)));
    if (!restored.ok) return restored;
    const whole = seen.every((each) => isContinuation(found, each));
    this.state = whole ? 'restored' : 'lost';
    // The remains of the old epoch stay where they are for a later inspection.
    if (!whole) this.epoch += 1;
    await this.copy.reopen(this.epoch);
    const { size, root } = longest;
    const body: LogBody = whole
      ? { event: 'restored', size, root, found: end.size }
      : { event: 'lost', size, root, found: found.log.size };
    const noted = await recordInLog(this.store, this.epoch, body);
    return noted.ok ? this.copy.topUp(this.store) : noted;
  }

  private async isEmpty(): Promise<boolean> {
    const head = await this.store.head();
    if (!head.ok || head.value.size > 0) return false;
    const rows = await eachRows(this.store, () => false);
    return rows.ok && rows.value;
  }
}
