import { type Frontier, type LogBody, type Outcome, pass, refuse } from '../../core/index.ts';
import type { StorageStatus } from '../api.ts';
import { type BrowserStore, openBrowserStore } from '../idb/store.ts';
import type { Entry } from '../journal/frame.ts';
import {
  type AfterCommit,
  type Append,
  type Batch,
  type Committed,
  type Durability,
  type LedgerStore,
  PAGE,
} from '../store.ts';
import { TABLES, type TableWrite } from '../tables.ts';
import { enter, kernelsOn } from './alive.ts';
import type { Seen } from './contents.ts';
import { epochOf, noteInLog } from './epoch.ts';
import { type Mirror, type MirrorPlace, mirrorPlaces } from './place.ts';
import { mirrorRefusal } from './refusal.ts';
import { bearsOut, lastRows, restorable } from './restorable.ts';
import { type WitnessKeeper, witnessKeeper } from './witness.ts';

/** The ledger in IndexedDB with its mirror and its witness. */
export interface DurableStore extends LedgerStore {
  epoch(): number;
  status(): StorageStatus;
  /** The page hides: what waits for a better moment is written now. */
  settle(): Promise<void>;
}

/** As `openBrowserStore`; and what the browser lost is put back, or a new epoch says that it was lost. */
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
    get: store.get,
    all: store.all,
    append: (append, durability) => log.append(append, durability),
    put: (writes, durability) => log.put(writes, durability),
    replace: (batches) => log.replace(batches),
    log: store.log,
    restore: (batches, rows) => log.restore(batches, rows),
    destroy: () => log.destroy(),
    epoch: () => log.epoch,
    status: () => log.status(),
    settle: () => log.settle(),
    close: () => log.close(),
  };
}

function asEntries(batches: readonly Batch[]): readonly Entry[] {
  return batches.map((batch) => ({ batch, tables: [] }));
}

/** One kernel's hold on the database, its own part of the mirror, and the witness. */
class DurableLog {
  epoch = 1;
  readonly store: BrowserStore;
  private readonly name: string;
  private readonly place: MirrorPlace;
  private readonly witness: WitnessKeeper;
  private mirror: Mirror | undefined;
  private state: StorageStatus['state'] = 'good';
  private trouble: StorageStatus['trouble'];
  private taken = 0;
  private leave: () => void = () => undefined;
  private looking: Promise<Outcome<void>> | undefined;

  private constructor(name: string, store: BrowserStore, place: MirrorPlace) {
    this.name = name;
    this.store = store;
    this.place = place;
    this.witness = witnessKeeper(name);
  }

  static async open(name: string): Promise<Outcome<DurableLog>> {
    const made: { log?: DurableLog } = {};
    const follow: AfterCommit = async (committed, durability) =>
      made.log === undefined ? pass(undefined) : made.log.follow(committed, durability);
    const store = await openBrowserStore(name, follow);
    if (!store.ok) return store;
    let found: Outcome<void> = pass(undefined);
    for (const place of await mirrorPlaces(name)) {
      const log = new DurableLog(name, store.value, place);
      made.log = log;
      found = await log.lookAfter();
      // A full disk is full for every place, and the database's own troubles are the database's.
      if (!found.ok && found.refusal.code === 'mirror_lost') continue;
      if (!found.ok) return found;
      log.leave = enter(name);
      return pass(log);
    }
    return found as Outcome<never>;
  }

  async append(append: Append, durability: Durability): ReturnType<LedgerStore['append']> {
    if (this.looking !== undefined || this.taken !== this.store.taken) {
      const found = await this.lookAfter();
      if (!found.ok) return this.tell(found);
    }
    const done = await this.store.append(append, durability);
    if (done.ok || done.refusal.code !== 'log_lost') return this.tell(done);
    const found = await this.lookAfter();
    return this.tell(found.ok ? await this.store.append(append, durability) : found);
  }

  /** Rows alone go to the mirror first: a crash between the two leaves one row more there, and none unmirrored here. */
  async put(tables: readonly TableWrite[], durability: Durability): Promise<Outcome<void>> {
    const copied = await this.copy([{ tables, at: Date.now() }], durability);
    return this.tell(copied.ok ? await this.store.put(tables, durability) : copied);
  }

  async replace(batches: readonly Batch[]): Promise<Outcome<void>> {
    const done = await this.store.replace(batches);
    const copied = done.ok ? await this.copy(asEntries(batches), 'strict') : done;
    // Opened again, the mirror overwrites what it has more of.
    if (copied.ok) await this.letGo();
    return this.tell(copied.ok ? await this.reopen() : copied);
  }

  async restore(batches: readonly Batch[], tables: readonly TableWrite[]): Promise<Outcome<void>> {
    const done = await this.store.restore(batches, tables);
    const entries = [...asEntries(batches), { tables, at: Date.now() }];
    return this.tell(done.ok ? await this.copy(entries, 'strict') : done);
  }

  /** Database, mirror and witness. Afterwards this kernel has no ledger. */
  async destroy(): Promise<Outcome<void>> {
    if ((await kernelsOn(this.name)) > 1) return refuse('store_busy', {});
    await this.letGo();
    const done = await this.store.destroy();
    await this.place.remove();
    await this.witness.remove();
    this.leave();
    return done;
  }

  status(): StorageStatus {
    const { state, trouble, epoch } = this;
    return { kind: 'indexeddb', state, mirror: this.place.form, epoch, ...(trouble && { trouble }) };
  }

  settle(): Promise<void> {
    return this.witness.settle();
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.settle();
    await this.letGo();
    this.leave();
  }

  /** The last refusal stays visible until something is written again. */
  private tell<T>(outcome: Outcome<T>): Outcome<T> {
    this.trouble = outcome.ok ? undefined : { code: outcome.refusal.code, message: outcome.refusal.message };
    return outcome;
  }

  private async follow(committed: readonly Committed[], durability: Durability): Promise<Outcome<void>> {
    const at = Date.now();
    const missing = committed.filter(({ batch }) => this.mirror?.has.has(batch.seq) !== true);
    const copied = await this.copy(
      missing.map(({ batch, tables }) => ({ batch, tables, at })),
      durability,
    );
    const last = committed.at(-1)?.batch.after.log;
    if (copied.ok && last !== undefined) this.witness.see(this.epoch, last);
    return copied;
  }

  /** A handle may die like a connection: once more on a new one, then it is said. */
  private async copy(entries: readonly Entry[], durability: Durability): Promise<Outcome<void>> {
    if (entries.length === 0) return pass(undefined);
    for (let attempt = 1; ; attempt++) {
      try {
        this.mirror ??= await this.place.open(this.epoch);
        await this.mirror.append(entries, durability === 'strict');
        return pass(undefined);
      } catch (reason) {
        const refused = mirrorRefusal(reason);
        await this.letGo();
        if (attempt > 1 || (!refused.ok && refused.refusal.code === 'store_full')) return refused;
      }
    }
  }

  private async reopen(): Promise<Outcome<void>> {
    try {
      this.mirror ??= await this.place.open(this.epoch);
      return pass(undefined);
    } catch (reason) {
      return mirrorRefusal(reason);
    }
  }

  private async letGo(): Promise<void> {
    const { mirror } = this;
    this.mirror = undefined;
    await mirror?.close().catch(() => undefined);
  }

  /** Holds database, mirror and witness against each other; one kernel at a time, and in it one at a time. */
  private lookAfter(): Promise<Outcome<void>> {
    const look = (): Promise<Outcome<void>> => this.compare().catch(mirrorRefusal);
    const held = (): Promise<Outcome<void>> =>
      navigator.locks === undefined ? look() : navigator.locks.request(`sallyport:open:${this.name}`, look);
    this.looking ??= held().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async compare(): Promise<Outcome<void>> {
    this.taken = this.store.taken;
    await this.letGo();
    const witness = await this.witness.read();
    const written = await epochOf(this.store);
    if (!written.ok) return written;
    this.epoch = Math.max(1, written.value, await this.place.epoch(), witness?.epoch ?? 0);
    const mirror = await this.place.open(this.epoch);
    this.mirror = mirror;
    // Asked last: the database is never behind what was seen of it before.
    const end = await this.store.frontier();
    if (!end.ok) return end;
    const seen = [mirror.end, ...(witness?.epoch === this.epoch ? [witness] : [])];
    const longest = seen.reduce((one, other) => (other.size > one.size ? other : one));
    if (end.value.size < longest.size) return this.recover(seen, longest, end.value);
    return mirror.rows && (await this.isEmpty()) ? this.recover(seen, longest, end.value) : this.topUp(mirror);
  }

  private async recover(seen: readonly Seen[], longest: Seen, end: Frontier): Promise<Outcome<void>> {
    await this.letGo();
    const entries = await this.place.readAll(this.epoch);
    const runs = await this.store.runs();
    if (!runs.ok) return runs;
    const found = restorable(entries, end, new Map(runs.value.map((row) => [row.run_id, row])));
    const restored = await this.store.restore(found.batches, lastRows(entries));
    if (!restored.ok) return restored;
    const whole = seen.every((each) => bearsOut(found, each));
    this.state = whole ? 'restored' : 'lost';
    // What was found of the old epoch stays where it is, for whoever wants to look.
    if (!whole) this.epoch += 1;
    this.mirror = await this.place.open(this.epoch);
    const { size, root } = longest;
    const body: LogBody = whole
      ? { event: 'restored', size, root, found: end.size }
      : { event: 'lost', size, root, found: found.log.size };
    const noted = await noteInLog(this.store, this.epoch, body);
    return noted.ok ? this.topUp(this.mirror) : noted;
  }

  /** What a crash kept from the mirror. */
  private async topUp(mirror: Mirror): Promise<Outcome<void>> {
    const places = await this.store.places();
    if (!places.ok || this.place.form === 'none') return places.ok ? pass(undefined) : places;
    const missing = places.value.filter((seq) => !mirror.has.has(seq));
    let rows = false;
    for (let from = 0; from < missing.length; from += PAGE) {
      const page = await this.store.at(missing.slice(from, from + PAGE));
      if (!page.ok) return page;
      rows ||= page.value.some((batch) => batch.rows === true);
      await mirror.append(asEntries(page.value), true);
    }
    if (rows) await mirror.append([await this.tables()], true);
    return pass(undefined);
  }

  private async tables(): Promise<Entry> {
    const at = Date.now();
    const rows: TableWrite[] = [];
    for (const table of TABLES) {
      const all = await this.store.all(table);
      if (all.ok) rows.push(...all.value.map(([key, value]) => ({ table, key, value })));
    }
    return { tables: rows, whole: true, at };
  }

  private async isEmpty(): Promise<boolean> {
    const head = await this.store.head();
    return head.ok && head.value.size === 0 && (await this.tables()).tables.length === 0;
  }
}
