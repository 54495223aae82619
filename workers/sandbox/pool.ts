import type { CallLimits } from '../../core/limits.ts';
import { misuse, SallyportError } from '../../core/sallyport-error.ts';
import type { ParkedCall, RealmLimits, RealmOutcome, RealmSource, StoredImage } from '../../sandbox/index.ts';
import { deferred } from '../async/deferred.ts';
import { makeSerialQueue } from '../async/serial-queue.ts';
import { BROWSER_KILLS, type KillBudget, Kills } from './budget.ts';
import { type CallSetup, drive } from './call-driver.ts';
import type { CallRequest, CarryOut, GuestCapability, ParkableCall, PersistentSandboxPort, Spawn } from './port.ts';
import type { LoadedImage, LoadResult, SandboxRemote } from './remote.ts';
import { type LoadableRealm, SandboxWorker, WorkerLostError } from './sandbox-worker.ts';

/**
 * Time beyond its deadline after which a guest counts as hung: a guest that can be interrupted has ended by then, so
 * the remaining guests are in a native loop.
 */
const HANG_GRACE_MS = 150;
/** Time to load: a deadline of ten seconds, and a cold engine to compile. */
const LOAD_WATCH_MS = 15_000;
/** Duration after which a call may be a hang: a spare started now is ready when it is needed. */
const SLOW_MS = 50;

export interface PoolOptions {
  readonly spares?: number;
  readonly kills?: KillBudget;
  /** ms until a worker that is loading counts as hung. */
  readonly loadWatchMs?: number;
}

/** Realms that are not capabilities: our own scripts with foreign data in them, for example a compiler of schemas. */
export interface RealmPort {
  build(id: string, source: RealmSource, limits: RealmLimits): Promise<{ readonly imageHash: string }>;
  call(id: string, entry: string, text: string): Promise<RealmOutcome | { readonly ok: false; readonly kind: 'hang' }>;
  /** Forgets a realm and frees its image. */
  drop(id: string): void;
}

/**
 * A sandbox worker at work, and warm spares beside it. A worker that hangs is terminated, its call settles as `hang`,
 * and the spare takes over: each loaded realm is loaded there, too, and calls with lost heaps are repeated there. A
 * call that finds the worker busy takes the spare: a guest may run until its deadline, and only calls that wait in the
 * same worker wait for it. Each worker has all images and a few warm instances, used or not.
 */
export class Pool implements PersistentSandboxPort {
  readonly realms: RealmPort;
  readonly #spawn: Spawn;
  readonly #spareCount: number;
  readonly #kills: Kills;
  readonly #loadWatchMs: number;
  readonly #loadable = new Map<string, LoadableRealm>();
  /** Limits of the loaded capabilities. */
  readonly #limits = new Map<string, CallLimits>();
  readonly #realmWatches = new Map<string, number>();
  #spares: Promise<SandboxWorker>[] = [];
  /** Queue of the callers that wait for a worker. */
  readonly #inTurn = makeSerialQueue();
  readonly #closed = deferred<'closed'>();
  #active: Promise<SandboxWorker> | undefined;
  #isClosed = false;

  constructor(spawn: Spawn, options: PoolOptions = {}) {
    this.#spawn = spawn;
    this.#spareCount = options.spares ?? 1;
    this.#kills = new Kills(options.kills ?? BROWSER_KILLS);
    this.#loadWatchMs = options.loadWatchMs ?? LOAD_WATCH_MS;
    this.realms = {
      build: (id, source, limits) => this.#buildRealm(id, source, limits),
      call: (id, entry, text) => this.#callRealm(id, entry, text),
      drop: (id) => this.#dropRealm(id),
    };
  }

  async load(capability: GuestCapability): Promise<LoadedImage> {
    const { hash, name, source, powers, limits, image } = capability;
    const given = { hash, name, source, powers, limits, ...(image === undefined ? {} : { image }) };
    const loaded = await this.#loadInAll({
      id: hash,
      watchMs: this.#loadWatchMs,
      load: (remote) => remote.load(given),
    });
    this.#limits.set(hash, limits);
    return loaded;
  }

  call(request: CallRequest, powers?: CarryOut): ParkableCall {
    const { hash, args, seed, now, heapHash = false, trace = false, fuelMax } = request;
    const input = { seed, now, heapHash, trace, ...(fuelMax === undefined ? {} : { fuelMax }) };
    const start: CallSetup['start'] = (remote, number) => remote.begin(number, hash, args, input);
    return this.#drive(hash, { powers, start, answered: [] });
  }

  resume(hash: string, parked: ParkedCall, digest: string, powers?: CarryOut): ParkableCall {
    const start: CallSetup['start'] = (remote, number) => remote.unpark(number, hash, parked, digest);
    return this.#drive(hash, { powers, start, answered: parked.state.answered });
  }

  async image(hash: string): Promise<StoredImage> {
    const worker = await this.#ready(hash);
    return worker.turn(this.#loadWatchMs, (remote) => remote.image(hash));
  }

  #drive(hash: string, call: Pick<CallSetup, 'powers' | 'start' | 'answered'>): ParkableCall {
    const limits = this.#limits.get(hash);
    if (limits === undefined) throw misuse('capability_unloaded', { hash });
    const aborting = deferred<'aborted'>();
    const { settled, park } = drive({
      ...call,
      limits,
      watchMs: limits.deadlineMs + HANG_GRACE_MS,
      stopped: Promise.race([aborting.promise, this.#closed.promise]),
      allowed: () => this.#kills.allow(hash, performance.now()),
      worker: () => this.#ready(hash),
      hung: () => this.#kills.add(hash, performance.now()),
    });
    const slow = setTimeout(() => this.#refill(), SLOW_MS);
    void settled.then(() => clearTimeout(slow));
    void settled.then((end) => end.ok && this.#refill());
    return { settled, park, abort: () => aborting.resolve('aborted') };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closed.resolve('closed');
    const workers = [...this.#spares, ...(this.#active === undefined ? [] : [this.#active])];
    this.#active = undefined;
    this.#spares = [];
    for (const worker of await Promise.allSettled(workers)) if (worker.status === 'fulfilled') worker.value.terminate();
  }

  /** A free worker with the realm loaded. Its next turn is reserved for the caller. */
  async #ready(id: string): Promise<SandboxWorker> {
    const realm = this.#loadable.get(id);
    if (realm === undefined) throw misuse('capability_unloaded', { hash: id });
    // Callers are served in the order of their arrival, so that a free worker goes to a single caller.
    const worker = await this.#inTurn(() => this.#claimed());
    const loaded = await worker.load(realm);
    if (loaded.ok) return worker;
    worker.unclaim();
    throw new WorkerLostError('gone');
  }

  /** The active worker, or a spare where that is busy, or the first free worker. */
  async #claimed(): Promise<SandboxWorker> {
    const active = await this.#worker();
    if (active.claim()) return active;
    // a caller waits: now a second worker is worth its start
    this.#refill();
    const spares = this.#spares.map((spare) => spare.then((worker) => worker.free()).catch(() => active.free()));
    const first = await Promise.race([...spares, active.free()]);
    return first.claim() ? first : this.#claimed();
  }

  async #loadInAll(realm: LoadableRealm): Promise<LoadedImage> {
    const loaded = await this.#loadSomewhere(realm);
    if (!loaded.ok) throw restored(loaded.error);
    this.#loadable.set(realm.id, realm);
    for (const spare of this.#spares) void spare.then((worker) => worker.load(realm)).catch(() => undefined);
    return loaded.value;
  }

  /**
   * Loads a realm in a turn, which may hang, or be lost with a worker that another turn hung. A new realm is loaded in
   * a spare where there is one, so that calls at work need not wait for it.
   */
  async #loadSomewhere(realm: LoadableRealm): Promise<LoadResult<LoadedImage>> {
    const worker = await this.#forLoading();
    try {
      return await worker.load(realm);
    } catch (error) {
      if (!(error instanceof WorkerLostError)) throw error;
      if (error.how === 'hang') throw misuse('source_limit', { limit: 'hang' });
      if (this.#isClosed) throw misuse('sandbox_closed', {});
      return this.#loadSomewhere(realm);
    }
  }

  async #forLoading(): Promise<SandboxWorker> {
    const spare = await this.#spares[0]?.catch(() => undefined);
    const active = this.#worker();
    if (spare === undefined || spare.lost) return active;
    return Promise.race([spare.free(), active.then((worker) => worker.free())]);
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
      await Promise.race([worker.started(), this.#closed.promise]);
      return worker;
    } catch (error) {
      if (error instanceof WorkerLostError) throw misuse('worker_failed', { reason: 'it did not start' });
      throw misuse('worker_failed', { reason: error instanceof Error ? error.message.replace(/\.$/, '') : 'unknown' });
    }
  }

  /** Starts missing spares, after a good answer: a machine that is busy with a killed thread needs no more work. */
  #refill(): void {
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
    for (const realm of this.#loadable.values()) {
      // callers that wait for this worker go first, and load the realms they need
      await new Promise((resolve) => setTimeout(resolve));
      await worker.free();
      await worker.load(realm);
    }
  }

  #dropSpare(spare: Promise<SandboxWorker>): void {
    this.#spares = this.#spares.filter((other) => other !== spare);
  }

  async #buildRealm(id: string, source: RealmSource, limits: RealmLimits): Promise<{ readonly imageHash: string }> {
    const load = (remote: SandboxRemote) => remote.buildRealm(id, source, limits);
    const built = await this.#loadInAll({ id, watchMs: this.#loadWatchMs, load });
    this.#realmWatches.set(id, limits.deadlineMs + HANG_GRACE_MS);
    return built;
  }

  async #callRealm(id: string, entry: string, text: string): ReturnType<RealmPort['call']> {
    try {
      const worker = await this.#ready(id);
      const watchMs = this.#realmWatches.get(id) ?? this.#loadWatchMs;
      return await worker.turn(watchMs, (remote) => remote.callRealm(id, entry, text));
    } catch (error) {
      if (!(error instanceof WorkerLostError)) throw error;
      return error.how === 'unbegun' ? this.#callRealm(id, entry, text) : { ok: false, kind: 'hang' };
    }
  }

  #dropRealm(id: string): void {
    this.#loadable.delete(id);
    this.#realmWatches.delete(id);
    for (const worker of [this.#active, ...this.#spares])
      void worker?.then((at) => at.unload(id)).catch(() => undefined);
  }
}

function restored({
  code,
  message,
  details,
  ...at
}: {
  code: SallyportError['code'];
  message: string;
  details: SallyportError['details'];
}): SallyportError {
  return new SallyportError(code, message, details, at);
}
