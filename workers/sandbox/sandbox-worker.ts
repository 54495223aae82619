import type { GivenImage } from '../../sandbox/index.ts';
import { type Deferred, deferred, makeSerialQueue } from '../async.ts';
import { type Crossed, type MethodNames, methodsAt } from '../lock/realm-port.ts';
import type { LoadedImage, Spawned } from './port.ts';
import type { SandboxRemote } from './remote.ts';
import { GUEST_RUNS, HOST_WORKS, startWatch } from './turn-watch.ts';

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
export interface WorkerReservation {
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
