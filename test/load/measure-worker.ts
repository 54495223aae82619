/**
 * A process of `npm run test:long -- load --measure throughput` and `profile`. It appends real steps to its logs, then inserts the
 * same bytes into bare tables: in the same transactions, over as many connections.
 */
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { Frontier } from '../../core/ledger/tree.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import type { RunRow } from '../../workers/api.ts';
import { useNodeHash } from '../../workers/node/hash.ts';
import type { PgPool } from '../../workers/postgres.ts';
import { placeFrame } from '../../workers/store/journal/frame.ts';
import { Preparation } from '../../workers/store/postgres/append.ts';
import { listOf } from '../../workers/store/postgres/columns.ts';
import { LOCKS } from '../../workers/store/postgres/connection.ts';
import { openPostgresStore } from '../../workers/store/postgres/store.ts';
import { PgHints } from '../../workers/store/postgres/watch.ts';
import { type Append, EMPTY_LOG, placeBatch } from '../../workers/store/store.ts';
import { runId, sampleBatches } from '../../workers/testing/store/sample.ts';
import type { MeasureOrder } from './measure-order.ts';
import type { MeasuredLine, PhaseCost } from './measured-process.ts';
import { AGAIN, notedPool, numbersIn, type Written } from './noted-pool.ts';

useNodeHash();
const order = JSON.parse(process.argv[2] ?? '{}') as MeasureOrder;
const say = (line: MeasuredLine): void => void writeSync(1, `${JSON.stringify(line)}\n`);

interface OwnPool extends PgPool {
  end(): Promise<void>;
}

const { Pool } = createRequire(`${order.driver}/package.json`)('pg') as { Pool: new (options: object) => OwnPool };
const pool = new Pool({ connectionString: order.address });
const noted = notedPool(pool);

/** Connects as often as the pool may, so that no phase pays for it. */
const clients = await Promise.all(Array.from({ length: pool.options?.max ?? 10 }, () => noted.pool.connect()));
for (const client of clients) client.release();

const names = [...new Set(order.writers.map(({ log }) => log))];
const opened = await Promise.all(
  names.map(async (log) => [log, unwrap(await openPostgresStore({ pool: noted.pool, log }))] as const),
);
const stores = new Map(opened);
if (order.listens !== false) await listen();
const turns = order.turns ?? 1;
const runs = order.writers.map(({ run, log }) => ({ log, run_id: runId(run), batches: sampleBatches(run) }));
/** The steps of the next turn, by run. */
let prepared: readonly Append[][] = [];

/** Listens to the other processes, as each runtime does. */
async function listen(): Promise<void> {
  for (const store of stores.values()) store.peers.onMessage(() => undefined);
  const hints = PgHints.over(noted.pool);
  for (let tries = 0; !hints.isHeard && tries < 1_000; tries++) await new Promise((later) => setTimeout(later, 10));
}

/**
 * Makes the steps of the next turn. A step in memory is old then: a collection of young objects would otherwise move it
 * in the phase behind, which is always that of the store. A whole collection would make Node forget compiled code.
 */
function prepare(): void {
  noted.written.clear();
  // the old steps are free before the new ones are made
  prepared = [];
  prepared = runs.map(({ run_id, batches }) =>
    Array.from({ length: Math.round(order.steps / turns) }, () => {
      const { payloads, ...batch } = batches.next().value;
      return { run_id, ...batch, payloads: order.payloads === false ? [] : payloads };
    }),
  );
  // an object is old behind its second collection
  for (let nth = 0; nth < 2; nth++) globalThis.gc?.(true);
}

/** Appends the steps of a run that belong to this turn. */
async function appendAll(log: string, appends: readonly Append[]): Promise<void> {
  const store = stores.get(log);
  if (store === undefined) return;
  for (const append of appends) unwrap(await store.append(append, 'strict'));
}

/** Bytes of the pieces of a transaction, and where each piece begins and how long it is. */
function piecesOf(added: Written): [Uint8Array, number[], number[]] {
  let before = 0;
  const past = added.flatMap((each) => {
    const begin = before;
    before += each.bytes.length;
    return each.past.map((at) => begin + at);
  });
  return [Buffer.concat(added.map(({ bytes }) => bytes)), past, added.flatMap(({ size }) => size)];
}

async function insertBare(all: readonly Written[]): Promise<void> {
  const client = await noted.pool.connect();
  for (const added of all) {
    await client.query('begin');
    await client.query(
      `insert into bare (bytes) select substring($1::bytea from past + 1 for size)
        from unnest($2::integer[], $3::integer[]) as p (past, size)`,
      piecesOf(added),
    );
    await client.query('commit');
  }
  client.release();
}

/** Column of the statement of the store that holds the numbers of logs. */
const LOG_COLUMN = 2;
/** No log of the measurement has so high a number. */
const elsewhere = (log: number): number => log + 1_000_000;

/** Runs the statements of the store as it has run them, on rows of other logs: without the program around them. */
async function repeatRows(all: readonly Written[]): Promise<void> {
  const client = await noted.pool.connect();
  for (const added of all) {
    const logs = [...new Set(added.flatMap(({ values }) => numbersIn(values[LOG_COLUMN])))].map(elsewhere);
    await client.query(`begin; set local synchronous_commit = off;
      select pg_advisory_xact_lock(${LOCKS}, log) from unnest('${listOf(logs)}'::integer[]) as l (log)`);
    for (const { sql, values } of added) {
      const others = values.map((value, nth) => (nth === LOG_COLUMN ? listOf(numbersIn(value).map(elsewhere)) : value));
      await client.query({ name: 'rows', text: `${sql} ${AGAIN}`, values: others });
    }
    await client.query("commit; select pg_logical_emit_message(true, 'sallyport', '')");
  }
  client.release();
}

/** The end of the run that an append follows. */
function endBefore(append: Append | undefined): RunRow | undefined {
  if (append === undefined || append.expected.records === 0) return undefined;
  const { run_id, expected } = append;
  return { run_id, at: 0, dialect: '', ...expected, sealed: false };
}

/** Prepares and places the steps as the store does, without a database. */
async function placeAll(): Promise<void> {
  const ends = new Map<string, Frontier>();
  const preparation = new Preparation();
  for (const [nth, { log }] of runs.entries()) {
    let run = endBefore(prepared[nth]?.[0]);
    for (const append of prepared[nth] ?? []) {
      const { pending, draft, leaves } = unwrap(preparation.of(append, run));
      const { seq, after } = placeBatch(pending, ends.get(log) ?? EMPTY_LOG, leaves);
      placeFrame(draft, seq, after.log);
      run = after.run;
      ends.set(log, after.log);
    }
  }
}

const phases: { readonly [name: string]: () => Promise<unknown> } = {
  prepare: async () => prepare(),
  store: () => Promise.all(runs.map(({ log }, nth) => appendAll(log, prepared[nth] ?? []))),
  bare: () => Promise.all([...noted.written.values()].map(insertBare)),
  place: placeAll,
  rows: () => Promise.all([...noted.written.values()].map(repeatRows)),
};

/** What the process has spent up to now. */
function spent(): Omit<PhaseCost, 'transactions'> {
  const { user, system } = process.cpuUsage();
  return { ...noted.counts(), cpu: user + system };
}

say({ opened: true });
for await (const phase of createInterface({ input: process.stdin })) {
  const [began, before] = [performance.now(), spent()];
  await phases[phase]?.();
  const [ms, after] = [performance.now() - began, spent()];
  // the bare inserts repeat the transactions of the store
  const transactions = [...noted.written.values()].reduce((sum, { length }) => sum + length, 0);
  const [statements, sent, received, cpu] = [
    after.statements - before.statements,
    after.sent - before.sent,
    after.received - before.received,
    after.cpu - before.cpu,
  ];
  say({ ms, cost: { transactions, statements, sent, received, cpu } });
}
await Promise.all([...stores.values()].map((store) => store.close()));
await pool.end();
