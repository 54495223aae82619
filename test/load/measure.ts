/** The measurements of `npm run load -- --measure`: what the store costs beside bare inserts, and as its log grows. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { unwrap } from '../../core/sallyport-error.ts';
import { openPostgresStore } from '../../workers/store/postgres/store.ts';
import { sampleRun } from '../../workers/testing/store/sample.ts';
import type { LatencyOptions, MeasureOrder, ThroughputOptions } from './measure-order.ts';
import { startServer } from './server.ts';

/** Runs that are written at the same time, in all processes together. */
const WRITERS = 64;
const PROCESSES = [1, 2, 4];
const LOGS = [1, 8, 64];

/** Measures each number of processes with each number of logs, store and bare inserts in turns. */
export async function measureThroughput({ worker, steps, signal, onCell }: ThroughputOptions): Promise<void> {
  const { server, driver, newPool, close } = await startServer();
  const pool = newPool();
  try {
    await pool.query('create table bare (id bigint generated always as identity primary key, bytes bytea not null)');
    const cells = PROCESSES.flatMap((processes) => LOGS.map((logs) => ({ processes, logs })));
    for (const [nth, { processes, logs }] of cells.entries()) {
      signal.throwIfAborted();
      const place = (run: number) => ({ run: nth * WRITERS + run, log: `${nth}-${run % logs}` });
      const orders = Array.from({ length: processes }, (_, of): MeasureOrder => {
        const writers = Array.from({ length: WRITERS }, (__, run) => run).filter((run) => run % processes === of);
        const each = Math.max(1, Math.round(steps / WRITERS));
        return { driver, address: server.address(), writers: writers.map(place), steps: each };
      });
      const { store, bare } = await measureCell(worker, orders);
      const done = (orders[0]?.steps ?? 0) * WRITERS;
      const perSecond = (ms: number) => Math.round((done * 1_000) / ms);
      onCell({ processes, logs, store: perSecond(store), bare: perSecond(bare) }, nth + 1, cells.length);
      await pool.query('truncate bare');
    }
  } finally {
    await pool.end();
    await close();
  }
}

/** Time of both phases, each of which all processes begin together. */
async function measureCell(worker: string, orders: readonly MeasureOrder[]) {
  const processes = orders.map((order) => startMeasured(worker, order));
  try {
    await Promise.all(processes.map(({ answer }) => answer()));
    const phase = async (name: string): Promise<number> => {
      const began = performance.now();
      await Promise.all(processes.map(({ ask }) => ask(name)));
      return performance.now() - began;
    };
    return { store: await phase('store'), bare: await phase('bare') };
  } finally {
    await Promise.all(processes.map(({ child }) => end(child)));
  }
}

function startMeasured(worker: string, order: MeasureOrder) {
  const child = spawn(process.execPath, [worker, JSON.stringify(order)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<void> => {
    const { done } = await lines.next();
    if (done === true) throw new Error('A process that measures has ended.');
  };
  const ask = (phase: string): Promise<void> => {
    child.stdin.write(`${phase}\n`);
    return answer();
  };
  return { child, answer, ask };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill();
  await exit;
}

/** Appends whose time is taken at each size of the log. */
const TIMED = 50;
/** Steps of a run that fills the log, each of five records. */
const FILLING_STEPS = 20;

/** Measures single appends at 1,000 records, 10,000 and so on, up to the last size. */
export async function measureLatency({ records, signal, onSize, onFill }: LatencyOptions): Promise<void> {
  const { newPool, close } = await startServer();
  const pool = newPool();
  try {
    const store = unwrap(await openPostgresStore({ pool, log: 'latency' }));
    let run = 0;
    const write = async (steps: number): Promise<number[]> => {
      const { run_id, batches } = sampleRun(run++, steps);
      const times: number[] = [];
      for (const batch of batches) {
        const began = performance.now();
        unwrap(await store.append({ run_id, ...batch }, 'strict'));
        times.push(performance.now() - began);
      }
      return times;
    };
    const size = async () => unwrap(await store.head()).size;
    for (const target of sizesTo(records)) {
      for (let now = await size(); now < target; now = await size()) {
        signal.throwIfAborted();
        const runs = Math.min(WRITERS, Math.ceil((target - now) / (5 * FILLING_STEPS)));
        await Promise.all(Array.from({ length: runs }, () => write(FILLING_STEPS)));
        onFill(now);
      }
      const times = (await write(TIMED)).toSorted((one, other) => one - other);
      const at = (share: number) => Math.round((times[Math.floor(times.length * share)] ?? 0) * 100) / 100;
      onSize({ records: target, median: at(0.5), p95: at(0.95) });
    }
    await store.close();
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
