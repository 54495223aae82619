import { randomUUID } from 'node:crypto';
import { refuse } from '../../../core/errors.ts';
import type { PeerMessage, Peers } from '../peer-channel.ts';
import { columns } from './columns.ts';
import { connected, type PgConnection, type SharedAct, untilBeat } from './connection.ts';
import type { PgClient, PgNotification, PgPool } from './driver.ts';
import type { PgLeases } from './leases.ts';

/** Interval of looks where hints arrive, and where they do not, in ms. */
export interface LookTimes {
  readonly hintedMs: number;
  readonly blindMs: number;
}

export const LOOK_TIMES: LookTimes = { hintedMs: 2_000, blindMs: 200 };

/** Time between two hints of a store: a hint stands for all appends before it. */
const HINT_MS = 20;

/** Batches of a log that a look goes through. */
const PAGE = 4_096;

/**
 * Version of the tables; the last batch of each log that no look has seen; the runs whose batches stand behind the place
 * `seen`, in a page; and the requests. The limit has the server read the page by its index.
 */
const LOOK = `
  with asking as materialized (
    select * from unnest($1::integer[], $2::integer[], $3::bigint[], $4::text[]) as a (nth, log, seen, owner))
  select 'version' as part, null::integer as nth, null as name, max(version)::bigint as n, 0::bigint as batches
    from sallyport.version
  union all
  select 'end', nth, null, (select coalesce(max(seq), -1) from sallyport.batch b
    where b.log = a.log and whole), 0
    from asking a where seen is null
  union all
  select 'grown', nth, run_id, max(seq), count(*) from asking a, lateral (
    select run_id, seq from sallyport.batch where log = a.log and whole and seq > a.seen
      order by seq limit ${PAGE}) as b
    group by nth, run_id
  union all
  select 'asked', nth, c.name, c.asked, 0 from sallyport.claim c join asking a on c.log = a.log and c.owner = a.owner
    where c.asked > 0`;

/** A store that looks at its log. */
interface Looking {
  readonly log: number;
  /** Place of the last batch that was seen; null before the first look. */
  readonly seen: number | null;
  readonly owner: string;
}

/** What a store has found. */
interface Found {
  readonly version: number;
  readonly seen: number;
  readonly grown: readonly string[];
  /** Number of requests for each lock of the store. */
  readonly asked: readonly (readonly [name: unknown, count: number])[];
  /** False where the log has more batches than the look went through. */
  readonly isWhole: boolean;
}

/** Looks at the logs of several stores. */
const lookAt: SharedAct<Looking, Found> = async (query, looking) => {
  const asking = looking.map((each, nth) => ({ nth, ...each }));
  const rows = await query(LOOK, ...columns(asking, ['nth', 'log', 'seen', 'owner']));
  const version = Number(rows.find(({ part }) => part === 'version')?.['n']);
  return asking.map(({ nth, seen }) => {
    const of = (wanted: string) => rows.filter((row) => row['part'] === wanted && Number(row['nth']) === nth);
    const grown = of('grown');
    const places = [...of('end'), ...grown].map(({ n }) => Number(n));
    return {
      version,
      seen: Math.max(seen ?? -1, ...places),
      grown: grown.map(({ name }) => String(name)),
      asked: of('asked').map(({ name, n }) => [name, Number(n)] as const),
      isWhole: grown.reduce((sum, { batches }) => sum + Number(batches), 0) < PAGE,
    };
  });
};

/**
 * The other kernels on the same log. Their appends and requests are found in the database, by a look after a hint and
 * at intervals. A look that finds tables of a newer version ends the connection with `store_newer`: the store then
 * renews no lease, and newer programs take its runs.
 */
export function watchLog(
  connection: PgConnection,
  log: number,
  leases: PgLeases,
  hints: PgHints,
  times: LookTimes,
): Peers {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hint: ReturnType<typeof setTimeout> | undefined;
  let unsubscribe: (() => void) | undefined;
  let listener: (message: PeerMessage) => void = () => undefined;
  /** Place of the last batch that was seen; undefined before the first look. */
  let last: number | undefined;
  let isLooking = false;
  let isStale = false;
  let isClosed = false;

  async function look(): Promise<void> {
    isStale = isLooking;
    if (isLooking) return;
    isLooking = true;
    for (const message of await messages()) if (!isClosed) listener(message);
    isLooking = false;
    wait(isStale ? 0 : untilBeat(hints.isHeard ? times.hintedMs : times.blindMs));
  }

  /** No message after a failure of the database: the next read or write tells it. */
  async function messages(): Promise<readonly PeerMessage[]> {
    const found = await connection.together(lookAt, { log, seen: last ?? null, owner: leases.owner });
    if (!found.ok) return [];
    const { version, seen, grown, asked, isWhole } = found.value;
    if (version > connection.version) connection.end(refuse('store_newer', {}));
    last = seen;
    if (!isWhole) isStale = true;
    return [
      ...grown.map((run_id) => ({ type: 'grown' as const, run_id })),
      ...leases.fresh(asked).map((run_id) => ({ type: 'asked' as const, run_id })),
    ];
  }

  function wait(ms: number): void {
    clearTimeout(timer);
    if (isClosed) return;
    timer = setTimeout(() => void look(), ms);
    timer.unref();
  }

  function send(): void {
    if (isClosed) return;
    hint ??= setTimeout(() => {
      hint = undefined;
      void connection.once((query) => query('select pg_notify($1, $2)', ...hintOf(log, leases.owner)));
    }, HINT_MS);
  }

  return {
    broadcast: ({ type, run_id }) => {
      if (type === 'grown') send();
      else void leases.ask(run_id).then(send);
    },
    onMessage: (heard) => {
      listener = heard;
      leases.onLost = (run_id) => heard({ type: 'asked', run_id });
      unsubscribe ??= hints.subscribe(log, (sender) => {
        if (sender !== leases.owner) void look();
      });
      void look();
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      clearTimeout(hint);
      unsubscribe?.();
    },
  };
}

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
function hintOf(log: number, sender: string): readonly [channel: string, payload: string] {
  return [CHANNEL, `${log} ${sender}`];
}
