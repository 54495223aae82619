import { type Outcome, pass } from '../../../core/outcome.ts';
import { makeSerialQueue, type SerialQueue } from '../../async/serial-queue.ts';
import type { BrowserStore } from '../idb/store.ts';
import type { Entry } from '../journal/frame.ts';
import { inParts } from '../rows.ts';
import type { Durability } from '../store.ts';
import type { TableWrite } from '../tables.ts';
import { fill, takeRows } from './fill.ts';
import type { FreshMirror, Give, Mirror, MirrorPlace } from './place.ts';
import { mirrorRefusal } from './refusal.ts';

/** True if the rows fit into a single part. */
function isOnePart(rows: Iterable<TableWrite>): boolean {
  const parts = inParts(rows);
  return parts.next().done === true || parts.next().done === true;
}

/** The part of the mirror that this kernel writes. Writing, opening and rewriting it take turns. */
export class Copy {
  readonly place: MirrorPlace;
  private mirror: Mirror | undefined;
  private epoch = 1;
  private readonly inTurn: SerialQueue = makeSerialQueue();
  /**
   * Queue of the writers of rows into both copies, and of the rewrite from the database. Appends do not wait for it.
   */
  private readonly inBoth: SerialQueue = makeSerialQueue();

  constructor(place: MirrorPlace) {
    this.place = place;
  }

  /** True if the copy has the batch at this place of the log. */
  has(seq: number): boolean {
    return this.mirror?.has.has(seq) === true;
  }

  /** True if the copy should be rewritten. */
  get due(): boolean {
    return this.mirror?.due === true;
  }

  /** Opens the copy of an epoch, and erases content that another file has erased already. */
  reopen(epoch: number): Promise<Mirror> {
    return this.inTurn(async () => {
      await this.closeMirror();
      this.epoch = epoch;
      this.mirror = await this.place.open(epoch);
      return this.mirror;
    });
  }

  append(entries: readonly Entry[], durability: Durability): Promise<Outcome<void>> {
    if (entries.length === 0) return Promise.resolve(pass(undefined));
    return this.inTurn(() => this.write(async (mirror) => pass(await mirror.append(entries, durability === 'strict'))));
  }

  /**
   * Writes these rows and then does the rest, with no other rows between: a rewritten copy has both changes or neither.
   * Many rows go into a separate file, so that appends do not wait for them.
   */
  before(rows: Iterable<TableWrite>, rest: () => Promise<Outcome<void>>): Promise<Outcome<void>> {
    const give: Give = async (take) => {
      for (const part of inParts(rows)) await take(part);
      return pass(undefined);
    };
    const take = (mirror: Mirror): Promise<Outcome<void>> => mirror.take({ at: Date.now() }, give);
    return this.inBoth(async () => {
      const written = await (isOnePart(rows) ? this.inTurn(() => this.write(take)) : this.aside(take));
      return written.ok ? rest() : written;
    });
  }

  private async aside(take: (mirror: Mirror) => Promise<Outcome<void>>): Promise<Outcome<void>> {
    let fresh: FreshMirror | undefined;
    const make = async (made: FreshMirror): Promise<Outcome<void>> => {
      fresh = made;
      const taken = await take(made);
      if (taken.ok) fresh = undefined;
      if (taken.ok) await made.close();
      return taken;
    };
    const done = await this.place.fresh(this.epoch).then(make).catch(mirrorRefusal);
    await fresh?.abandon().catch(() => undefined);
    return done;
  }

  /** Writes the batches and rows that a crash kept from the copy. */
  topUp(store: BrowserStore): Promise<Outcome<void>> {
    if (this.place.form === 'none') return Promise.resolve(pass(undefined));
    const act = async (mirror: Mirror): Promise<Outcome<void>> => {
      const filled = await fill(store, mirror);
      if (!filled.ok) return filled;
      return filled.value ? takeRows(store, mirror) : pass(undefined);
    };
    return this.inBoth(() => this.inTurn(() => this.write(act)));
  }

  /**
   * Rewrites the whole copy from the database. No other kernel may have the ledger open. The old copy stays and is
   * written until the new copy is complete and flushed; at any stop the two together hold the content of one copy. An
   * aborted signal leaves the old copy alone.
   */
  async renew(store: BrowserStore, signal?: AbortSignal): Promise<Outcome<void>> {
    if (this.place.form === 'none') return pass(undefined);
    let fresh: FreshMirror | undefined;
    const make = async (made: FreshMirror): Promise<Outcome<void>> => {
      fresh = made;
      const filled = await fill(store, made, signal);
      signal?.throwIfAborted();
      return filled.ok ? this.inBoth(() => this.inTurn(() => this.swap(store, made))) : filled;
    };
    const done = await this.place.fresh(this.epoch).then(make).catch(mirrorRefusal);
    if (fresh !== this.mirror) await fresh?.abandon().catch(() => undefined);
    return done;
  }

  close(): Promise<void> {
    return this.inBoth(() => this.inTurn(() => this.closeMirror()));
  }

  private async swap(store: BrowserStore, fresh: FreshMirror): Promise<Outcome<void>> {
    const filled = await fill(store, fresh);
    const taken = filled.ok ? await takeRows(store, fresh) : filled;
    if (!taken.ok) return taken;
    await this.closeMirror();
    this.mirror = fresh;
    await fresh.takeOver();
    return pass(undefined);
  }

  /** Repeats a write once on a new handle, because a handle may die like a connection. A second failure is refused. */
  private async write(act: (mirror: Mirror) => Promise<Outcome<void>>): Promise<Outcome<void>> {
    for (let attempt = 1; ; attempt++) {
      try {
        this.mirror ??= await this.place.open(this.epoch);
        return await act(this.mirror);
      } catch (reason) {
        const refused = mirrorRefusal(reason);
        await this.closeMirror();
        if (attempt > 1 || (!refused.ok && refused.refusal.code === 'store_full')) return refused;
      }
    }
  }

  private async closeMirror(): Promise<void> {
    const { mirror } = this;
    this.mirror = undefined;
    await mirror?.close().catch(() => undefined);
  }
}
