import { type Outcome, pass, type Refused } from '../../../core/outcome.ts';
import { makeWaiters, type Waiters } from '../../async.ts';
import type { Durability } from '../store.ts';
import type { Placement, Unplaced } from './places.ts';

/** Content that the index takes in at once. */
const GROUP = 16;
/** Pause between two fills while less than a group waits, in ms. */
const EVERY_MS = 25;
/** Pause after a refused fill, in ms. */
const AGAIN_MS = 1_000;
/** More content than this is not acknowledged before the index has some of it. */
const WAITING_MAX = 256;
const BYTES_MAX = 4 << 20;

/** Clock and timers, so that a test can play time. */
export interface FillClock {
  now(): number;
  after(ms: number, act: () => void): () => void;
}

export const REAL_CLOCK: FillClock = {
  now: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

interface Queued {
  readonly waiting: Unplaced;
  readonly bytes: number;
}

type PlaceAll = (waiting: readonly Unplaced[], durability: Durability) => Promise<Outcome<Placement>>;

/** Acknowledged content on its way to the index, in the order of its writing. */
export class FillQueue {
  private readonly place: PlaceAll;
  private readonly clock: FillClock;
  private readonly queue: Queued[] = [];
  private bytes = 0;
  private readonly emptied: Waiters<void> = makeWaiters();
  private filling: Promise<Outcome<void>> | undefined;
  private strict = false;
  private cancel: (() => void) | undefined;
  private filledAt = Number.NEGATIVE_INFINITY;
  private isEnded = false;
  /** Refusal of the last fill; absent after a fill succeeds. */
  trouble: Refused | undefined;

  constructor(place: PlaceAll, clock: FillClock = REAL_CLOCK) {
    this.place = place;
    this.clock = clock;
  }

  /** Queues content; the index takes it in soon. */
  push(waiting: Unplaced, bytes: number): void {
    this.queue.push({ waiting, bytes });
    this.bytes += bytes;
    if (this.queue.length >= GROUP) void this.fill();
    else this.later(Math.max(0, this.filledAt + EVERY_MS - this.clock.now()));
  }

  get isEmpty(): boolean {
    return this.queue.length === 0;
  }

  /** Returns when the index has all content that waits now, in its own time. */
  placed(): Promise<void> {
    return this.isEmpty ? Promise.resolve() : this.emptied.wait();
  }

  /** Content that still waits. */
  find(isIt: (waiting: Unplaced) => boolean): Unplaced | undefined {
    return this.queue.find(({ waiting }) => isIt(waiting))?.waiting;
  }

  /** True where content may be acknowledged. After a full disk a fill has to succeed first. */
  get hasRoom(): boolean {
    const isFull = this.queue.length >= WAITING_MAX || this.bytes >= BYTES_MAX;
    return !isFull && this.trouble?.refusal.code !== 'store_full';
  }

  /** Returns when there is room. */
  async room(): Promise<Outcome<void>> {
    while (!this.hasRoom) {
      const done = await this.fill();
      if (!done.ok) return done;
    }
    return pass(undefined);
  }

  /** Returns when the index has all content that waits now. */
  settle(): Promise<Outcome<void>> {
    const last = this.queue.at(-1);
    return last === undefined ? Promise.resolve(pass(undefined)) : this.through(last.waiting);
  }

  /** Returns when the index has this content. */
  async through(waiting: Unplaced, durability: Durability = 'relaxed'): Promise<Outcome<void>> {
    this.strict ||= durability === 'strict';
    while (this.find((each) => each === waiting) !== undefined) {
      const done = await this.fill();
      if (!done.ok) return done;
    }
    if (durability === 'relaxed' || !this.strict) return pass(undefined);
    // a relaxed fill was under way: an empty strict transaction comes behind it
    this.strict = false;
    const flushed = await this.place([], 'strict');
    return flushed.ok ? pass(undefined) : flushed;
  }

  private fill(): Promise<Outcome<void>> {
    this.cancel?.();
    this.cancel = undefined;
    this.filling ??= this.fillOnce().finally(() => {
      this.filling = undefined;
      this.filledAt = this.clock.now();
      if (this.queue.length > 0) this.later(this.trouble === undefined ? this.pauseNow() : AGAIN_MS);
    });
    return this.filling;
  }

  private pauseNow(): number {
    return this.queue.length >= GROUP ? 0 : EVERY_MS;
  }

  private async fillOnce(): Promise<Outcome<void>> {
    const some = this.queue.slice(0, WAITING_MAX);
    const durability = this.strict ? 'strict' : 'relaxed';
    this.strict = false;
    const placed = await this.place(
      some.map(({ waiting }) => waiting),
      durability,
    );
    this.trouble = placed.ok ? undefined : placed;
    if (!placed.ok) return placed;
    this.queue.splice(0, some.length);
    this.bytes -= some.reduce((sum, { bytes }) => sum + bytes, 0);
    this.emptied.settle();
    return pass(undefined);
  }

  /** Ends the fills: what still waits stays where it is. */
  end(): void {
    this.isEnded = true;
    this.cancel?.();
  }

  private later(ms: number): void {
    if (this.isEnded) return;
    this.cancel ??= this.clock.after(ms, () => {
      this.cancel = undefined;
      void this.fill();
    });
  }
}
