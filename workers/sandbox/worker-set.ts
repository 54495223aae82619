import { misuse, SallyportError } from '../../core/sallyport-error.ts';
import type { GivenImage, StoredImage } from '../../sandbox/index.ts';
import { type Deferred, deferred, makeDelay, makeSerialQueue } from '../async.ts';
import { type Crossed, type MethodNames, methodsAt } from '../lock/realm-port.ts';
import type { LoadedImage, Spawn, Spawned } from './port.ts';
import { GUEST_RUNS, HOST_WORKS, type SandboxRemote } from './remote.ts';

/** Duration after which a turn may be a hang: a spare started now is ready when it is needed. Most turns are shorter. */
export const SLOW_MS = 50;

/** Work in a worker in which no other caller begins meanwhile. */
type UseOfWorker<T> = (worker: SandboxWorker) => Promise<T>;

/**
 * A sandbox worker at work, and warm spares beside it. A spare takes the place of a worker that is lost, and takes calls
 * that find the active worker busy. Each worker has all realms.
 */
export class WorkerSet {
  /** Resolves when the set is closed. */
  readonly closed: Promise<'closed'>;
  readonly #close: () => void;
  readonly #spawn: Spawn;
  readonly #spareCount: number;
  readonly #realms = new Map<string, LoadableRealm>();
  readonly #images = new HandedImages();
  /** Calls, and apart from them loads, get workers in the order of their arrival. */
  readonly #callsInTurn = makeSerialQueue();
  readonly #loadsInTurn = makeSerialQueue();
  #spares: Promise<SandboxWorker>[] = [];
  #active: Promise<SandboxWorker> | undefined;
  #isClosed = false;

  constructor(spawn: Spawn, spareCount: number) {
    this.#spawn = spawn;
    this.#spareCount = spareCount;
    const { promise, resolve } = deferred<'closed'>();
    this.closed = promise;
    this.#close = () => resolve('closed');
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#close();
    const workers = [...this.#spares, ...(this.#active === undefined ? [] : [this.#active])];
    this.#active = undefined;
    this.#spares = [];
    for (const worker of await Promise.allSettled(workers)) if (worker.status === 'fulfilled') worker.value.terminate();
  }

  /** Adds a realm that a worker has loaded: every later worker loads it, too, from the image that is handed on. */
  add(realm: LoadableRealm, image?: StoredImage): void {
    this.#realms.set(realm.id, realm);
    if (image !== undefined) this.#images.keep(realm.id, image);
    for (const spare of this.#spares) void spare.then((worker) => this.#load(worker, realm)).catch(() => undefined);
  }

  #load(worker: SandboxWorker, realm: LoadableRealm): Promise<Crossed<LoadedImage>> {
    return worker.load(realm, this.#images.given(realm.id));
  }

  /** Forgets a realm, in every worker. */
  drop(id: string): void {
    this.#realms.delete(id);
    this.#images.drop(id);
    for (const worker of [this.#active, ...this.#spares])
      void worker?.then((at) => at.unload(id)).catch(() => undefined);
  }

  /** Uses a free worker with the realm loaded. */
  async useReady<T>(id: string, use: UseOfWorker<T>): Promise<T> {
    const realm = this.#realms.get(id);
    if (realm === undefined) throw misuse('capability_unloaded', { hash: id });
    const reserved = await this.#callsInTurn(() => this.#reserve(0));
    return useReserved(reserved, async (worker) => {
      await this.#loadAgain(worker, realm);
      return use(worker);
    });
  }

  /** Loads a realm that another worker has loaded. A failure is that of this worker: no guest of a call has begun. */
  async #loadAgain(worker: SandboxWorker, realm: LoadableRealm): Promise<void> {
    const loaded = await this.#load(worker, realm).catch((error: unknown) => {
      if (!(error instanceof WorkerLostError) || error.how === 'unbegun' || error.how === 'mute') throw error;
      const why = error.how === 'hang' ? 'loading took too long' : error.reason;
      throw new WorkerLostError('unloaded', why);
    });
    if (!loaded.ok) throw new WorkerLostError('unloaded', loaded.error.message);
  }

  /** Uses a free worker for a new realm: a spare where there is one, so that calls at work need not wait for it. */
  async useForLoading<T>(use: UseOfWorker<T>): Promise<T> {
    const reserved = await this.#loadsInTurn(async () => {
      const spare = await this.#spares[0]?.catch(() => undefined);
      return spare?.reserve() ?? this.#reserve(SLOW_MS);
    });
    return useReserved(reserved, use);
  }

  /** Reserves the active worker, or the first free one. A wait of `patienceMs` starts the missing spares. */
  async #reserve(patienceMs: number): Promise<WorkerReservation> {
    const active = await this.#worker();
    const reserved = active.reserve();
    if (reserved !== undefined) return reserved;
    if (patienceMs === 0) this.refill();
    const spares = this.#spares.map((spare) => spare.then((worker) => worker.free()).catch(() => active.free()));
    const patience = makeDelay();
    const tooLong = patienceMs > 0 ? [patience.wait(patienceMs).then(() => undefined)] : [];
    const first = await Promise.race([...spares, active.free(), ...tooLong]);
    patience.giveUp();
    return first?.reserve() ?? this.#reserve(first === undefined ? 0 : patienceMs);
  }

  async #worker(): Promise<SandboxWorker> {
    if (this.#isClosed) throw misuse('sandbox_closed', {});
    const current = this.#active;
    // a worker that did not start is tried again by the next call
    if (current !== undefined && (await current.catch(() => undefined))?.lost === false) return current;
    if (this.#active !== current) return this.#worker();
    const [spare, ...rest] = this.#spares;
    this.#spares = rest;
    this.#active = spare ?? this.#start();
    const next = await this.#active;
    return next.lost ? this.#worker() : next;
  }

  async #start(): Promise<SandboxWorker> {
    try {
      const worker = new SandboxWorker(await this.#spawn.spawn());
      await Promise.race([worker.started(), this.closed]);
      return worker;
    } catch (error) {
      if (error instanceof WorkerLostError) throw misuse('worker_failed', { reason: 'it did not start' });
      if (error instanceof SallyportError) throw error;
      throw misuse('worker_failed', { reason: error instanceof Error ? error.message.replace(/\.$/, '') : 'unknown' });
    }
  }

  /** Starts missing spares, after a good answer: a machine that is busy with a killed thread needs no more work. */
  refill(): void {
    while (this.#spares.length < this.#spareCount && !this.#isClosed) {
      const spare = this.#start();
      this.#spares.push(spare);
      const use = (worker: SandboxWorker) => {
        void worker.ended.then(() => this.#dropSpare(spare));
        return this.#preload(worker);
      };
      spare.then(use).catch(() => this.#dropSpare(spare));
    }
  }

  async #preload(worker: SandboxWorker): Promise<void> {
    for (const realm of this.#realms.values()) {
      // callers that wait for this worker go first, and load the realms they need
      await new Promise((resolve) => setTimeout(resolve));
      await worker.free();
      await this.#load(worker, realm);
    }
  }

  #dropSpare(spare: Promise<SandboxWorker>): void {
    this.#spares = this.#spares.filter((other) => other !== spare);
  }
}

async function useReserved<T>({ worker, release }: WorkerReservation, use: UseOfWorker<T>): Promise<T> {
  try {
    return await use(worker);
  } finally {
    release();
  }
}

/** Bytes of all images that are handed on. A realm whose image was dropped is built again in the next worker. */
const IMAGES_BYTES = 16 << 20;

/**
 * Images of the loaded realms, so that a worker that follows builds and hashes none of them again. Each comes from the
 * worker that has hashed it, with its hash: a worker that lies about the one can lie about the other.
 */
class HandedImages {
  readonly #images = new Map<string, StoredImage>();
  #bytes = 0;

  /** Keeps an image, and drops the oldest images where there is no room. */
  keep(id: string, image: StoredImage): void {
    this.drop(id);
    this.#images.set(id, image);
    this.#bytes += image.bytes.length;
    for (const oldest of this.#images.keys()) {
      if (this.#bytes <= IMAGES_BYTES) return;
      this.drop(oldest);
    }
  }

  given(id: string): GivenImage | undefined {
    const stored = this.#images.get(id);
    return stored && { stored, digest: stored.digest, isHashed: true };
  }

  drop(id: string): void {
    this.#bytes -= this.#images.get(id)?.bytes.length ?? 0;
    this.#images.delete(id);
  }
}

/** A realm that a sandbox worker loads, and that can be loaded again in another worker. */
export interface LoadableRealm {
  readonly id: string;
  /** ms until a worker that is loading the realm counts as hung. */
  readonly watchMs: number;
  readonly load: (remote: SandboxRemote, image?: GivenImage) => Promise<Crossed<LoadedImage>>;
}

/**
 * Why a turn has no answer. `hang`: its own guest hung. `memory`: the worker had no more memory. `gone`: the worker ended
 * for another reason. `mute`: the worker neither began the turn nor answered. `unbegun`: the turn waited behind another,
 * and had not begun. `unloaded`: the worker could not load the realm of the turn.
 */
type Loss = 'hang' | 'memory' | 'gone' | 'mute' | 'unbegun' | 'unloaded';

export class WorkerLostError extends Error {
  override readonly name = 'Lost';
  readonly how: Loss;
  readonly reason: string;

  constructor(how: Loss, reason = 'the worker was ended') {
    super(how);
    this.how = how;
    this.reason = reason;
  }
}

/** Workers that may be lost under the same work. */
const WORKERS_MAX = 3;

/**
 * Decides whether work that was lost with its worker is done in another one: a worker that was lost under another turn
 * counts as none, and of the others there are at most three.
 */
export class Repetitions {
  readonly #repeatable: ReadonlySet<Loss>;
  #lost = 0;

  /** `repeatable`: losses of the own turn after which it may run again. */
  constructor(repeatable: readonly Loss[]) {
    this.#repeatable = new Set(repeatable);
  }

  mayFollow(error: unknown): boolean {
    if (!(error instanceof WorkerLostError)) return false;
    if (error.how === 'unbegun') return true;
    this.#lost += 1;
    return this.#repeatable.has(error.how) && this.#lost < WORKERS_MAX;
  }
}

/** A worker reserved for a single caller, which calls `release` once: until then, no other caller reserves it. */
interface WorkerReservation {
  readonly worker: SandboxWorker;
  release(): void;
}

const SANDBOX: MethodNames<SandboxRemote> = {
  ready: true,
  check: true,
  load: true,
  begin: true,
  resume: true,
  park: true,
  unpark: true,
  drop: true,
  buildRealm: true,
  callRealm: true,
  dropRealm: true,
};

const UNLOAD_WATCH_MS = 1000;
/** A busy machine takes seconds to start a worker, and can hold up a started one. After this time it is lost. */
const HOST_WATCH_MS = 60_000;

/**
 * A sandbox worker: its channel, its queue of turns, and the watch over the running turn. A worker runs a single turn
 * at a time, so the watch measures that turn alone. The watch of the guest begins when the worker lets the guest run: on
 * a busy machine that can be seconds after the turn was sent, because the worker first takes the turn, and restores the
 * heap. It stops while the worker hashes the heap. When the watch expires, the worker is terminated.
 */
export class SandboxWorker {
  readonly #remote: SandboxRemote;
  readonly #realms = new Map<string, Promise<Crossed<Pick<LoadedImage, 'imageHash'>>>>();
  readonly #lose: (how: Loss, reason?: string) => void;
  /** Rejects when the worker is lost. */
  readonly #loss: Promise<never>;
  /** Reject the answers that are awaited. A reaction to `#loss` would stay in memory as long as the worker lives. */
  readonly #awaited = new Set<(lost: WorkerLostError) => void>();
  readonly #inTurn = makeSerialQueue();
  /** Turns that run or wait, and a reservation. */
  #users = 0;
  #freed: Deferred<void> = deferred();
  /** Called when the worker tells whose time of the turn begins. */
  #timeOf: (whose: 'guest' | 'host') => void = () => {};
  lost = false;

  constructor(spawned: Spawned) {
    this.#remote = methodsAt(spawned.port, SANDBOX);
    spawned.port.addEventListener('message', ({ data }) => {
      if (data === GUEST_RUNS) this.#timeOf('guest');
      if (data === HOST_WORKS) this.#timeOf('host');
    });
    // an answer that this thread cannot read would be awaited without end
    spawned.port.addEventListener('messageerror', () => this.#lose('gone', 'its answer cannot be read'));
    // an idle sandbox keeps no process alive; while a turn runs, its watch does
    spawned.rest?.();
    const loss = deferred<never>();
    this.#loss = loss.promise;
    this.#loss.catch(() => undefined);
    this.#lose = (how, reason) => {
      if (this.lost) return;
      this.lost = true;
      this.#freed.resolve();
      spawned.terminate();
      spawned.port.close();
      const lost = new WorkerLostError(how, reason);
      loss.reject(lost);
      for (const reject of this.#awaited) reject(lost);
    };
    void spawned.ended?.then(({ isMemory, reason }) => this.#lose(isMemory ? 'memory' : 'gone', reason));
  }

  /** Resolves when the worker takes turns. A watch before that would take a slow start for a hanging guest. */
  started(): Promise<void> {
    return this.#watched(HOST_WATCH_MS, this.#remote.ready());
  }

  /** Resolves when the worker is lost. */
  get ended(): Promise<unknown> {
    return this.#loss.catch(() => undefined);
  }

  terminate(): void {
    this.#lose('gone');
  }

  /** Reserves the worker for the caller; undefined where it is lost, reserved, or has a turn. */
  reserve(): WorkerReservation | undefined {
    if (this.lost || this.#users > 0) return undefined;
    this.#users += 1;
    return { worker: this, release: () => this.#leave() };
  }

  /** Resolves when the worker can be reserved, or is lost. */
  async free(): Promise<this> {
    if (this.#users > 0 && !this.lost) await this.#freed.promise;
    return this;
  }

  /** Runs after the turns before it. Rejects with `WorkerLostError`. */
  async turn<T>(watchMs: number, run: (remote: SandboxRemote) => Promise<T>): Promise<T> {
    this.#users += 1;
    try {
      return await this.#inTurn(async () => {
        if (this.lost) throw new WorkerLostError('unbegun');
        return this.#watched(watchMs, run(this.#remote));
      });
    } finally {
      this.#leave();
    }
  }

  #leave(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#freed.resolve();
    this.#freed = deferred();
  }

  /** Loads a realm once, from its image where one is given. Only the answer of this load has the built image. */
  load(realm: LoadableRealm, image?: GivenImage): Promise<Crossed<LoadedImage>> {
    const present = this.#realms.get(realm.id);
    if (present !== undefined) return present;
    const coming = this.turn(realm.watchMs, (remote) => realm.load(remote, image));
    const named = coming.then((loaded) => (loaded.ok ? { ...loaded, value: hashOf(loaded.value) } : loaded));
    // the caller of this load hears of its failure
    named.catch(() => undefined);
    this.#realms.set(realm.id, named);
    return coming;
  }

  /** Forgets a realm; the next `load` builds it again. */
  async unload(id: string): Promise<void> {
    this.#realms.delete(id);
    await this.turn(UNLOAD_WATCH_MS, (remote) => remote.dropRealm(id));
  }

  #watched<T>(watchMs: number, answer: Promise<T>): Promise<T> {
    const watchHost = () => startWatch(HOST_WATCH_MS, () => this.#lose('mute', 'it did not answer'));
    let stop = watchHost();
    this.#timeOf = (whose) => {
      stop();
      stop = whose === 'host' ? watchHost() : startWatch(watchMs, () => this.#lose('hang'));
    };
    const { promise, resolve, reject } = deferred<T>();
    answer.then(resolve, reject);
    if (this.lost) this.#loss.catch(reject);
    else this.#awaited.add(reject);
    return promise.finally(() => {
      this.#awaited.delete(reject);
      stop();
    });
  }
}

/** An image is not kept in memory for each worker. */
function hashOf({ imageHash }: LoadedImage): Pick<LoadedImage, 'imageHash'> {
  return { imageHash };
}

/** A timer that is later than this was held up with its thread, and an answer may wait behind it. */
const LATE_MS = 50;

/**
 * Calls `expired` after `ms`. A timer that fires more than `LATE_MS` late starts once more, so that the thread receives
 * the answers that came meanwhile. Example: a page that was suspended for an hour does not end its calls as hung.
 * Returns a function that stops the watch.
 */
function startWatch(ms: number, expired: () => void): () => void {
  const due = performance.now() + ms;
  let timer = setTimeout(() => {
    if (performance.now() - due <= LATE_MS) expired();
    else timer = setTimeout(expired, ms);
  }, ms);
  return () => clearTimeout(timer);
}
