/** The test of `npm run test:long -- load`: processes on logs in PostgreSQL, which are killed and cut off by chance. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unwrap } from '../../core/sallyport-error.ts';
import type { PgServer } from '../../e2e/world/postgres-server.ts';
import { openPostgresStore } from '../../workers/store/postgres/store.ts';
import type { LeaseTimes } from '../../workers/store/shared-store.ts';
import { dice } from '../dice.mjs';
import { Acknowledged } from './acknowledged.ts';
import type { LoadCounts, LoadEnd, LoadFindings, LoadOptions } from './counts.ts';
import { Fleet } from './fleet.ts';
import { judgeEffects, judgeLog, NO_FINDINGS } from './judge.ts';
import type { WorkerOrder } from './orders.ts';
import { CuttingProxy } from './proxy.ts';
import { startServer } from './server.ts';

/** Leases that end within a pause or a restart of the server, so that processes take runs from each other. */
const TIMES: LeaseTimes = { leaseMs: 2_000, renewMs: 500, askMs: 50 };
const PROXY_PORT = 54_399;
/** Disturbances of the shortest test. */
const TURNS_MIN = 5;

/** Plays for a time, ends the open runs, and judges each log. */
export async function play(options: LoadOptions): Promise<LoadEnd> {
  const { server, driver, folder, newPool, close } = await startServer();
  const effects = join(driver, 'effects.txt');
  writeFileSync(effects, '');
  const logs = Array.from({ length: options.logs }, (_, nth) => `log ${nth}`);
  const proxy = await CuttingProxy.listen(
    join(folder, `.s.PGSQL.${PROXY_PORT}`),
    join(folder, `.s.PGSQL.${server.port}`),
  );
  const acknowledged = new Acknowledged();
  const order: WorkerOrder = {
    ...{ driver, effects, logs, runs: options.runs, times: TIMES, mode: 'work' },
    address: server.address('postgres', PROXY_PORT),
  };
  const fleet = new Fleet(options.worker, order, (batch) => acknowledged.add(batch));
  const last = new Fleet(options.worker, { ...order, mode: 'finish' }, (batch) => acknowledged.add(batch));
  try {
    const counts = await disturb({ ...options, server, proxy, fleet, acknowledged });
    await fleet.killAll();
    await last.start(0);
    await orAborted(last.ended(0), options.signal);
    const pool = newPool();
    pool.on('error', () => undefined);
    const open = async (log: string) => unwrap(await openPostgresStore({ pool, log }));
    const stores = await Promise.all(logs.map(open));
    const found = [{ ...NO_FINDINGS, ...(await judgeEffects(stores, effects)) }];
    for (const [nth, store] of stores.entries()) found.push(await judgeLog(store, logs[nth] ?? '', acknowledged));
    await pool.end();
    const findings = sum([...found, { ...NO_FINDINGS, contradicted: acknowledged.forks }]);
    return { ...counts, ...findings, acknowledged: acknowledged.size, faults: [...fleet.faults, ...last.faults] };
  } finally {
    await Promise.all([fleet.killAll(), last.killAll()]);
    await proxy.close();
    await close();
  }
}

interface Disturbed extends LoadOptions {
  readonly server: PgServer;
  readonly proxy: CuttingProxy;
  readonly fleet: Fleet;
  readonly acknowledged: Acknowledged;
}

/** Starts the processes, and disturbs them and the server by chance until the time is over. */
async function disturb(all: Disturbed): Promise<LoadCounts> {
  const { processes, seed, signal, fleet, acknowledged, ms, onCount } = all;
  const roll = dice(seed);
  await Promise.all(Array.from({ length: processes }, (_, nth) => fleet.start(nth)));
  const [began, counts] = [Date.now(), { kills: 0, pauses: 0, crashes: 0, cuts: 0 }];
  const now = () => ({ ...counts, ms: Date.now() - began, acknowledged: acknowledged.size });
  for (let turns = 0; turns < TURNS_MIN || Date.now() - began < ms; turns++) {
    const before = acknowledged.size;
    await orAborted(later(200 + roll() * 1_300), signal);
    // a busy machine first brings a record behind the last disturbance
    for (let tries = 0; acknowledged.size === before && tries < 300; tries++) await orAborted(later(50), signal);
    counts[await disturbOnce(all, roll)]++;
    onCount(now());
  }
  return now();
}

type Disturbance = 'kills' | 'pauses' | 'crashes' | 'cuts';

async function disturbOnce({ fleet, server, proxy }: Disturbed, roll: () => number): Promise<Disturbance> {
  const [what, nth] = [roll(), Math.floor(roll() * fleet.size)];
  if (what < 0.4) {
    await fleet.kill(nth);
    void fleet.start(nth);
    return 'kills';
  }
  if (what < 0.5) {
    fleet.pause(nth, roll() * 5_000);
    return 'pauses';
  }
  if (what < 0.65) {
    await (roll() < 0.7 ? server.kill() : server.stop());
    await server.start();
    return 'crashes';
  }
  if (what < 0.75) proxy.stall(roll() * 3_000);
  else if (what < 0.9) proxy.cutAnswers();
  else proxy.cut();
  return 'cuts';
}

function sum(findings: readonly LoadFindings[]): LoadFindings {
  const add = (one: LoadFindings, other: LoadFindings): LoadFindings => {
    const names = Object.keys(one) as (keyof LoadFindings)[];
    return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as unknown as LoadFindings;
  };
  return findings.reduce(add, NO_FINDINGS);
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    stop = () => signal.removeEventListener('abort', abort);
  });
  return Promise.race([work, aborted]).finally(stop);
}
