import { misuse, SallyportError } from '../../core/sallyport-error.ts';
import { deferred, makeDelay, makeSerialQueue } from '../async.ts';
import type { Spawn } from './port.ts';
import { type LoadableRealm, SandboxWorker, WorkerLostError, type WorkerReservation } from './sandbox-worker.ts';

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

  /** Adds a realm that a worker has loaded: every later worker loads it, too. */
  add(realm: LoadableRealm): void {
    this.#realms.set(realm.id, realm);
    for (const spare of this.#spares) void spare.then((worker) => worker.load(realm)).catch(() => undefined);
  }

  /** Forgets a realm, in every worker. */
  drop(id: string): void {
    this.#realms.delete(id);
    for (const worker of [this.#active, ...this.#spares])
      void worker?.then((at) => at.unload(id)).catch(() => undefined);
  }

  /** Uses a free worker with the realm loaded. */
  async useReady<T>(id: string, use: UseOfWorker<T>): Promise<T> {
    const realm = this.#realms.get(id);
    if (realm === undefined) throw misuse('capability_unloaded', { hash: id });
    const reserved = await this.#callsInTurn(() => this.#reserve(0));
    return useReserved(reserved, async (worker) => {
      await loadAgain(worker, realm);
      return use(worker);
    });
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
      await worker.load(realm);
    }
  }

  #dropSpare(spare: Promise<SandboxWorker>): void {
    this.#spares = this.#spares.filter((other) => other !== spare);
  }
}

/** Loads a realm that another worker has loaded. A failure is that of this worker: no guest of a call has begun. */
async function loadAgain(worker: SandboxWorker, realm: LoadableRealm): Promise<void> {
  const loaded = await worker.load(realm).catch((error: unknown) => {
    if (!(error instanceof WorkerLostError) || error.how === 'unbegun' || error.how === 'mute') throw error;
    const why = error.how === 'hang' ? 'loading took too long' : error.reason;
    throw new WorkerLostError('unloaded', why);
  });
  if (!loaded.ok) throw new WorkerLostError('unloaded', loaded.error.message);
}

async function useReserved<T>({ worker, release }: WorkerReservation, use: UseOfWorker<T>): Promise<T> {
  try {
    return await use(worker);
  } finally {
    release();
  }
}
