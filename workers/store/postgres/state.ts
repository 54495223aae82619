import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { SqlRow } from '../sql/row.ts';
import { EMPTY_LOG } from '../store.ts';
import { listOf } from './columns.ts';
import { type PgConnection } from './connection.ts';
import type { BatchEnd, KnownEnds } from './ends.ts';
import { CONTENT, claimIn, claimOf, type FoundClaim, IS_CURRENT, type PgLeases } from './leases.ts';
import { makeStatement, type Statement } from './session.ts';
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

/** A log, and the runs of it whose ends are asked for. */
export interface AskedLog {
  readonly store: LogStore;
  readonly run_ids: readonly string[];
}

/** The frame, or null where the store has written it: its hash in hex is `known`. */
const UNKNOWN = (of: string, known: string): string =>
  `case when encode(sha256(${of}.frame), 'hex') = ${known} then null else ${of}.frame end`;

/**
 * State of the logs `$1` and of the runs `$5` in the logs `$4`. The end of a run is looked up where the store does not
 * know it, or where the end of its log is not `known`: another store may have appended to the run. The batch before the
 * place `seen` is sent where the log has grown behind it.
 */
export const STATE: Statement = makeStatement(`
  with ends as materialized (
    select l.*, b.seq, b.run_id, b.run_seq, ${UNKNOWN('b', 'l.known')} as sent
      from unnest($1::integer[], $2::bigint[], $3::text[]) as l (log, seen, known),
      lateral (select seq, run_id, run_seq, frame from sallyport.batch where log = l.log order by seq desc limit 1) as b),
  runs as materialized (select * from unnest($4::integer[], $5::text[], $6::text[]) as r (log, name, known))
  select 'version' as part, null::integer as log, null as name, max(version)::bigint as seq, null as run_id,
    null::bigint as run_seq, null::bytea as frame, null as owner, null::bigint as epoch, null::boolean as current
    from sallyport.version
  union all
  select 'log', log, null, seq, run_id, run_seq, sent, null, null, null from ends
  union all
  select 'seen', ends.log, null, b.seq, b.run_id, b.run_seq, ${UNKNOWN('b', 'known')}, null, null, null from ends,
    lateral (select seq, run_id, run_seq, frame from sallyport.batch where log = ends.log and seq < ends.seen
      order by seq desc limit 1) as b where ends.seq >= ends.seen
  union all
  select 'run', runs.log, name, b.seq, b.run_id, b.run_seq, ${UNKNOWN('b', 'runs.known')}, null, null, null
    from runs left join ends on ends.log = runs.log,
    lateral (select seq, run_id, run_seq, frame from sallyport.batch where log = runs.log and run_id = runs.name
      order by run_seq desc limit 1) as b where runs.known is null or ends.log is null or ends.sent is not null
  union all
  select 'claim', n.log, n.name, null, null, null, null, owner, epoch, current from
    (select log, 'run:' || name as name from runs union all select unnest($1::integer[]), '${CONTENT}') as n,
    lateral (select owner, epoch, ${IS_CURRENT} as current from sallyport.claim where log = n.log and name = n.name
      limit 1) as c`);

/** Values of `STATE` for these logs. */
export function stateValues(asked: readonly AskedLog[]): readonly string[] {
  const runs = asked.flatMap(({ store: { log, ends }, run_ids }) => {
    const known = ends.hashesOf(run_ids);
    return run_ids.map((run_id, nth) => ({ log, run_id, known: known[nth] ?? null }));
  });
  return [
    listOf(asked.map(({ store }) => store.log)),
    listOf(asked.map(({ store }) => store.witness.seen?.size ?? 0)),
    listOf(asked.map(({ store }) => store.ends.logHash)),
    listOf(runs.map(({ log }) => log)),
    listOf(runs.map(({ run_id }) => run_id)),
    listOf(runs.map(({ known }) => known)),
  ];
}

/** Rows of `STATE`, by the log that they are of; the version of the tables is of no log. */
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

/** State of a log in its rows. `store_newer`, `log_lost`, `store_damaged`. Throws `AlteredData`. */
export function readState(
  { store: { connection, witness, ends }, run_ids }: AskedLog,
  version: number,
  rows: readonly SqlRow[],
): Outcome<LogState> {
  if (version > connection.version) return refuse('store_newer', {});
  const of = (part: string) => rows.filter((row) => row['part'] === part);
  const [last] = of('log').map((row) => ends.logEnd(row));
  const [before] = of('seen').map((row) => ends.logEnd(row));
  // no store has appended since this one, so the runs end where it knows
  const runs = new Map(of('log').some(({ frame }) => frame === null) ? ends.runEnds(run_ids) : []);
  for (const row of of('run')) runs.set(String(row['name']), ends.runEnd(row));
  const checked = witness.check(last?.after.log ?? EMPTY_LOG, (before ?? last)?.after.log);
  if (!checked.ok) return checked;
  return pass({ last, runs, claims: new Map(of('claim').map((row) => [row['name'], claimIn(row)])) });
}

/** The claim on a run as the transaction finds it. */
export function claimOn({ claims }: LogState, run_id: string): FoundClaim | undefined {
  return claims.get(claimOf(run_id));
}
