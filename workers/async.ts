/** An item that waits for its result. */
export interface BatchItem<I, R> {
  readonly item: I;
  readonly result: Deferred<R>;
}

/** How a queue makes and works its batches. */
interface BatchWork<I, R> {
  /** Number of items, counted from the one that has waited longest, for the next batch: at least one. */
  readonly sizeOf: (waiting: readonly BatchItem<I, R>[]) => number;
  /** Awaited before each batch, for the items that join it. Absent: items of the same turn join the first batch. */
  readonly gather?: () => Promise<void>;
  /** Resolves or rejects the result of each item of a batch. Does not throw. */
  readonly work: (batch: readonly BatchItem<I, R>[]) => Promise<void>;
}

/** Works items in batches, a batch at a time: items that wait at the same time share a batch. */
export class BatchQueue<I, R> {
  readonly #how: BatchWork<I, R>;
  #waiting: BatchItem<I, R>[] = [];
  #isBusy = false;

  constructor(how: BatchWork<I, R>) {
    this.#how = how;
  }

  /** True while an item waits or is worked. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  add(item: I): Promise<R> {
    const result = deferred<R>();
    this.#waiting.push({ item, result });
    if (!this.#isBusy) void this.#run();
    return result.promise;
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    // items that are added in the same turn join the first batch
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      await this.#how.gather?.();
      await this.#how.work(this.#waiting.splice(0, this.#how.sizeOf(this.#waiting)));
    }
    this.#isBusy = false;
  }
}

/**
 * Cancellable work behind a message port. A signal cannot cross a port, so the caller names the work by a ticket of its
 * own.
 */
interface Cancellation {
  /** Runs `act` with a signal that `giveUp(ticket)` aborts. Work without a ticket cannot be cancelled. */
  work<T>(ticket: string | undefined, act: (signal: AbortSignal) => Promise<T>): Promise<T>;
  giveUp(ticket: string): void;
}

export function makeCancellation(): Cancellation {
  const open = new Map<string, AbortController>();
  return {
    async work(ticket, act) {
      const controller = new AbortController();
      if (ticket !== undefined) open.set(ticket, controller);
      try {
        return await act(controller.signal);
      } finally {
        if (ticket !== undefined) open.delete(ticket);
      }
    },
    giveUp: (ticket) => open.get(ticket)?.abort(),
  };
}

/** The caller's side: runs `act` under a new ticket; after an abort it rejects with the signal's reason. */
export async function untilAborted<T>(
  signal: AbortSignal | undefined,
  giveUp: (ticket: string) => unknown,
  act: (ticket: string) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const ticket = crypto.randomUUID();
  const abort = (): void => void giveUp(ticket);
  signal?.addEventListener('abort', abort);
  try {
    return await act(ticket);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** Bytes of the buffer. Its pages are never touched, so that they take no memory. */
const ROOM = 256 << 20;
/** Bytes that are read between two buffers. */
const EVERY = 24 << 20;

/**
 * Has the engine collect garbage while a worker reads many values from a database. The values that a database hands out
 * lie beside the engine's heap, and the engine collects them late: 50,000 rows of a corpus left 450 MB behind. The
 * engine counts a new buffer as memory in use, and collects sooner.
 */
export class Collector {
  /** Referenced, so that no compiler leaves the allocation out. */
  room: ArrayBuffer | undefined;
  #bytes = 0;

  /** Counts bytes that were read. */
  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < EVERY) return;
    this.#bytes = 0;
    try {
      this.room = new ArrayBuffer(ROOM);
    } catch {
      // A device without address space for the buffer collects by itself.
    }
  }
}

/** `Promise.withResolvers`, which Node has from 22 on. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

export function deferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...(settle as Omit<Deferred<T>, 'promise'>) };
}

/**
 * The awaited value, or undefined after the signal's abort. Removes its listener, so that repeated waits leave no
 * trace.
 */
export async function orAborted<T>(waiting: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (signal === undefined) return waiting;
  if (signal.aborted) return undefined;
  const { promise: aborted, resolve } = deferred<undefined>();
  const abort = (): void => resolve(undefined);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([waiting, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The promise's value; rejects with the signal's reason as soon as it aborts. The promise itself goes on. */
export async function unlessAborted<T>(waiting: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const settled = waiting.then((result) => ({ result }));
  // a signal that has aborted already waits for nothing
  settled.catch(() => undefined);
  const value = await orAborted(settled, signal);
  if (value !== undefined) return value.result;
  throw signal?.reason;
}

/** Callers that wait for an event. `tell` resolves all of them at once, and then forgets them. */
export interface Waiters<T> {
  wait(): Promise<T>;
  settle(value: T): void;
}

export function makeWaiters<T = void>(): Waiters<T> {
  const waiting: ((value: T) => void)[] = [];
  return {
    wait: () => new Promise((resolve) => waiting.push(resolve)),
    settle: (value) => {
      for (const resolve of waiting.splice(0)) resolve(value);
    },
  };
}

/** A single wait at a time, which can be cancelled. */
export interface Delay {
  /** True after these ms; false after a cancellation. */
  wait(ms: number): Promise<boolean>;
  giveUp(): void;
}

/** The longest time of a platform's timer. */
export const TIMER_MAX_MS: number = 2 ** 31 - 1;

export function makeDelay(): Delay {
  let giveUp = () => {};
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve(true), Math.min(ms, TIMER_MAX_MS));
        giveUp = () => {
          clearTimeout(timer);
          resolve(false);
        };
      }),
    giveUp: () => giveUp(),
  };
}

/// <reference lib="esnext.disposable" preserve="true" />

interface Closable extends AsyncDisposable {
  close(): void | Promise<void>;
}

/** Symbol for `await using`. On platforms without it, compilers of `await using` look for this registered symbol. */
export const ASYNC_DISPOSE: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

/** Makes an object with `close` usable with `await using`. */
export function disposable<T extends Closable>(owned: Omit<T, typeof Symbol.asyncDispose>): T {
  return { ...owned, [ASYNC_DISPOSE]: async () => owned.close() } as unknown as T;
}

/** An abort whose signal is made when it is asked for: making one takes as long as hashing a record. */
interface LazyAbort {
  readonly signal: AbortSignal;
  abort(): void;
}

export function lazyAbort(): LazyAbort {
  let signal: AbortSignal | undefined;
  let abort = (): void => void (signal = AbortSignal.abort());
  const begin = (): AbortSignal => {
    const controller = new AbortController();
    abort = () => controller.abort();
    return controller.signal;
  };
  return {
    get signal() {
      return (signal ??= begin());
    },
    abort: () => abort(),
  };
}

/** A timer for any number of ms, which keeps no process of Node alive. Starting it again stops it first. */
export class LongTimer {
  #timer: ReturnType<typeof setTimeout> | undefined;

  start(ms: number, act: () => void): void {
    this.stop();
    const rest = ms - TIMER_MAX_MS;
    this.#timer = setTimeout(() => (rest > 0 ? this.start(rest, act) : act()), Math.min(ms, TIMER_MAX_MS));
    (this.#timer as { unref?: () => void }).unref?.();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

type Then = () => void;

/**
 * Node's `setImmediate`. Other platforms post a message to themselves: nested timers wait longer after the first few.
 */
const { setImmediate: immediate } = globalThis as { readonly setImmediate?: (then: Then) => unknown };

const waiting: Then[] = [];
let channel: MessageChannel | undefined;

/** Lets other tasks of this thread run first. An `await` on a settled promise stays in the same task and does not. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    if (immediate !== undefined) return void immediate(resolve);
    waiting.push(resolve);
    channel ??= opened();
    channel.port2.postMessage(undefined);
  });
}

function opened(): MessageChannel {
  const made = new MessageChannel();
  made.port1.onmessage = () => waiting.shift()?.();
  return made;
}

/** Work between two pauses, in bytes or UTF-16 units of text: some milliseconds of indexing or hashing. */
const STRETCH = 1 << 18;
/** Time between two pauses: on a busy machine the same work takes ten times as long. */
const STRETCH_MS = 8;

/** Takes the amount of work since the last call, and returns whether a pause is due. */
export function makePace(): (done: number) => boolean {
  let since = 0;
  let begun = performance.now();
  return (done) => {
    since += done;
    const now = performance.now();
    if (since < STRETCH && now - begun < STRETCH_MS) return false;
    [since, begun] = [0, now];
    return true;
  };
}

export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>;

/** Makes a queue of work: each piece begins when the previous piece is over, failed or not. */
export function makeSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

/** Makes a queue of turns: each caller waits for its turn, and calls the result to end it. */
export function makeTurnQueue(): () => Promise<() => void> {
  const queue = makeSerialQueue();
  return () => new Promise((begin) => void queue(() => new Promise<void>((end) => begin(end))));
}

/** Value of `within` for a promise that did not settle in time. */
export const LATE: unique symbol = Symbol('late');

/** The promise's value, or `LATE` where it takes more than `ms`. The promise itself goes on. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | typeof LATE> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), Math.min(Math.max(0, ms), TIMER_MAX_MS));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
