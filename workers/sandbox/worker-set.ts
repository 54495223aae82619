import { misuse, SallyportError } from '../../core/sallyport-error.ts';
import type { GivenImage, StoredImage } from '../../sandbox/index.ts';
import { deferred, makeDelay, makeSerialQueue } from '../async.ts';
import type { Crossed } from '../lock/realm-port.ts';
import type { LoadedImage, Spawn } from './port.ts';
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
