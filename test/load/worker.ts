/**
 * A process of `npm run test:long -- load`: it has several logs open, drives several runs in each, and tells each batch that the
 * store has acknowledged. Any process goes on with a run that another process has left.
 */
import { appendFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ModelPort, Run, Runtime } from '../../workers/api.ts';
import { defineTool, openRuntime } from '../../workers/node.ts';
import type { PgPool } from '../../workers/postgres.ts';
import { openPostgresStore } from '../../workers/store/postgres/store.ts';
import type { SharedStore } from '../../workers/store/shared-store.ts';
import { hashesOf } from '../../workers/store/store.ts';
import type { Told, WorkerOrder } from './orders.ts';

const order = JSON.parse(process.argv[2] ?? '{}') as WorkerOrder;

interface PgModule {
  readonly Pool: new (options: object) => PgPool;
}

/** Writes a whole line synchronously, so that a kill comes before or after it. */
function say(line: Told): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The effect of a step: a line in a file, which is there once a call of the system has returned. */
const NOTE = defineTool({
  name: 'note.write',
  version: '1.0.0',
  description: 'Adds a line.',
  effect: 'write',
  labels: [],
  args: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
  run: async ({ n }, { step_id }) => {
    appendFileSync(order.effects, `${step_id}\n`);
    return n;
  },
});

/** Calls of a run before its end. A run that was resumed has as many again. */
const CALLS = 12;

function model(calls: number): ModelPort {
  let made = 0;
  const propose = async () => ({
    text: JSON.stringify(
      ++made > calls
        ? { done: true, message: 'noted' }
        : { next_step: { tool: NOTE.name, arguments: { n: made }, goal: 'note' } },
    ),
  });
  return { id: 'load', locality: { kind: 'local' }, propose };
}

/** The store, which tells each acknowledged batch with the size and the root of the log. */
function telling(store: SharedStore, log: string): SharedStore {
  return {
    ...store,
    async append(append, durability) {
      const done = await store.append(append, durability);
      if (done.ok && done.value !== undefined) {
        const { size, root } = done.value;
        say({ log, acknowledged: hashesOf(append), size, root: Buffer.from(root).toString('hex') });
      }
      return done;
    },
  };
}

/** Opens a log, and tries again while the server is away. */
async function openLog(pool: PgPool, log: string): Promise<Runtime> {
  for (;;) {
    const store = await openPostgresStore({ pool, log, times: order.times });
    if (store.ok) {
      const grants = [{ capability: NOTE.name, mode: 'allow' as const }];
      return openRuntime({ store: telling(store.value, log), tools: [NOTE], grants });
    }
    if (store.refusal.code !== 'store_lost' && store.refusal.code !== 'store_locked')
      throw new Error(store.refusal.message);
    await later(100);
  }
}

/** Resumes a run that no process writes, as far as this process can see. */
async function resumeOpen(runtime: Runtime, calls: number): Promise<Run | undefined> {
  for (const { run_id, sealed, elsewhere } of await runtime.runs()) {
    if (sealed || elsewhere) continue;
    // Undefined where another process was faster, or where this process has the run.
    const run = await runtime.resume(run_id, model(calls)).catch(() => undefined);
    if (run === undefined) continue;
    await run.run();
    return run;
  }
  return undefined;
}

/** Drives one run after the other. A run whose store failed is taken up again, by this process or another. */
async function work(runtime: Runtime): Promise<never> {
  for (;;) {
    try {
      const resumed = await resumeOpen(runtime, CALLS);
      const run = resumed ?? runtime.start({ dialect: 'xct', task: 'Note.', model: model(CALLS) });
      await run.result;
    } catch {
      await later(100);
    }
  }
}

/** Ends all open runs, until no process has one. */
async function finish(runtime: Runtime): Promise<void> {
  while ((await runtime.runs()).some(({ sealed }) => !sealed)) {
    const run = await resumeOpen(runtime, 0).catch(() => undefined);
    await (run?.result ?? later(100));
  }
  await runtime.close();
}

const { Pool } = createRequire(`${order.driver}/package.json`)('pg') as PgModule;
const pool = new Pool({ connectionString: order.address, query_timeout: 10_000, connectionTimeoutMillis: 5_000 });
const runtimes = await Promise.all(order.logs.map((log) => openLog(pool, log)));
say({ opened: order.logs.length });
if (order.mode === 'work') {
  const loops = runtimes.flatMap((runtime) => Array.from({ length: order.runs }, () => work(runtime)));
  await Promise.all(loops);
}
await Promise.all(runtimes.map(finish));
process.exit(0);
