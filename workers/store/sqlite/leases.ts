import { randomUUID } from 'node:crypto';
import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { unwrap } from '../../../core/sallyport-error.ts';
import { makeSerialQueue, orAborted } from '../../async.ts';
import type { PeerMessage, Peers } from '../peer-channel.ts';
import type { LeaseTimes, ReleaseClaim } from '../shared-store.ts';
import type { TableWrite } from '../tables.ts';
import { refusalOf, type SqlConnection } from './connection.ts';

export const LEASE_TIMES: LeaseTimes = { leaseMs: 6_000, renewMs: 2_000, askMs: 50 };

/** A lease that ends later than this was written with a wrong clock, and counts as ended. */
const LONGEST_MS = 3_600_000;

const RUN = 'run:';
const CONTENT = 'content';

/**
 * Locks on runs and on the content, as leases in the file. A store that was killed frees its leases by not renewing
 * them. A store that was paused, and whose lease another store has taken since, can neither append to the run nor
 * change the content: every such write looks in its own transaction for the store's token.
 */
export class Leases {
  readonly #connection: SqlConnection;
  readonly #times: LeaseTimes;
  readonly #owner = randomUUID();
  readonly #inTurn = makeSerialQueue();
  /** Names of the locks that this store has, and has not released. A lost lock stays, and refuses every write. */
  readonly #mine = new Set<string>();
  /** Number of requests for each lock of this store that were reported. */
  readonly #asked = new Map<string, number>();
  #lost = new Set<string>();
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Called once for each run whose lease another store has taken. */
  onLost: (run_id: string) => void = () => undefined;

  constructor(connection: SqlConnection, times: LeaseTimes) {
    this.#connection = connection;
    this.#times = times;
  }

  claim(run_id: string, signal?: AbortSignal): Promise<ReleaseClaim | undefined> {
    return this.#take(`${RUN}${run_id}`, signal);
  }

  async exclusive(): Promise<ReleaseClaim> {
    const release = await this.#take(CONTENT, new AbortController().signal);
    return release as ReleaseClaim;
  }

  /** Runs that any store holds. Throws where the store fails. */
  held(): ReadonlySet<string> {
    const rows = this.#connection.read(() => this.#connection.all('select name, expires from claim'));
    return new Set(unwrap(rows).flatMap(({ name, expires }) => (isCurrent(expires) ? runIn(name) : [])));
  }

  /** Asks the store that holds a run to release it. */
  ask(run_id: string): void {
    const sql = 'update claim set asked = asked + 1 where name = ? and owner <> ?';
    void this.#write(() => this.#connection.run(sql, `${RUN}${run_id}`, this.#owner));
  }

  /** Runs of this store that other stores have asked for since the last call. */
  asked(): readonly string[] {
    const rows = this.#connection.all('select name, asked from claim where owner = ? and asked > 0', this.#owner);
    const fresh = rows.filter(({ name, asked }) => asked !== this.#asked.get(String(name)));
    for (const { name, asked } of fresh) this.#asked.set(String(name), Number(asked));
    return fresh.flatMap(({ name }) => runIn(name));
  }

  /** Refuses a write to a run that another store holds. Called in the transaction of the write. `run_open` */
  fenceRun(run_id: string): Outcome<void> {
    return this.#isFree(`${RUN}${run_id}`) ? pass(undefined) : refuse('run_open', { run_id });
  }

  /** As `fenceRun`, for each of these runs. */
  fenceRuns(run_ids: Iterable<string>): Outcome<void> {
    for (const run_id of new Set(run_ids)) {
      const fenced = this.fenceRun(run_id);
      if (!fenced.ok) return fenced;
    }
    return pass(undefined);
  }

  /** As `fenceRun`, for rows of the content. `store_lost` */
  fenceRows(writes: Iterable<TableWrite>): Outcome<void> {
    if (!this.#mine.has(CONTENT) || this.#isFree(CONTENT)) return pass(undefined);
    for (const { table } of writes)
      if (table !== 'kept') return refuse('store_lost', { reason: 'another process has locked the content since' });
    return pass(undefined);
  }

  /** Releases every lock. */
  close(): void {
    for (const name of this.#mine) this.#release(name);
  }

  #isFree(name: string): boolean {
    const claim = this.#connection.get('select owner, expires from claim where name = ?', name);
    if (claim?.['owner'] === this.#owner) return true;
    if (this.#mine.has(name)) return false;
    return claim === undefined || !isCurrent(claim['expires']);
  }

  /** Undefined where another holder has the lock, or after the abort of the signal. Throws where the store fails. */
  async #take(name: string, signal: AbortSignal | undefined): Promise<ReleaseClaim | undefined> {
    for (;;) {
      if (signal?.aborted === true) return undefined;
      if (await this.#inTurn(() => this.#claimed(name))) return this.#begin(name);
      if (signal === undefined) return undefined;
      await orAborted(new Promise((later) => setTimeout(later, this.#times.askMs)), signal);
    }
  }

  /** False where another holder has the lock. A lock is this store's only after the commit. */
  async #claimed(name: string): Promise<boolean> {
    if (this.#mine.has(name)) return false;
    const taken = unwrap(await this.#write(() => this.#insert(name)));
    if (taken) this.#mine.add(name);
    return taken;
  }

  #insert(name: string): boolean {
    if (!this.#isFree(name)) return false;
    const expires = Date.now() + this.#times.leaseMs;
    this.#connection.run('insert or replace into claim values (?, ?, ?, 0)', name, this.#owner, expires);
    return true;
  }

  #begin(name: string): ReleaseClaim {
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => void this.#renew(), this.#times.renewMs);
      this.#timer.unref();
    }
    return () => this.#release(name);
  }

  #release(name: string): void {
    if (!this.#mine.delete(name)) return;
    this.#lost.delete(name);
    this.#asked.delete(name);
    if (this.#mine.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    const sql = 'delete from claim where name = ? and owner = ?';
    void this.#write(() => this.#connection.run(sql, name, this.#owner));
  }

  /** Writes the row of a lock, in a transaction that other writes share. */
  #write<T>(act: () => T): Promise<Outcome<T>> {
    return this.#connection.write('relaxed', act, 0);
  }

  /** Renews the leases, and reports the runs whose lease another store has. */
  async #renew(): Promise<void> {
    const expires = Date.now() + this.#times.leaseMs;
    await this.#connection.write('relaxed', () => {
      // the leases by name: a lease whose release was refused ends by itself
      const sql = 'update claim set expires = ? where name = ? and owner = ?';
      for (const name of this.#mine) this.#connection.run(sql, expires, name, this.#owner);
      const rows = this.#connection.all('select name from claim where owner = ?', this.#owner);
      const held = new Set(rows.map(({ name }) => name));
      const lost = [...this.#mine].filter((name) => !held.has(name));
      for (const name of lost.filter((each) => !this.#lost.has(each)))
        for (const run_id of runIn(name)) this.onLost(run_id);
      this.#lost = new Set(lost);
    });
  }
}

function isCurrent(expires: unknown): boolean {
  const left = Number(expires) - Date.now();
  return left > 0 && left < LONGEST_MS;
}

/** Id of the run that a lock is for; none for the lock of the content. */
function runIn(name: unknown): readonly string[] {
  return typeof name === 'string' && name.startsWith(RUN) ? [name.slice(RUN.length)] : [];
}

/** Interval of looks at the file's version, a few microseconds each. */
const LOOK_MS = 200;

/**
 * The other kernels on the same file. Their appends and requests are found in the file, after its version has changed.
 */
export function watchFile(connection: SqlConnection, leases: Leases): Peers {
  let timer: ReturnType<typeof setInterval> | undefined;
  let version: unknown;
  /** Place of the last batch that was seen; undefined before the first look. */
  let last: number | undefined;

  function messages(): readonly PeerMessage[] {
    const now = connection.get('pragma data_version')?.['data_version'];
    if (now === version) return [];
    const [known, end] = [last, Number(connection.get('select max(seq) as last from batch')?.['last'] ?? -1)];
    [version, last] = [now, end];
    const grown = connection.all('select distinct run_id from batch where seq > ?', known ?? end);
    const asked = leases.asked().map((run_id) => ({ type: 'asked' as const, run_id }));
    return [...grown.map(({ run_id }) => ({ type: 'grown' as const, run_id: String(run_id) })), ...asked];
  }

  return {
    broadcast: ({ type, run_id }) => {
      if (type === 'asked') leases.ask(run_id);
    },
    onMessage: (listener) => {
      clearInterval(timer);
      looked(messages);
      leases.onLost = (run_id) => listener({ type: 'asked', run_id });
      timer = setInterval(() => {
        for (const message of looked(messages)) listener(message);
      }, LOOK_MS);
      timer.unref();
    },
    close: () => clearInterval(timer),
  };
}

/** No message after a failure of the store: the next read or write tells it. */
function looked(look: () => readonly PeerMessage[]): readonly PeerMessage[] {
  try {
    return look();
  } catch (error) {
    refusalOf(error);
    return [];
  }
}
