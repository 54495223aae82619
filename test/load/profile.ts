/** `npm run test:long -- load --measure profile`: where the time of a step in PostgreSQL goes, and what it is without its parts. */
import type { MeasureOrder, ProfileOptions, StepCost } from './measure-order.ts';
import { type MeasuredLine, measureProcesses, type PhaseCost } from './measured-process.ts';
import { startServer } from './server.ts';
import { serverTime } from './server-time.ts';

/** Runs that one process writes at the same time. */
const WRITERS = 64;
const LOGS = [1, 8, 64];
/** In the first turn each way to write is compiled. The second turn counts. */
const TURNS = 2;

/** A way to write the same steps. */
interface Way {
  /** Name of each phase. `bare` writes the bytes of the store, `rows` runs its statements again for other logs, and `place` needs no server. */
  readonly phases: Readonly<Partial<Record<'store' | 'bare' | 'rows' | 'place', string>>>;
  readonly order?: Pick<MeasureOrder, 'listens' | 'payloads'>;
  /** False: the server does not wait for its disk. */
  readonly flushes?: false;
  /** How the server compresses what bare inserts write. The store has LZ4. Absent: by the default of the server. */
  readonly bareCompression?: 'lz4';
  /** Indexes that are absent while the phase `rows` runs. The store finds its rows by them. */
  readonly without?: readonly string[];
}

const WAYS: readonly Way[] = [
  {
    phases: {
      store: 'the store',
      bare: 'bare inserts',
      rows: 'the inserts of the store alone',
      place: 'placing and encoding alone',
    },
  },
  {
    phases: {
      store: 'the store, again',
      bare: 'bare inserts, compressed by LZ4 as the store is',
      rows: 'the inserts of the store alone, one index a table',
    },
    bareCompression: 'lz4',
    without: ['batch_run', 'payload_number'],
  },
  {
    phases: { store: 'the store, no wait for the disk', bare: 'bare inserts, no wait for the disk' },
    flushes: false,
  },
  { phases: { store: 'the store, no prepared statements' }, order: { listens: false } },
  { phases: { store: 'the store, no payloads' }, order: { payloads: false } },
];

/** Measures each way to write with 1, 8 and 64 logs. */
export async function measureProfile({ worker, steps, signal, onCost }: ProfileOptions): Promise<void> {
  const started = await startServer();
  const pool = started.newPool();
  const each = Math.max(1, Math.round(steps / WRITERS));
  const ways = LOGS.flatMap((logs) => WAYS.map((way) => ({ ...way, logs })));
  const total = ways.reduce((sum, { phases }) => sum + Object.keys(phases).length, 0);
  let done = 0;
  try {
    await pool.query('create table bare (id bigint generated always as identity primary key, bytes bytea not null)');
    for (const [nth, { logs, phases, order, flushes, bareCompression, without }] of ways.entries()) {
      signal.throwIfAborted();
      await pool.query(flushes === false ? 'alter system set fsync = off' : 'alter system reset fsync');
      await pool.query('select pg_reload_conf()');
      await pool.query(`alter table bare alter column bytes set compression ${bareCompression ?? 'default'}`);
      const writers = Array.from({ length: WRITERS }, (_, run) => ({
        run: nth * WRITERS + run,
        log: `${nth}-${run % logs}`,
      }));
      const { driver, server } = started;
      const steps = TURNS * each;
      const placed: MeasureOrder = { driver, address: server.address(), writers, steps, turns: TURNS, ...order };
      for (const [name, spent] of await spentIn(started, pool, worker, placed, phases, without))
        onCost(costOf(name, logs, each * WRITERS, spent), ++done, total);
      await pool.query('truncate bare');
    }
  } finally {
    await pool.end();
    await started.close();
  }
}

/** What a phase has taken from the program and from the server. */
interface Spent extends PhaseCost {
  readonly ms: number;
  /** Bytes in the log of the server. */
  readonly wal: number;
  readonly server: number | undefined;
}

type Started = Awaited<ReturnType<typeof startServer>>;
type OwnPool = ReturnType<Started['newPool']>;

async function spentIn(
  { server }: Started,
  pool: OwnPool,
  worker: string,
  order: MeasureOrder,
  phases: Way['phases'],
  without: readonly string[] = [],
): Promise<readonly (readonly [string, Spent])[]> {
  const look = async () => {
    const { rows } = await pool.query("select pg_current_wal_insert_lsn() - '0/0' as bytes");
    return { wal: Number(rows[0]?.['bytes']), server: serverTime(server.pid) };
  };
  const names = Object.values(phases);
  const spent: (readonly [string, Spent])[] = [];
  let from = await look();
  const turn = ['prepare', ...Object.keys(phases)];
  const all = [...turn, ...turn];
  /** Phases that are over. Those of the first turn and the preparation of the second do not count. */
  let over = 0;
  /** Statements that make the absent indexes again. */
  let made: string[] = [];
  const after = async ([line]: readonly MeasuredLine[], ms: number): Promise<void> => {
    const now = await look();
    for (const sql of made.splice(0)) await pool.query(sql);
    over++;
    if (over <= turn.length + 1) return;
    if (line === undefined || !('ms' in line) || line.cost === undefined) return;
    const time = now.server === undefined || from.server === undefined ? undefined : now.server - from.server;
    spent.push([names[spent.length] ?? '', { ...line.cost, ms, wal: now.wal - from.wal, server: time }]);
  };
  const before = async (): Promise<void> => {
    if (all[over] === 'rows') made = await dropIndexes(pool, without);
    from = await look();
  };
  const measured = await measureProcesses({
    worker,
    orders: [order],
    phases: all,
    before,
    after,
  });
  if ('refused' in measured) throw new Error(`The store was refused with ${measured.refused}.`);
  return spent;
}

/** Drops indexes. Resolves to the statements that make them again. */
async function dropIndexes(pool: OwnPool, names: readonly string[]): Promise<string[]> {
  const sql = "select indexdef from pg_indexes where schemaname = 'sallyport' and indexname = $1";
  const made: string[] = [];
  for (const name of names) {
    made.push(...(await pool.query(sql, [name])).rows.map(({ indexdef }) => String(indexdef)));
    await pool.query(`drop index sallyport.${name}`);
  }
  return made;
}

function costOf(name: string, logs: number, steps: number, spent: Spent): StepCost {
  const of = (value: number) => Math.round(value / steps);
  const tenths = (value: number) => Math.round(10 * value) / 10;
  return {
    name,
    logs,
    steps: Math.round((steps * 1_000) / spent.ms),
    group: tenths(steps / spent.transactions),
    statements: tenths(spent.statements / spent.transactions),
    sent: of(spent.sent),
    received: of(spent.received),
    wal: of(spent.wal),
    program: of(spent.cpu),
    server: spent.server === undefined ? undefined : of(spent.server),
  };
}
