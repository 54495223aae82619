import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it, vi } from 'vitest';
import type { Bodies } from '../../../core/index.ts';
import { CALL_LIMITS } from '../../../core/limits.ts';
import type { CallStep } from '../../../sandbox/index.ts';
import { deferred } from '../../../workers/async.ts';
import { localAuditor } from '../../../workers/auditor/auditor.ts';
import { openClient } from '../../../workers/client/client.ts';
import { makeKernel } from '../../../workers/kernel/kernel.ts';
import { BUILD } from '../../../workers/lock/greeting.ts';
import { serveMethods } from '../../../workers/lock/realm-port.ts';
import { nodeEngine, nodePorts, nodeSpawn, openSandboxes } from '../../../workers/node/platform.ts';
import { defineCapability, fromScript, replayExport } from '../../../workers/node.ts';
import { BROWSER_KILLS, NODE_KILLS } from '../../../workers/sandbox/call-driver.ts';
import { Pool } from '../../../workers/sandbox/pool.ts';
import type { Spawn, WorkerEnd } from '../../../workers/sandbox/port.ts';
import { GUEST_RUNS, HOST_WORKS } from '../../../workers/sandbox/remote.ts';
import { openMemoryStore } from '../../../workers/store/memory/store.ts';

const folder = mkdtempSync(join(tmpdir(), 'sallyport-thread-'));
const open: Pool[] = [];
afterAll(async () => {
  await Promise.all(open.map((pool) => pool.close()));
  rmSync(folder, { recursive: true });
});

const DEADLINE_MS = 100;
const GUEST = {
  hash: 'h',
  name: 'test',
  source: 'export default () => 1',
  powers: [],
  limits: { ...CALL_LIMITS, deadlineMs: DEADLINE_MS },
};

function poolOf(spawn: Spawn, spares = 0): Pool {
  const pool = new Pool(spawn, { kills: NODE_KILLS, spares });
  open.push(pool);
  return pool;
}

const settled = (pool: Pool) => pool.call({ hash: 'h', args: '{}', seed: 0, now: 0 }).settled;

interface Served {
  readonly begin: (tell: (mark: string) => void) => CallStep | Promise<CallStep>;
  readonly load?: () => unknown;
  readonly callRealm?: () => unknown;
  readonly ended?: Promise<WorkerEnd>;
}

const DONE: CallStep = { done: true, settled: { ok: true, text: '1', fuel: 1, console: [], powerCalls: [] } };

/** Workers that begin a call as the test says. */
function workers(...each: readonly Served[]): Spawn {
  let made = 0;
  return {
    spawn: async () => {
      const { begin, load, callRealm, ended } = each[Math.min(made++, each.length - 1)] as Served;
      const { port1, port2 } = new MessageChannel();
      serveMethods(port2, {
        ready: () => undefined,
        load: load ?? (() => ({ ok: true, value: { imageHash: 'x' } })),
        begin: () => begin((mark) => port2.postMessage(mark)),
        drop: () => undefined,
        buildRealm: () => ({ ok: true, value: { imageHash: 'x' } }),
        callRealm: callRealm ?? (() => undefined),
      });
      return { port: port1, terminate: () => undefined, ...(ended && { ended }) };
    },
  };
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const never = () => new Promise<never>(() => {});

it.each([
  [{ isMemory: true, reason: 'heap out of memory' }, { kind: 'corrupt' }],
  [
    { isMemory: false, reason: 'exit code 9' },
    { kind: 'worker', error: { message: 'exit code 9' } },
  ],
])('a call whose worker ends with %j ends as %j', async (end, expected) => {
  const { promise: ended, resolve } = deferred<WorkerEnd>();
  const pool = poolOf(workers({ begin: () => (resolve(end), never()), ended }));
  await pool.load(GUEST);
  expect(await settled(pool)).toMatchObject({ ok: false, ...expected });
});

it('a call whose next worker cannot load its capability did not hang and lost no heap', async () => {
  const refusal = { ok: false, error: { code: 'source_threw', message: 'Not today.', details: {} } };
  const hung: Served = { begin: (tell) => (tell(GUEST_RUNS), never()) };
  const pool = poolOf(workers(hung, { begin: () => DONE, load: () => refusal }));
  await pool.load(GUEST);
  expect(await settled(pool)).toMatchObject({ kind: 'hang' });
  expect(await settled(pool)).toMatchObject({ kind: 'worker', error: { message: 'Not today.' } });
});

it('work of a worker before and after its guest is no time of the guest', async () => {
  const begin = async (tell: (mark: string) => void) => {
    await later(4 * DEADLINE_MS);
    tell(GUEST_RUNS);
    tell(HOST_WORKS);
    await later(4 * DEADLINE_MS);
    tell(GUEST_RUNS);
    return DONE;
  };
  const pool = poolOf(workers({ begin }));
  await pool.load(GUEST);
  expect(await settled(pool)).toMatchObject({ ok: true, text: '1' });
});

it('a guest that hangs after work of its worker is killed', async () => {
  const begin = (tell: (mark: string) => void) => (tell(HOST_WORKS), tell(GUEST_RUNS), never());
  const pool = poolOf(workers({ begin }));
  await pool.load(GUEST);
  expect(await settled(pool)).toMatchObject({ ok: false, kind: 'hang' });
});

/** Lets the timers run ahead of the messages between the threads until the work is settled. */
async function inFastTime<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const settled = work();
    const state = { isDone: false };
    const done = (): void => {
      state.isDone = true;
    };
    settled.finally(done).catch(() => undefined);
    for (let minutes = 0; minutes < 20 && !state.isDone; minutes += 1) {
      for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
      await vi.advanceTimersByTimeAsync(60_000);
    }
    if (!state.isDone) throw new Error('the work has no end');
    return await settled;
  } finally {
    vi.useRealTimers();
  }
}

/** Counts the workers that were started. */
function counted(spawn: Spawn): Spawn & { made: number } {
  const counting = { made: 0, spawn: () => ((counting.made += 1), spawn.spawn()) };
  return counting;
}

it('a call that no worker begins ends after three workers, and its capability did not hang', async () => {
  const spawn = counted(workers({ begin: never }));
  const pool = poolOf(spawn);
  await pool.load(GUEST);
  const end = await inFastTime(() => settled(pool));
  expect(end).toMatchObject({ ok: false, kind: 'worker', error: { message: 'it did not answer' } });
  expect(spawn.made).toBe(3);
});

it('a call whose worker did not answer goes on in the next one', async () => {
  const pool = poolOf(workers({ begin: never }, { begin: () => DONE }));
  await pool.load(GUEST);
  expect(await inFastTime(() => settled(pool))).toMatchObject({ ok: true });
});

it('a load that no worker begins ends after three workers', async () => {
  const spawn = counted(workers({ begin: () => DONE, load: never }));
  const pool = poolOf(spawn);
  const failed = { code: 'worker_failed', details: { reason: 'it did not answer' } };
  await inFastTime(() => expect(pool.load(GUEST)).rejects.toMatchObject(failed));
  expect(spawn.made).toBe(3);
});

it('a load under which each worker ends is given up after three workers', async () => {
  const spawn = counted({
    spawn: () => {
      const { promise: ended, resolve } = deferred<WorkerEnd>();
      const load = () => (resolve({ isMemory: false, reason: 'exit code 9' }), never());
      return workers({ begin: () => DONE, load, ended }).spawn();
    },
  });
  const failed = { code: 'worker_failed', details: { reason: 'exit code 9' } };
  await expect(poolOf(spawn).load(GUEST)).rejects.toMatchObject(failed);
  expect(spawn.made).toBe(3);
});

it('a schema realm whose worker is lost did not hang', async () => {
  const { promise: ended, resolve } = deferred<WorkerEnd>();
  const callRealm = () => (resolve({ isMemory: true, reason: 'heap out of memory' }), never());
  const pool = poolOf(workers({ begin: () => DONE, callRealm, ended }));
  await pool.realms.build('r', { script: '', entries: [] } as never, CALL_LIMITS);
  const failed = { code: 'worker_failed', details: { reason: 'heap out of memory' } };
  await expect(pool.realms.call('r', 'e', '')).rejects.toMatchObject(failed);
});

it('an answer that cannot be read ends the call', async () => {
  const pool = poolOf({
    spawn: async () => {
      const { promise: port, resolve } = deferred<EventTarget>();
      const begin = async () => ((await port).dispatchEvent(new Event('messageerror')), never());
      const spawned = await workers({ begin }).spawn();
      resolve(spawned.port);
      return spawned;
    },
  });
  await pool.load(GUEST);
  expect(await settled(pool)).toMatchObject({ kind: 'worker', error: { message: 'its answer cannot be read' } });
});

/** A thread that greets with this message, in the place of the package's. */
function threadOf(name: string, greeting: string): URL {
  const file = join(folder, name);
  writeFileSync(file, `require('node:worker_threads').parentPort.postMessage(${greeting});`);
  return pathToFileURL(file);
}

it.each([
  ['another build', "{ sallyport: 'other' }", 'other'],
  ['no build', "'hello'", 'unknown'],
])('a thread of %s is told at once, and gets no capability', async (_, greeting, found) => {
  const pool = poolOf(nodeSpawn(await nodeEngine(), threadOf(`${found}.cjs`, greeting)));
  await expect(pool.load(GUEST)).rejects.toMatchObject({
    code: 'build_mismatch',
    details: { file: `${found}.cjs`, expected: BUILD, found },
    message: expect.stringContaining('deploy all files of one build together'),
  });
});

it('a call that finds only threads of another build says so, and no heap was lost', async () => {
  const engine = await nodeEngine();
  const [own, other] = [nodeSpawn(engine), nodeSpawn(engine, threadOf('late.cjs', "{ sallyport: 'other' }"))];
  let isDeployed = false;
  const pool = poolOf({ spawn: () => (isDeployed ? other : own).spawn() });
  const hang = { ...GUEST, hash: 'hang', source: 'export default () => [].indexOf.call({ length: 2 ** 53 - 1 }, 1)' };
  await Promise.all([pool.load(GUEST), pool.load(hang)]);
  isDeployed = true;
  await pool.call({ hash: 'hang', args: '{}', seed: 0, now: 0 }).settled;
  expect(await settled(pool)).toMatchObject({ ok: false, kind: 'worker', error: { name: 'build_mismatch' } });
});

const HANG = 'export default () => [].indexOf.call({ length: 2 ** 53 - 1 }, 1)';
const common = { version: '1.0.0', description: 'For a test.', effect: 'pure', args: {} } as const;
const capabilities = [
  defineCapability({ ...common, name: 'hang', source: HANG, limits: { deadlineMs: DEADLINE_MS } }),
  defineCapability({ ...common, name: 'one', source: 'export default () => 1' }),
];
const grants = capabilities.map(({ name }) => ({ capability: name, mode: 'allow' }) as const);

async function runtimeOn(pool: Pool) {
  const { schemas } = await openSandboxes();
  const kernel = makeKernel(
    { ...nodePorts, store: openMemoryStore(), sandbox: pool, schemas },
    { isolation: 'node', probes: [], store: { kind: 'memory' } },
  );
  return openClient(kernel, async () => localAuditor(openSandboxes), { capabilities, grants });
}

/** Makes these calls in a run, and returns the codes of their receipts. */
async function codesOf(runtime: Awaited<ReturnType<typeof runtimeOn>>, tools: readonly string[]) {
  const calls = tools.map((tool) => ({ next_step: { tool, arguments: {}, goal: 'g' } }));
  const run = runtime.start({
    dialect: 'xct',
    task: 't',
    model: fromScript([...calls, { done: true, message: 'ok' }]),
  });
  expect(await run.result).toMatchObject({ state: 'completed' });
  const report = await replayExport(await runtime.ledger.export(run.id));
  expect(report.checks.filter(({ status }) => status === 'fail')).toEqual([]);
  const records = await runtime.ledger.records(run.id);
  const receipts = records.flatMap(({ kind, body }) => (kind === 'receipt' ? [body as Bodies['receipt']] : []));
  return receipts.slice(0, -1).map(({ evidence }) => evidence.reason?.code ?? 'SUCCESS');
}

it('a run names what hung and what hung before, and another run may start it', async () => {
  const pool = new Pool(nodeSpawn(await nodeEngine()), { kills: { ...BROWSER_KILLS, kills: 9 } });
  open.push(pool);
  const runtime = await runtimeOn(pool);
  expect(await codesOf(runtime, ['hang', 'hang', 'one'])).toEqual(['hang_killed', 'hung_before', 'SUCCESS']);
  expect(await codesOf(runtime, ['hang', 'one'])).toEqual(['hang_killed', 'SUCCESS']);
  await runtime.close();
});

it('a run without sandboxes goes on, and its receipts say that the worker is lost', async () => {
  const threads = nodeSpawn(await nodeEngine());
  let isGone = false;
  const pool = poolOf({ spawn: () => (isGone ? Promise.reject(new Error('404')) : threads.spawn()) });
  const runtime = await runtimeOn(pool);
  isGone = true;
  expect(await codesOf(runtime, ['one', 'hang', 'one', 'one'])).toEqual([
    'SUCCESS',
    'hang_killed',
    'worker_lost',
    'worker_lost',
  ]);
  await runtime.close();
});
