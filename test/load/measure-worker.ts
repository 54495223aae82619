/**
 * A process of `npm run load -- --measure throughput`. It appends real steps to its logs, then inserts the same bytes
 * into bare tables: in the same transactions, over as many connections.
 */
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { unwrap } from '../../core/sallyport-error.ts';
import type { PgClient, PgPool } from '../../workers/postgres.ts';
import { openPostgresStore } from '../../workers/store/postgres/store.ts';
import { type SampleRun, sampleRun } from '../../workers/testing/store/sample.ts';
import type { MeasureOrder } from './measure-order.ts';

const order = JSON.parse(process.argv[2] ?? '{}') as MeasureOrder;

interface OwnPool extends PgPool {
  end(): Promise<void>;
}

/** Pieces of a transaction: bytes, and where each piece begins and how long it is. */
type Written = readonly [bytes: unknown, past: readonly number[], size: readonly number[]];

/** The transactions of each connection, in order. */
const written = new Map<PgClient, Written[]>();

function note(client: PgClient, sql: string, values: readonly unknown[] = []): void {
  if (!sql.includes('insert into sallyport.batch')) return;
  const [past, size] = [5, 6].map((at) => [values[at], values[at + 6]].flat() as number[]);
  const all = written.get(client) ?? [];
  written.set(client, all);
  all.push([values[1], past ?? [], size ?? []]);
}

/** The pool, whose connections note what a store writes. */
function noting(pool: PgPool): PgPool {
  const wrapped = new WeakMap<PgClient, PgClient>();
  const wrap = (client: PgClient): PgClient => {
    const query: PgClient['query'] = (sql, values) => {
      note(client, sql, values);
      return values === undefined ? client.query(sql) : client.query(sql, values);
    };
    const made = new Proxy(client, {
      get: (target, name) => {
        if (name === 'query') return query;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    wrapped.set(client, made);
    return made;
  };
  return {
    connect: async () => {
      const client = await pool.connect();
      return wrapped.get(client) ?? wrap(client);
    },
    on: (event: 'error' | 'connect', listener: never) => pool.on(event as 'error', listener),
    ...(pool.options && { options: pool.options }),
  };
}

const { Pool } = createRequire(`${order.driver}/package.json`)('pg') as { Pool: new (options: object) => OwnPool };
const pool = new Pool({ connectionString: order.address });
const noted = noting(pool);

const names = [...new Set(order.writers.map(({ log }) => log))];
const opened = await Promise.all(
  names.map(async (log) => [log, unwrap(await openPostgresStore({ pool: noted, log }))] as const),
);
const stores = new Map(opened);
const runs = order.writers.map(({ run, log }) => [log, sampleRun(run, order.steps, false)] as const);

async function appendRun(log: string, { run_id, batches }: SampleRun): Promise<void> {
  const store = stores.get(log);
  for (const batch of batches) if (store !== undefined) unwrap(await store.append({ run_id, ...batch }, 'strict'));
}

async function insertBare(all: readonly Written[]): Promise<void> {
  const client = await pool.connect();
  for (const values of all) {
    await client.query('begin');
    await client.query(
      `insert into bare (bytes) select substring($1::bytea from past + 1 for size)
        from unnest($2::integer[], $3::integer[]) as p (past, size)`,
      [...values],
    );
    await client.query('commit');
  }
  client.release();
}

const phases: { readonly [name: string]: () => Promise<unknown> } = {
  store: () => Promise.all(runs.map(([log, run]) => appendRun(log, run))),
  bare: () => Promise.all([...written.values()].map(insertBare)),
};

/** Connects as often as the pool may, so that no phase pays for it. */
const clients = await Promise.all(Array.from({ length: pool.options?.max ?? 10 }, () => pool.connect()));
for (const client of clients) client.release();

writeSync(1, '{"opened":true}\n');
for await (const phase of createInterface({ input: process.stdin })) {
  const began = performance.now();
  await phases[phase]?.();
  writeSync(1, `${JSON.stringify({ ms: performance.now() - began })}\n`);
}
await Promise.all([...stores.values()].map((store) => store.close()));
await pool.end();
