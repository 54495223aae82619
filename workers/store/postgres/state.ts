import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { SqlRow } from '../sql/row.ts';
import { type BatchEnd, EMPTY_LOG } from '../store.ts';
import { endIn } from './batches.ts';
import { columns, listOf } from './columns.ts';
import type { PgConnection } from './connection.ts';
import { type KnownEnds, ROW_VERSION } from './ends.ts';
import { CONTENT, claimIn, claimOf, type FoundClaim, IS_CURRENT, type PgLeases } from './leases.ts';
import { makeStatement, type Statement } from './statement.ts';
import type { LogWitness } from './witness.ts';

/** The parts of a store that an append needs. */
export interface LogStore {
  readonly connection: PgConnection;
  /** Number of the log. */
  readonly log: number;
  readonly leases: PgLeases;
  readonly witness: LogWitness;
  readonly ends: KnownEnds;
}

/** What a transaction finds of a log: its end, the last batch of each run, and the claims. */
export interface LogState {
  readonly last: BatchEnd | undefined;
  readonly runs: ReadonlyMap<string, BatchEnd>;
  readonly claims: ReadonlyMap<unknown, FoundClaim>;
}

/** A log, and the runs of it whose ends and claims an append needs. */
export interface AskedLog {
  readonly store: LogStore;
  readonly run_ids: readonly string[];
  /** Ends of runs that the store knows. The other ends are looked up. */
  readonly known: ReadonlyMap<string, BatchEnd>;
}

/** The frame of a batch, or null where the version of its row is `known`. */
const UNKNOWN = (of: string, known: string): string =>
  `case when ${ROW_VERSION(of)} = ${known} then null else ${of}.frame end`;

/** The rows of `batch` that are frames, and this holds for. */
const BATCH = (condition: string): string =>
  `select seq, run_id, run_seq, frame, xmin from sallyport.batch where whole and ${condition}`;

/**
 * State of the logs `$1` and of the runs `$5` in the logs `$4`; `$6` is true for a run whose end is looked up. The batch
 * before the place `seen` is sent where the log has grown behind it. The first row names the version of the tables and
 * this transaction.
 */
export const STATE: Statement = makeStatement(`
  with ends as materialized (
    select l.*, b.seq, b.run_id, b.run_seq, ${UNKNOWN('b', 'l.known')} as sent
      from unnest($1::integer[], $2::bigint[], $3::text[]) as l (log, seen, known),
      lateral (${BATCH('log = l.log')} order by seq desc limit 1) as b),
  runs as materialized (select * from unnest($4::integer[], $5::text[], $6::boolean[]) as r (log, name, asked))
  select 'own' as part, null::integer as log, case when pg_is_in_recovery() then null else pg_current_xact_id()::xid::text
    end as name, (select max(version) from sallyport.version)::bigint as seq, null as run_id,
    null::bigint as run_seq, null::bytea as frame, null as owner, null::bigint as epoch, null::boolean as current
  union all
  select 'log', log, null, seq, run_id, run_seq, sent, null, null, null from ends
  union all
  select 'seen', ends.log, null, b.seq, b.run_id, b.run_seq, ${UNKNOWN('b', 'known')}, null, null, null from ends,
    lateral (${BATCH('log = ends.log and seq < ends.seen')}
      order by seq desc limit 1) as b where ends.seq >= ends.seen
  union all
  select 'run', runs.log, name, b.seq, b.run_id, b.run_seq, b.frame, null, null, null from runs,
    lateral (${BATCH('log = runs.log and run_id = runs.name')}
      order by run_seq desc limit 1) as b where runs.asked
  union all
  select 'claim', n.log, n.name, null, null, null, null, owner, epoch, current from
    (select log, 'run:' || name as name from runs union all select unnest($1::integer[]), '${CONTENT}') as n,
    lateral (select owner, epoch, ${IS_CURRENT} as current from sallyport.claim where log = n.log and name = n.name
      limit 1) as c`);

/** Values of `STATE` for these logs. */
export function stateValues(asked: readonly AskedLog[]): readonly string[] {
  const runs = asked.flatMap(({ store: { log }, run_ids, known }) =>
    run_ids.map((run_id) => ({ log, run_id, isAsked: !known.has(run_id) })),
  );
  return [
    listOf(asked.map(({ store }) => store.log)),
    listOf(asked.map(({ store }) => store.witness.seen?.size ?? 0)),
    listOf(asked.map(({ store }) => store.ends.logVersion)),
    ...columns(runs, ['log', 'run_id', 'isAsked']),
  ];
}

/** Version of the tables, and number of the transaction in the rows that it writes. */
export interface OwnRow {
  readonly version: number;
  readonly transaction: string;
}

/** Rows of `STATE`, by the log that they are of. */
export function rowsByLog(rows: readonly SqlRow[]): ReadonlyMap<number | null, readonly SqlRow[]> {
  const of = new Map<number | null, SqlRow[]>();
  for (const row of rows) {
    const log = row['log'] === null ? null : Number(row['log']);
    const there = of.get(log);
    if (there === undefined) of.set(log, [row]);
    else there.push(row);
  }
  return of;
}

/** Reads the row of `STATE` that is of no log. */
export function readOwn(rows: readonly SqlRow[] = []): OwnRow {
  const [row] = rows;
  return { version: Number(row?.['seq']), transaction: String(row?.['name']) };
}

/** State of a log in its rows. `store_newer`, `log_lost`, `store_damaged`. Throws `AlteredData`. */
export function readState(
  { store: { connection, witness, ends }, known }: AskedLog,
  version: number,
  rows: readonly SqlRow[],
): Outcome<LogState> {
  if (version > connection.version) return refuse('store_newer', {});
  const of = (part: string) => rows.filter((row) => row['part'] === part);
  const [last] = of('log').map((row) => ends.logEnd(row));
  const [before] = of('seen').map((row) => ends.logEnd(row));
  const checked = witness.check(last?.after.log ?? EMPTY_LOG, (before ?? last)?.after.log);
  if (!checked.ok) return checked;
  const runs = new Map(last && known);
  for (const row of of('run')) runs.set(String(row['name']), endIn(row));
  return pass({ last, runs, claims: new Map(of('claim').map((row) => [row['name'], claimIn(row)])) });
}

/** The claim on a run as the transaction finds it. */
export function claimOn({ claims }: LogState, run_id: string): FoundClaim | undefined {
  return claims.get(claimOf(run_id));
}
