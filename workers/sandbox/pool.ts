import { misuse, SallyportError } from '../../core/sallyport-error.ts';
import type { GivenImage, RealmLimits, RealmOutcome, RealmSource } from '../../sandbox/index.ts';
import { type BatchItem, BatchQueue, deferred } from '../async.ts';
import { type Crossed, taken } from '../lock/realm-port.ts';
import { BROWSER_KILLS, type CallSetup, drive, type KillBudget, Kills } from './call-driver.ts';
import type {
  CallRequest,
  CarryOut,
  GuestCapability,
  LoadedImage,
  ParkableCall,
  PersistentSandboxPort,
  ResumeRequest,
  Spawn,
} from './port.ts';
import {
  type LoadableRealm,
  Repetitions,
  type SandboxWorker,
  SLOW_MS,
  WorkerLostError,
  WorkerSet,
} from './worker-set.ts';

/**
 * Time beyond its deadline after which a guest counts as hung: a guest that can be interrupted has ended by then, so
 * the remaining guests are in a native loop.
 */
const HANG_GRACE_MS = 150;
/** Time to load: a deadline of ten seconds, and a cold engine to compile. */
const LOAD_WATCH_MS = 15_000;

/** Charged with the hangs of calls without a run: they wait, and their caller decides what to call again. */
const NO_RUN = '';

export interface PoolOptions {
  readonly spares?: number;
  readonly kills?: KillBudget;
  /** ms until a worker that is loading counts as hung. */
  readonly loadWatchMs?: number;
}

/** Realms that are not capabilities: our own scripts with foreign data in them, for example a compiler of schemas. */
export interface RealmPort {
  /** Rejects with `worker_failed` where the workers are lost, as `call` does. */
  build(id: string, source: RealmSource, limits: RealmLimits): Promise<{ readonly imageHash: string }>;
  call(id: string, entry: string, text: string): Promise<RealmOutcome | { readonly ok: false; readonly kind: 'hang' }>;
  /** Forgets a realm and frees its image. */
  drop(id: string): void;
}

/**
 * Sandboxes in workers. A worker that hangs is terminated, its call settles as `hang`, and a spare takes over: each
 * loaded realm is loaded there, too, and calls with lost heaps are repeated there. A call that finds the worker busy
 * takes the spare: a guest may run until its deadline, and only calls that wait in the same worker wait for it. Each
 * worker has all images and a few warm instances, used or not.
 */
export class Pool implements PersistentSandboxPort {
  readonly realms: RealmPort;
  readonly #workers: WorkerSet;
  readonly #kills: Kills;
  readonly #loadWatchMs: number;
  readonly #sources: SourceChecks;
  /** Terms of the loaded capabilities. */
  readonly #loaded = new Map<string, Pick<GuestCapability, 'limits' | 'powers'>>();
  /** Loads under way, and those that are done. */
  readonly #loads = new Map<string, Promise<LoadedImage>>();
  /** Abort the calls under way. A reaction to `closed` would stay in memory until the close. */
  readonly #aborts = new Set<() => void>();
  #isClosed = false;

  constructor(spawn: Spawn, options: PoolOptions = {}) {
    this.#workers = new WorkerSet(spawn, options.spares ?? 1);
    void this.#workers.closed.then(() => this.#abortAll());
    this.#kills = new Kills(options.kills ?? BROWSER_KILLS);
    this.#loadWatchMs = options.loadWatchMs ?? LOAD_WATCH_MS;
    const check = (worker: SandboxWorker, sources: readonly GuestCapability[]) =>
      worker.turn(this.#loadWatchMs, (remote) => remote.check(sources));
    this.#sources = new SourceChecks((sources) => loadSomewhere(this.#workers, (worker) => check(worker, sources)));
    this.realms = realmsIn(this.#workers, this.#loadWatchMs);
  }

  async check({ hash, name, source, powers, limits }: GuestCapability): Promise<void> {
    taken(await this.#sources.check({ hash, name, source, powers, limits }));
  }

  /** Loads a capability once, also for callers that come later. */
  async load(capability: GuestCapability): Promise<LoadedImage> {
    const { hash } = capability;
    if (this.#workers.isClosed) throw misuse('sandbox_closed', {});
    const present = this.#loads.get(hash);
    if (present !== undefined) return { imageHash: (await present).imageHash };
    const coming = this.#load(capability);
    const named = coming.then(({ imageHash }) => ({ imageHash }));
    this.#loads.set(hash, named);
    // a failed load may succeed the next time
    named.catch(() => this.#loads.delete(hash));
    return coming;
  }

  async #load({ hash, name, source, powers, limits, image }: GuestCapability): Promise<LoadedImage> {
    const given = { hash, name, source, powers, limits };
    const kept = await image?.();
    const load: LoadableRealm['load'] = (remote, handed) => remote.load(given, handed);
    const loaded = await loadIn(this.#workers, { id: hash, watchMs: this.#loadWatchMs, load }, kept);
    this.#loaded.set(hash, { limits, powers });
    return loaded;
  }

  call(request: CallRequest, powers?: CarryOut): ParkableCall {
    const { hash, args, seed, now, heapHash = false, trace = false, fuelMax, scope = NO_RUN } = request;
    const input = { seed, now, heapHash, trace, ...(fuelMax !== undefined && { fuelMax }) };
    const start: CallSetup['start'] = (remote, number) => remote.begin(number, hash, args, input);
    return this.#drive(hash, scope, { powers, start, answered: [] });
  }

  resume({ hash, parked, digest, scope = NO_RUN }: ResumeRequest, powers?: CarryOut): ParkableCall {
    const start: CallSetup['start'] = (remote, number) => remote.unpark(number, hash, parked, digest);
    return this.#drive(hash, scope, { powers, start, answered: parked.state.answered });
  }

  close(): Promise<void> {
    return this.#workers.close();
  }

  #abortAll(): void {
    this.#isClosed = true;
    for (const abort of this.#aborts) abort();
  }

  #drive(hash: string, scope: string, call: Pick<CallSetup, 'powers' | 'start' | 'answered'>): ParkableCall {
    const loaded = this.#loaded.get(hash);
    if (loaded === undefined) throw misuse('capability_unloaded', { hash });
    const { limits, powers } = loaded;
    const aborting = deferred<void>();
    const abort = () => aborting.resolve();
    this.#aborts.add(abort);
    if (this.#isClosed) abort();
    const { settled, park } = drive({
      ...call,
      limits,
      declared: powers,
      watchMs: limits.deadlineMs + HANG_GRACE_MS,
      stopped: aborting.promise,
      isBarred: () => scope !== NO_RUN && this.#kills.isBarred(scope, hash),
      waitMs: () => this.#kills.waitMs(scope, performance.now()),
      inWorker: (use) => this.#workers.useReady(hash, use),
      hung: () => this.#kills.add(scope, hash, performance.now()),
    });
    const slow = setTimeout(() => this.#workers.refill(), SLOW_MS);
    void settled.then(() => clearTimeout(slow));
    void settled.then(() => this.#aborts.delete(abort));
    void settled.then((end) => end.ok && this.#workers.refill());
    return { settled, park, abort };
  }
}

function realmsIn(workers: WorkerSet, loadWatchMs: number): RealmPort {
  const watches = new Map<string, number>();
  const call = async (
    id: string,
    entry: string,
    text: string,
    repetitions = new Repetitions(['mute']),
  ): ReturnType<RealmPort['call']> => {
    try {
      const watchMs = watches.get(id) ?? loadWatchMs;
      return await workers.useReady(id, (worker) =>
        worker.turn(watchMs, (remote) => remote.callRealm(id, entry, text)),
      );
    } catch (error) {
      if (!(error instanceof WorkerLostError)) throw error;
      if (error.how === 'hang') return { ok: false, kind: 'hang' };
      if (repetitions.mayFollow(error)) return call(id, entry, text, repetitions);
      throw misuse('worker_failed', { reason: error.reason });
    }
  };
  return {
    build: async (id, source, limits) => {
      const load: LoadableRealm['load'] = (remote, image) => remote.buildRealm(id, source, limits, image);
      const built = await loadIn(workers, { id, watchMs: loadWatchMs, load });
      watches.set(id, limits.deadlineMs + HANG_GRACE_MS);
      return { imageHash: built.imageHash };
    },
    call: (id, entry, text) => call(id, entry, text),
    drop: (id) => {
      workers.drop(id);
      watches.delete(id);
    },
  };
}

/** Loads a realm in a worker, and makes it and its image known to every worker. */
async function loadIn(workers: WorkerSet, realm: LoadableRealm, image?: GivenImage): Promise<LoadedImage> {
  const loaded = taken(await loadSomewhere(workers, (worker) => worker.load(realm, image)));
  workers.add(realm, loaded.built ?? image?.stored);
  return loaded;
}

/** Loads in a turn, which may hang, or be lost with a worker that another turn hung. */
async function loadSomewhere<T>(
  workers: WorkerSet,
  load: (worker: SandboxWorker) => Promise<T>,
  repetitions = new Repetitions(['mute', 'gone', 'memory']),
): Promise<T> {
  try {
    return await workers.useForLoading(load);
  } catch (error) {
    if (!(error instanceof WorkerLostError)) throw error;
    if (error.how === 'hang') throw misuse('source_limit', { limit: 'hang' });
    if (workers.isClosed) throw misuse('sandbox_closed', {});
    if (!repetitions.mayFollow(error)) throw misuse('worker_failed', { reason: error.reason });
    return loadSomewhere(workers, load, repetitions);
  }
}

/** Checks sources in a single turn of a worker. */
type CheckAll = (sources: readonly GuestCapability[]) => Promise<readonly Crossed<void>[]>;

type WaitingSource = BatchItem<GuestCapability, Crossed<void>>;

/** Sources of a turn. */
const TURN_SOURCES = 100;

/**
 * Has sources checked: those that wait at the same time in a single turn of a worker. A turn that hangs says nothing
 * about a single source, so each is then checked in a turn of its own.
 */
export class SourceChecks {
  readonly #checkAll: CheckAll;
  readonly #queue = new BatchQueue<GuestCapability, Crossed<void>>({
    sizeOf: () => TURN_SOURCES,
    work: (sources) => this.#checkTogether(sources),
  });

  constructor(checkAll: CheckAll) {
    this.#checkAll = checkAll;
  }

  check(source: GuestCapability): Promise<Crossed<void>> {
    return this.#queue.add(source);
  }

  async #checkTogether(sources: readonly WaitingSource[]): Promise<void> {
    try {
      const results = await this.#checkAll(sources.map(({ item }) => item));
      sources.forEach(({ result }, at) => result.resolve(results[at] ?? NO_RESULT));
    } catch (error) {
      if (sources.length > 1 && isHang(error)) for (const each of sources) await this.#checkTogether([each]);
      else for (const { result } of sources) result.reject(error);
    }
  }
}

/** A source without a result is refused. */
const NO_RESULT: Crossed<void> = {
  ok: false,
  error: { code: 'worker_failed', message: 'The sandbox worker gave no result for a source.', details: {} },
};

function isHang(error: unknown): boolean {
  return error instanceof SallyportError && error.code === 'source_limit';
}
