import { randomUUID } from 'node:crypto';
import { connected } from './connection.ts';
import type { PgClient, PgNotification, PgPool } from './driver.ts';

const CHANNEL = 'sallyport';
/** Time in which a notification of our own has to arrive. */
const PROOF_MS = 10_000;
/** Time after which a connection is proved again where the notification did not arrive. */
const AGAIN_MS = 60_000;
const RETRY_MS = 1_000;

type Listener = (sender: string) => void;

/**
 * Notifications between the stores of all processes that a log has changed: a hint to look now, and never a fact. All
 * stores over a pool share a connection that listens. `isHeard` after a notification from another connection has
 * arrived. Behind a proxy that pools transactions it does not arrive, and a pool of a single connection has no
 * connection to spare: stores then look at short intervals.
 */
export class PgHints {
  static readonly #of = new WeakMap<PgPool, PgHints>();
  readonly #pool: PgPool;
  readonly #listeners = new Map<number, Set<Listener>>();
  readonly #proof = randomUUID();
  #client: PgClient | undefined;
  #isConnecting = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  isHeard = false;

  /** The hints over this pool. */
  static over(pool: PgPool): PgHints {
    const known = PgHints.#of.get(pool) ?? new PgHints(pool);
    PgHints.#of.set(pool, known);
    return known;
  }

  private constructor(pool: PgPool) {
    this.#pool = pool;
  }

  /** Has the listener called with the sender of each hint about a log. Returns a function that ends this. */
  subscribe(log: number, listener: Listener): () => void {
    const listeners = this.#listeners.get(log) ?? new Set();
    this.#listeners.set(log, listeners.add(listener));
    void this.#connect();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(log);
      if (this.#listeners.size === 0) this.#end();
    };
  }

  async #connect(): Promise<void> {
    const { max = 10 } = this.#pool.options ?? {};
    if (max < 2 || this.#client !== undefined || this.#isConnecting || this.#listeners.size === 0) return;
    this.#isConnecting = true;
    try {
      const client = await connected(this.#pool);
      client.on('error', this.#onError);
      client.on('notification', this.#onNotification);
      this.#client = client;
      await client.query(`listen ${CHANNEL}`);
      await this.#prove();
    } catch {
      this.#onError();
    } finally {
      this.#isConnecting = false;
    }
    if (this.#listeners.size === 0) this.#end();
  }

  /** Sends a notification over another connection, and gives the listening connection back where it does not arrive. */
  async #prove(): Promise<void> {
    const client = await connected(this.#pool);
    try {
      await client.query('select pg_notify($1, $2)', [CHANNEL, this.#proof]);
    } finally {
      client.release();
    }
    this.#later(PROOF_MS, () => {
      if (this.isHeard) return;
      this.#end();
      this.#later(AGAIN_MS, () => void this.#connect());
    });
  }

  readonly #onNotification = ({ channel, payload = '' }: PgNotification): void => {
    if (channel !== CHANNEL) return;
    if (payload === this.#proof) this.isHeard = true;
    const [, log, sender] = /^(\d{1,10}) ([0-9a-f-]{36})$/.exec(payload) ?? [];
    if (log !== undefined && sender !== undefined)
      for (const listener of this.#listeners.get(Number(log)) ?? []) listener(sender);
  };

  /** The connection is lost: stores look at short intervals until there is another. */
  readonly #onError = (): void => {
    this.#end();
    if (this.#listeners.size > 0) this.#later(RETRY_MS, () => void this.#connect());
  };

  #later(ms: number, act: () => void): void {
    this.#timer = setTimeout(act, ms);
    this.#timer.unref();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.isHeard = false;
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    client.removeListener('notification', this.#onNotification);
    client.removeListener('error', this.#onError);
    // its session listens, so it is of no use for the pool
    client.release(true);
  }
}

/** The payload of a hint. */
export function hintOf(log: number, sender: string): readonly [channel: string, payload: string] {
  return [CHANNEL, `${log} ${sender}`];
}
