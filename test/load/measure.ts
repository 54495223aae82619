/** The measurements of `npm run test:long -- load --measure`: what the store costs beside bare inserts, and as its log grows. */
import { unwrap } from '../../core/sallyport-error.ts';
import { openPostgresStore } from '../../workers/store/postgres/store.ts';
import { measureGrowth } from './growth.ts';
import type { LatencyOptions, MeasureOrder, ThroughputOptions } from './measure-order.ts';
import { measureProcesses } from './measured-process.ts';
import { Paces } from './paces.ts';
import { startServer } from './server.ts';

/** Runs that are written at the same time, in all processes together. */
const WRITERS = 64;
const PROCESSES = [1, 2, 4];
/** Behind one log: a log for each process, so that no process waits for another. */
const LOGS = (processes: number): readonly number[] => [...new Set([1, processes, 8, 64])];
/** The two ways to write take turns: a machine that is busy for a moment slows both. */
const TURNS = 32;
const PHASES = ['prepare', 'store', 'bare'] as const;
/** Turns before them, in which Node compiles both ways: each process compiles for itself, which takes a second or two. */
const FIRST = 16;

/** Measures each number of processes with each number of logs, store and bare inserts in turns. */
export async function measureThroughput(options: ThroughputOptions): Promise<void> {
  const { worker, steps, signal, processes: wanted = PROCESSES, logs: many, onCell } = options;
  const { server, driver, newPool, close } = await startServer();
  const pool = newPool();
  try {
    await pool.query('create table bare (id bigint generated always as identity primary key, bytes bytea not null)');
    const cells = wanted.flatMap((processes) => (many ?? LOGS(processes)).map((logs) => ({ processes, logs })));
    for (const [nth, { processes, logs }] of cells.entries()) {
      signal.throwIfAborted();
      const place = (run: number) => ({ run: nth * WRITERS + run, log: `${nth}-${run % logs}` });
      const inTurn = Math.max(1, Math.round(steps / WRITERS / TURNS));
      const orders = Array.from({ length: processes }, (_, of): MeasureOrder => {
        const writers = Array.from({ length: WRITERS }, (__, run) => run).filter((run) => run % processes === of);
        const turns = FIRST + TURNS;
        return { driver, address: server.address(), writers: writers.map(place), steps: inTurn * turns, turns };
      });
      const paces = new Paces({ server: server.pid, phases: PHASES, first: FIRST, steps: inTurn * WRITERS * TURNS });
      const measured = await measureProcesses({
        worker,
        orders,
        phases: Array.from({ length: FIRST + TURNS }, () => PHASES).flat(),
        before: async () => paces.begin(),
        after: async (lines, ms) => paces.end(lines, ms),
      });
      if ('refused' in measured) throw new Error(`The store was refused with ${measured.refused}.`);
      onCell({ processes, logs, store: paces.of('store'), bare: paces.of('bare') }, nth + 1, cells.length);
      await pool.query('truncate bare');
    }
  } finally {
    await pool.end();
    await close();
  }
}

/** Appends whose time is taken at each size of the log. */
const TIMED = 50;
/** Steps of a run that fills the log. */
const FILLING_STEPS = 20;

/** Measures single appends at 1,000 records, 10,000 and so on, up to the last size. */
export async function measureLatency({ records, signal, onSize, onFill }: LatencyOptions): Promise<void> {
  const { newPool, close } = await startServer();
  const pool = newPool();
  try {
    await measureGrowth({
      open: async () => unwrap(await openPostgresStore({ pool, log: 'latency' })),
      unit: 'records',
      sizes: sizesTo(records),
      steps: FILLING_STEPS,
      timed: TIMED,
      signal,
      onFill,
      onSize: ({ size, median, p95 }) => onSize({ records: size, median, p95 }),
    });
  } finally {
    await pool.end();
    await close();
  }
}

/** 1,000, 10,000 and so on, and the last size itself. */
function sizesTo(last: number): number[] {
  const sizes: number[] = [];
  for (let size = 1_000; size < last; size *= 10) sizes.push(size);
  return [...sizes, last];
}
