import { CRC_AT, encodeHeader, HEADER, META_AT, STATE_AT } from '../journal/header.ts';

/** A form of the tables of the schema `sallyport`. */
export interface TableForm {
  /** Names of all its tables. */
  readonly tables: readonly string[];
  /** Statements that lead to it from the form before. */
  readonly steps: readonly string[];
}

/**
 * A number for the hash of a payload in a run. Two payloads may have the same number. The columns hold 100 characters:
 * an index of them takes several times the room.
 */
export const payloadNumber = (run_id: string, sha256: string): string => `hashtextextended(${run_id} || ${sha256}, 0)`;

/**
 * True where the bytes of a column have the header of a frame whose contents were not removed, and its length: all that
 * a server can tell about a frame.
 */
const isFrame = (frame: string): string =>
  `octet_length(${frame}) > ${HEADER + META_AT} and substring(${frame} for ${CRC_AT}) = ${headOf(frame)}`;

/** The header of a frame as long as these bytes, before the check sum. The length stands in it backwards. */
function headOf(frame: string): string {
  const length = `int4send(octet_length(${frame}) - ${HEADER})`;
  const byte = (place: number): string => `substring(${length} from ${place} for 1)`;
  const head = encodeHeader({ state: 'live', length: 0, crc: 0 }).subarray(0, STATE_AT + 1);
  return `decode('${Buffer.from(head).toString('hex')}', 'hex') || ${[4, 3, 2, 1].map(byte).join(' || ')}`;
}

/** LZ4 takes a fraction of the time of the default. A server that was built without it keeps the default. */
const COMPRESS = `do $$ begin
    alter table sallyport.batch alter column frame set compression lz4;
    alter table sallyport.payload alter column bytes set compression lz4;
  exception when feature_not_supported then null; end $$`;

/**
 * Statistics of logs would say that a log which is younger than they are has no row. The planner would then read the whole
 * log for each of its runs.
 */
const unmeasured = (table: string): string => `alter table sallyport.${table} alter column log set statistics 0`;

/**
 * The first form. A batch and a row are frames of the journal: a row that is no frame cannot be inserted. Where one
 * stands in the table all the same, it is not `whole`: no index that finds batches holds it, and it takes no place. A
 * claim is a lease: the store `owner` holds the lock `name` until `expires` by the server's clock, and `epoch` grows with
 * each holder. A key may be longer than an index takes: its hash makes it unique, and its beginning orders it.
 */
const FIRST: readonly string[] = [
  'create schema if not exists sallyport',
  'create table sallyport.version (version integer primary key, at timestamptz not null default now())',
  'create table sallyport.log (id integer generated always as identity primary key, name text not null unique)',
  `create table sallyport.batch (log integer not null, seq bigint not null, run_id text collate "C" not null,
    run_seq bigint not null, frame bytea not null,
    whole boolean not null generated always as (${isFrame('frame')}) stored, constraint batch_whole check (whole))`,
  'create unique index batch_place on sallyport.batch (log, seq) where whole',
  'create unique index batch_run on sallyport.batch (log, run_id, run_seq desc) where whole',
  'create index batch_other on sallyport.batch (log, seq) where not whole',
  `create table sallyport.payload (log integer not null, seq bigint not null, nth integer not null,
    run_id text collate "C" not null, sha256 text collate "C" not null, bytes bytea not null,
    primary key (log, seq, nth))`,
  `create index payload_number on sallyport.payload (log, (${payloadNumber('run_id', 'sha256')}), seq)`,
  ...['batch', 'payload'].map(unmeasured),
  COMPRESS,
  `create table sallyport.row (log integer not null, kind text collate "C" not null, key bytea not null,
    frame bytea not null, constraint row_whole check (${isFrame('frame')}))`,
  'create unique index row_key on sallyport.row (log, kind, sha256(key))',
  'create index row_order on sallyport.row (log, kind, substring(key from 1 for 1000))',
  `create table sallyport.claim (log integer not null, name text collate "C" not null, owner text, epoch bigint not null,
    expires timestamptz not null, asked integer not null, primary key (log, name))`,
];

const TABLES = ['version', 'log', 'batch', 'payload', 'row', 'claim'];

/** Every form, in order. The number of a form is its version. */
export const FORMS: readonly TableForm[] = [{ tables: TABLES, steps: FIRST }];

/** Number of the newest form. */
export const VERSION: number = FORMS.length;

/** Statements that bring the tables from version `from` to the newest. */
export function migrationFrom(from: number, forms: readonly TableForm[] = FORMS): string[] {
  return forms
    .slice(from)
    .flatMap(({ steps }, nth) => [...steps, `insert into sallyport.version (version) values (${from + nth + 1})`]);
}

/** Names of roles of the database, which exist. */
export interface PostgresRoles {
  /** Writes runs; can neither change nor delete a record or a payload. */
  readonly append?: string;
  /** As `append`, and erases and deletes runs. */
  readonly retain?: string;
  /** Reads every log, and writes no row. */
  readonly read?: string;
}

/** Rights of each role beyond the role before it in `RANKS`. */
const RIGHTS = {
  read: ['usage on schema sallyport', 'select on all tables in schema sallyport'],
  append: [
    'insert on sallyport.log, sallyport.batch, sallyport.payload',
    'insert, update, delete on sallyport.row, sallyport.claim',
  ],
  retain: ['update (frame), delete on sallyport.batch', 'delete on sallyport.payload'],
} as const;
const RANKS = ['read', 'append', 'retain'] as const;

/** Statements that give each role its rights, and take every other right from it. */
export function grantsFor(roles: PostgresRoles): string[] {
  return RANKS.flatMap((rank, nth) => {
    const name = roles[rank];
    if (name === undefined) return [];
    const role = quoted(name);
    const rights = RANKS.slice(0, nth + 1).flatMap((each) => RIGHTS[each]);
    return [
      `revoke all on all tables in schema sallyport from ${role}`,
      ...rights.map((right) => `grant ${right} to ${role}`),
    ];
  });
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
