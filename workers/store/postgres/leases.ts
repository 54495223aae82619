import { randomUUID } from 'node:crypto';
import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { unwrap } from '../../../core/sallyport-error.ts';
import { makeSerialQueue, orAborted } from '../../async.ts';
import type { LeaseTimes, ReleaseClaim } from '../shared-store.ts';
import type { SqlRow } from '../sql/frames.ts';
import { columns } from './columns.ts';
import type { PgConnection } from './connection.ts';
import { type SharedAct, untilBeat } from './connection.ts';
import type { Query } from './session.ts';

const RUN = 'run:';
const OPEN = 'open:';

export const CLAIM_TIMES: LeaseTimes = { leaseMs: 6_000, renewMs: 2_000, askMs: 100 };

/** True for a lease that holds. A lease of more than 15 minutes comes from a server whose clock was wrong. */
export const IS_CURRENT = `(owner is not null and expires between clock_timestamp()
  and clock_timestamp() + interval '15 minutes')`;

const TAKE = `insert into sallyport.claim as old (log, name, owner, epoch, expires, asked)
  values ($1, $2, $3, 1, clock_timestamp() + $4 * interval '1 millisecond', 0)
  on conflict (log, name) do update set owner = excluded.owner, epoch = old.epoch + 1, expires = excluded.expires, asked = 0
  where old.owner = excluded.owner or not ${IS_CURRENT.replaceAll(/\b(owner|expires)\b/g, 'old.$1')}
  returning epoch`;
/**
 * Signs that stores are open, each made anew where another store has removed it after its end; and renews their named
 * leases. A lease whose release was lost is not named, and ends by itself.
 */
const RENEW = `
  with signed as (
    insert into sallyport.claim (log, name, owner, epoch, expires, asked)
    select log, '${OPEN}' || owner, owner, 1, clock_timestamp() + ms * interval '1 millisecond', 0
    from unnest($1::integer[], $2::text[], $3::integer[]) as s (log, owner, ms)
    on conflict (log, name) do update set expires = excluded.expires)
  update sallyport.claim c set expires = clock_timestamp() + r.ms * interval '1 millisecond'
  from unnest($4::integer[], $5::text[], $6::integer[], $7::text[]) as r (log, owner, ms, name)
  where c.log = r.log and c.name = r.name and c.owner = r.owner returning c.owner, c.name, c.epoch`;
const RELEASE = `update sallyport.claim set owner = null, asked = 0
  where log = $1 and name = $2 and owner = $3 and epoch = $4`;
const ASK = 'update sallyport.claim set asked = asked + 1 where log = $1 and name = $2 and owner <> $3';

export const CONTENT = 'content';

/** A claim as a transaction finds it. */
export interface FoundClaim {
  readonly owner: unknown;
  readonly epoch: number;
  readonly isCurrent: boolean;
}

/** The leases of a store that are renewed. */
interface Renewal {
  readonly log: number;
  readonly owner: string;
  readonly leaseMs: number;
  readonly names: readonly string[];
}

/** Renews the leases of several stores. Resolves to the epochs of the leases that each still has, by name. */
const renewAll: SharedAct<Renewal, ReadonlyMap<string, number>> = async (query, renewals) => {
  const leases = renewals.flatMap(({ names, ...of }) => names.map((name) => ({ ...of, name })));
  const rows = await query(
    RENEW,
    ...columns(renewals, ['log', 'owner', 'leaseMs']),
    ...columns(leases, ['log', 'owner', 'leaseMs', 'name']),
  );
  const epochs = new Map(renewals.map(({ owner }) => [owner, new Map<string, number>()]));
  for (const { owner, name, epoch } of rows) epochs.get(String(owner))?.set(String(name), Number(epoch));
  return renewals.map(({ owner }) => epochs.get(owner) ?? new Map());
};

export function claimOf(run_id: string): string {
  return `${RUN}${run_id}`;
}

export function claimIn({ owner, epoch, current }: SqlRow): FoundClaim {
  return { owner, epoch: Number(epoch), isCurrent: current === true };
}

/** The claims of these names that there are. */
export async function readClaims(
  query: Query,
  log: number,
  names: readonly string[],
): Promise<ReadonlyMap<unknown, FoundClaim>> {
  const sql = `select name, owner, epoch, ${IS_CURRENT} as current from sallyport.claim
    where log = $1 and name = any($2::text[])`;
  const rows = await query(sql, log, names);
  return new Map(rows.map((row) => [row['name'], claimIn(row)]));
}

/**
 * Locks on runs and on the content, as leases in the database, by the clock of the server. Each new holder of a lock
 * has a higher epoch. A store that was paused, and whose lease another store has taken since, can neither append to the
 * run nor change the content: each write compares the epoch in its own transaction. A lease is taken under the
 * lock of the log, so no write of the former holder is under way.
 */
export class PgLeases {
  readonly #connection: PgConnection;
  readonly #log: number;
  readonly #times: LeaseTimes;
  readonly owner: string = randomUUID();
  readonly #inTurn = makeSerialQueue();
  /** Epochs of the locks that this store has, and has not released. A lost lock stays, and refuses every write. */
  readonly #mine = new Map<string, number>();
  /** Number of requests for each lock of this store that were reported. */
  readonly #asked = new Map<string, number>();
  #lost = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Called once for each run whose lease another store has taken. */
  onLost: (run_id: string) => void = () => undefined;

  constructor(connection: PgConnection, log: number, times: LeaseTimes) {
    this.#connection = connection;
    this.#log = log;
    this.#times = times;
  }

  /** Tells other stores that this store is open. A database that takes no writes has no row of it. */
  async begin(): Promise<void> {
    await this.#connection.read(async (query) => {
      await query(`delete from sallyport.claim where log = $1 and name like 'open:%' and not ${IS_CURRENT}`, this.#log);
      await renewAll(query, [this.#renewal([])]);
    });
    this.#wait();
  }

  claim(run_id: string, signal?: AbortSignal): Promise<ReleaseClaim | undefined> {
    return this.#take(claimOf(run_id), signal);
  }

  async exclusive(): Promise<ReleaseClaim> {
    const release = await this.#take(CONTENT, new AbortController().signal);
    return release as ReleaseClaim;
  }

  /** Runs that any store holds. Throws where the store fails. */
  async held(): Promise<ReadonlySet<string>> {
    const sql = `select name from sallyport.claim where log = $1 and name like 'run:%' and ${IS_CURRENT}`;
    const rows = await this.#connection.read((query) => query(sql, this.#log));
    return new Set(unwrap(rows).flatMap(({ name }) => runIn(name)));
  }

  /** True where another store has this log open. */
  async isShared(query: Query): Promise<boolean> {
    const sql = `select 1 from sallyport.claim where log = $1 and name like 'open:%' and owner <> $2 and ${IS_CURRENT}`;
    return (await query(sql, this.#log, this.owner)).length > 0;
  }

  /** Asks the store that holds a run to release it. */
  async ask(run_id: string): Promise<void> {
    await this.#connection.once((query) => query(ASK, this.#log, claimOf(run_id), this.owner));
  }

  /** Runs of this store for which other stores have asked so many times, without requests that were told before. */
  fresh(asked: readonly (readonly [name: unknown, count: number])[]): readonly string[] {
    const fresh = asked.filter(([name, count]) => count !== this.#asked.get(String(name)));
    for (const [name, count] of fresh) this.#asked.set(String(name), count);
    return fresh.flatMap(([name]) => runIn(name));
  }

  /** Refuses a write to a run that another store holds. Called in the transaction of the write. `run_open` */
  fenceRun(run_id: string, found: FoundClaim | undefined): Outcome<void> {
    return this.#isFree(claimOf(run_id), found) ? pass(undefined) : refuse('run_open', { run_id });
  }

  /** As `fenceRun`, for each of these runs. */
  async fenceRuns(query: Query, run_ids: readonly string[]): Promise<Outcome<void>> {
    const claims = await readClaims(query, this.#log, run_ids.map(claimOf));
    for (const run_id of run_ids) {
      const fenced = this.fenceRun(run_id, claims.get(claimOf(run_id)));
      if (!fenced.ok) return fenced;
    }
    return pass(undefined);
  }

  /** As `fenceRun`, for rows of the content. `store_lost` */
  fenceContent(found: FoundClaim | undefined): Outcome<void> {
    if (!this.#mine.has(CONTENT) || this.#isFree(CONTENT, found)) return pass(undefined);
    return refuse('store_lost', { reason: 'another process has locked the content since' });
  }

  /** Releases every lock. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const names = [...this.#mine.keys()];
    await Promise.all(names.map((name) => this.#release(name)));
    const sql = 'delete from sallyport.claim where log = $1 and name = $2';
    await this.#connection.once((query) => query(sql, this.#log, `${OPEN}${this.owner}`));
  }

  #isFree(name: string, found: FoundClaim | undefined): boolean {
    const epoch = this.#mine.get(name);
    if (epoch !== undefined) return found?.owner === this.owner && found.epoch === epoch;
    return found === undefined || found.owner === this.owner || !found.isCurrent;
  }

  /** Undefined where another holder has the lock, or after the abort of the signal. Throws where the store fails. */
  async #take(name: string, signal: AbortSignal | undefined): Promise<ReleaseClaim | undefined> {
    for (;;) {
      if (signal?.aborted === true) return undefined;
      if (await this.#inTurn(() => this.#insert(name))) return () => void this.#release(name);
      if (signal === undefined) return undefined;
      await orAborted(new Promise((later) => setTimeout(later, this.#times.askMs)), signal);
    }
  }

  /** False where another holder has the lock. */
  async #insert(name: string): Promise<boolean> {
    if (this.#mine.has(name) || (await this.#isHeld(name))) return false;
    const { leaseMs } = this.#times;
    const taken = await this.#connection.change(this.#log, 'relaxed', async (query) => {
      const [row] = await query(TAKE, this.#log, name, this.owner, leaseMs);
      return pass(row && Number(row['epoch']));
    });
    const epoch = unwrap(taken);
    if (epoch === undefined) return false;
    this.#mine.set(name, epoch);
    return true;
  }

  async #isHeld(name: string): Promise<boolean> {
    const sql = `select 1 from sallyport.claim where log = $1 and name = $2 and owner <> $3 and ${IS_CURRENT}`;
    return unwrap(await this.#connection.read((query) => query(sql, this.#log, name, this.owner))).length > 0;
  }

  /** A release that is lost with its connection is not repeated: the lease is renewed no more. */
  async #release(name: string): Promise<void> {
    const epoch = this.#mine.get(name);
    if (epoch === undefined) return;
    this.#mine.delete(name);
    this.#lost.delete(name);
    this.#asked.delete(name);
    await this.#connection.once((query) => query(RELEASE, this.#log, name, this.owner, epoch));
  }

  #renewal(names: readonly string[]): Renewal {
    return { log: this.#log, owner: this.owner, leaseMs: this.#times.leaseMs, names };
  }

  /** Renews the leases with each beat. A renewal does not wait for the one before, whose connection may hang. */
  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#wait();
      void this.#renew();
    }, untilBeat(this.#times.renewMs));
    this.#timer.unref();
  }

  /** Renews the leases, and reports the runs whose lease another store has. */
  async #renew(): Promise<void> {
    const before = [...this.#mine];
    const renewal = this.#renewal(before.map(([name]) => name));
    const renewed = await this.#connection.together(renewAll, renewal);
    if (!renewed.ok) return;
    const held = renewed.value;
    const lost = before.filter(([name, epoch]) => held.get(name) !== epoch && this.#mine.get(name) === epoch);
    for (const [name] of lost.filter(([each]) => !this.#lost.has(each)))
      for (const run_id of runIn(name)) this.onLost(run_id);
    this.#lost = new Set(lost.map(([name]) => name));
  }
}

/** Id of the run that a lock is for; none for another lock. */
function runIn(name: unknown): readonly string[] {
  return typeof name === 'string' && name.startsWith(RUN) ? [name.slice(RUN.length)] : [];
}
