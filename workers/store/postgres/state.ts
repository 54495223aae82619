import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { refuse } from '../../../core/errors.ts';
import { hashText, sha256Hex } from '../../../core/hash.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import type { RunHead } from '../../../core/ledger/chain.ts';
import { type Frontier, rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { openFile, openToRead } from '../directory/file.ts';
import { type DirectoryWitness, NO_WITNESS, readWitness, witnessIn } from '../directory/witness.ts';
import { HEADER } from '../journal/header.ts';
import type { SqlRow } from '../sql/frames.ts';
import { AlteredData } from '../sql/frames.ts';
import { type Batch, type BatchEnd, EMPTY_LOG } from '../store.ts';
import type { EncodedBatch } from './adding.ts';
import { endIn } from './batches.ts';
import { columns, listOf } from './columns.ts';
import type { PgConnection } from './connection.ts';
import { CONTENT, claimIn, claimOf, type FoundClaim, IS_CURRENT, type PgLeases } from './leases.ts';
import { altered } from './refusal.ts';
import { makeStatement, type Statement } from './session.ts';

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

/**
 * Version of the row of a batch: the transaction that wrote the row, and the header of its frame, which holds the check
 * sum. An update has another transaction. A log that was restored and written again has another check sum.
 */
const ROW_VERSION = (of: string): string =>
  `${of}.xmin::text || ' ' || encode(substring(${of}.frame for ${HEADER}), 'hex')`;

/** The frame of a batch, or null where the version of its row is `known`. */
const UNKNOWN = (of: string, known: string): string =>
  `case when ${ROW_VERSION(of)} = ${known} then null else ${of}.frame end`;

/** The rows of `batch` that are frames, and this holds for. */
const BATCH = (condition: string): string =>
  `select seq, run_id, run_seq, frame, xmin from sallyport.batch where whole and ${condition}`;

/** Columns of the rows of `STATE` with their types, without the column `part`. */
const COLUMNS = {
  log: 'integer',
  name: 'text',
  seq: 'bigint',
  run_id: 'text',
  run_seq: 'bigint',
  frame: 'bytea',
  owner: 'text',
  epoch: 'bigint',
  current: 'boolean',
} as const;

/** A part of `STATE`: the columns that its rows have, as SQL. The other columns are null. */
function partOf(part: string, given: { readonly [C in keyof typeof COLUMNS]?: string }, from = ''): string {
  const all = Object.entries(COLUMNS).map(
    ([column, type]) => `${given[column as keyof typeof COLUMNS] ?? `null::${type}`} as ${column}`,
  );
  return `select '${part}' as part, ${all.join(', ')} ${from}`;
}

/** The place and the frame of a batch. */
const placeIn = (batch: string, frame: string) =>
  ({ seq: `${batch}.seq`, run_id: `${batch}.run_id`, run_seq: `${batch}.run_seq`, frame }) as const;

/** Version of the tables, as `seq`, and this transaction, as `name`: nothing on a replica, which has none. */
const OWN = partOf('own', {
  name: 'case when pg_is_in_recovery() then null else pg_current_xact_id()::xid::text end',
  seq: '(select max(version) from sallyport.version)::bigint',
});

/** Last batch of each log. */
const LOG_END = partOf('log', { log: 'ends.log', ...placeIn('ends', 'ends.sent') }, 'from ends');

/** The batch before the place `seen`, where the log has grown behind it. */
const SEEN = partOf(
  'seen',
  { log: 'ends.log', ...placeIn('b', UNKNOWN('b', 'ends.known')) },
  `from ends, lateral (${BATCH('log = ends.log and seq < ends.seen')} order by seq desc limit 1) as b
    where ends.seq >= ends.seen`,
);

/** Last batch of each run that is looked up. */
const RUN_END = partOf(
  'run',
  { log: 'runs.log', name: 'runs.name', ...placeIn('b', 'b.frame') },
  `from runs, lateral (${BATCH('log = runs.log and run_id = runs.name')} order by run_seq desc limit 1) as b
    where runs.asked`,
);

/** Claims on the runs, and on the content of each log. */
const CLAIM = partOf(
  'claim',
  { log: 'n.log', name: 'n.name', owner: 'c.owner', epoch: 'c.epoch', current: 'c.current' },
  `from (select log, 'run:' || name as name from runs union all select unnest($1::integer[]), '${CONTENT}') as n,
    lateral (select owner, epoch, ${IS_CURRENT} as current from sallyport.claim
      where log = n.log and name = n.name limit 1) as c`,
);

/**
 * State of the logs `$1` and of the runs `$5` in the logs `$4`; `$6` is true for a run whose end is looked up. `$2` is
 * the place up to which a store has seen its log, and `$3` the version of the row that it knows as the last.
 */
export const STATE: Statement = makeStatement(`
  with ends as materialized (
    select l.*, b.seq, b.run_id, b.run_seq, ${UNKNOWN('b', 'l.known')} as sent
      from unnest($1::integer[], $2::bigint[], $3::text[]) as l (log, seen, known),
      lateral (${BATCH('log = l.log')} order by seq desc limit 1) as b),
  runs as materialized (select * from unnest($4::integer[], $5::text[], $6::boolean[]) as r (log, name, asked))
  ${[OWN, LOG_END, SEEN, RUN_END, CLAIM].join('\n  union all\n  ')}`);

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

/** A batch and its frame. */
export type WrittenBatch = Pick<EncodedBatch, 'batch' | 'frame'>;

interface LogEnd extends BatchEnd {
  readonly version: string;
}

/** Runs whose last batch a store remembers. */
const RUNS = 1_024;

/**
 * The last batch of each run, and of the log, as this store has written them. The database sends the last batch of the
 * log only where the version of its row differs: another store has written it, or it was changed. The end of a run needs
 * no look: it stands in the part of the log that the store has seen, and the place behind it can be taken only once.
 */
export class KnownEnds {
  readonly #runs = new Map<string, BatchEnd>();
  #log: LogEnd | undefined;

  /** Version of the row of the last batch, where this store has written it. */
  get logVersion(): string | null {
    return this.#log?.version ?? null;
  }

  /** End of a run, where this store knows it and the next batch follows it. */
  endBefore(run_id: string, { records, head }: RunHead): BatchEnd | undefined {
    const known = this.#runs.get(run_id);
    return known?.after.run.records === records && known.after.run.head === head ? known : undefined;
  }

  /** Remembers batches after the commit of their transaction. */
  add(batches: readonly WrittenBatch[], transaction: string): void {
    for (const { batch } of batches) {
      this.#runs.delete(batch.run_id);
      this.#runs.set(batch.run_id, endOf(batch));
    }
    const last = batches.at(-1);
    if (last !== undefined) this.#log = { ...endOf(last.batch), version: `${transaction} ${headerIn(last.frame)}` };
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= RUNS) break;
      this.#runs.delete(oldest);
    }
  }

  /** Forgets the ends of all runs. */
  forgetRuns(): void {
    this.#runs.clear();
  }

  /** End of the log in a row; without a frame it is the known one. Throws `AlteredData`. */
  logEnd(row: SqlRow): BatchEnd {
    if (row['frame'] !== null) return endIn(row);
    const known = this.#log;
    const { seq, run_id, run_seq } = row;
    const isSame = known?.seq === Number(seq) && known.run_id === run_id && known.run_seq === Number(run_seq);
    if (!isSame) throw new AlteredData(`has a batch of another place at place ${String(seq)}`);
    return known;
  }
}

/** Without the contents of the batch, which are large. */
function endOf({ seq, run_id, run_seq, after }: Batch): BatchEnd {
  return { seq, run_id, run_seq, after };
}

function headerIn({ buffer, byteOffset }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, HEADER).toString('hex');
}

/** Extent of a log that this process has seen. */
interface SeenLog {
  readonly size: number;
  readonly root: string;
}

/**
 * Size and root of the log as this process saw it last, against a database that was restored from an older backup, or
 * that failed over to a server that lacks the newest records.
 */
export interface LogWitness {
  readonly seen: SeenLog | undefined;
  /**
   * Compares the log as it is with the log as it was. `atSeen` is the end of the batch that ends at the seen size.
   * `log_lost` for a shorter log, `store_damaged` for other records.
   */
  check(log: Frontier, atSeen: Frontier | undefined): Outcome<void>;
  see(log: Frontier): void;
  /** The log was deleted on purpose. */
  forget(): void;
  close(): void;
}

/** A witness in memory and, with a path, in a file for the next process. Throws where the file cannot be read. */
export function openWitness(log: string, path: string | undefined): LogWitness {
  const began = sha256Hex(encodeText(log));
  const file = path === undefined ? NO_WITNESS : witnessFile(resolve(path));
  // the file may hold the extent of another log
  let seen: SeenLog | undefined = file.seen?.began === began ? file.seen : undefined;
  /** The log that was seen, where this process has it: the same object has the same root. */
  let last: Frontier | undefined;
  return {
    get seen() {
      return seen;
    },
    check(now, atSeen) {
      if (seen === undefined) return pass(undefined);
      const { size } = seen;
      if (now.size < size) return refuse('log_lost', { size, found: now.size });
      const isSame =
        size === 0 ||
        (atSeen !== undefined && atSeen === last) ||
        (atSeen?.size === size && rootText(atSeen) === seen.root);
      return isSame ? pass(undefined) : altered(`has other records than were seen before, among its first ${size}`);
    },
    see(now) {
      if (seen !== undefined && now.size <= seen.size) return;
      last = now;
      seen = seenAt(now);
      file.see(began, 0, now);
    },
    forget() {
      [seen, last] = [undefined, undefined];
      file.see(began, 0, EMPTY_LOG);
    },
    close: () => file.close(),
  };
}

/** The extent of a log, whose root is computed when it is asked for. */
function seenAt(log: Frontier): SeenLog {
  let root: string | undefined;
  return {
    size: log.size,
    get root() {
      return (root ??= rootText(log));
    },
  };
}

function rootText(log: Frontier): string {
  return hashText(rootOf(log));
}

/** The form of a directory's witness, in a file that the program names. */
function witnessFile(path: string): DirectoryWitness {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openToRead(path);
  const seen = file && readWitness(file);
  file?.close();
  return witnessIn(seen, () => openFile(path));
}
