import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { CALL_LIMITS } from '../../../core/limits.ts';
import type { CallStep } from '../../../sandbox/index.ts';
import { deferred } from '../../../workers/async/deferred.ts';
import { BUILD } from '../../../workers/lock/greeting.ts';
import { serveMethods } from '../../../workers/lock/realm-port.ts';
import { nodeEngine, nodeSpawn } from '../../../workers/node/spawn.ts';
import { NODE_KILLS } from '../../../workers/sandbox/budget.ts';
import { Pool } from '../../../workers/sandbox/pool.ts';
import type { Spawn, WorkerEnd } from '../../../workers/sandbox/port.ts';
import { GUEST_RUNS, HOST_WORKS } from '../../../workers/sandbox/turn-watch.ts';

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
  readonly ended?: Promise<WorkerEnd>;
}

const DONE: CallStep = { done: true, settled: { ok: true, text: '1', fuel: 1, console: [], powerCalls: [] } };

/** Workers that begin a call as the test says. */
function workers(...each: readonly Served[]): Spawn {
  let made = 0;
  return {
    spawn: async () => {
      const { begin, load, ended } = each[Math.min(made++, each.length - 1)] as Served;
      const { port1, port2 } = new MessageChannel();
      serveMethods(port2, {
        ready: () => undefined,
        load: load ?? (() => ({ ok: true, value: { imageHash: 'x' } })),
        begin: () => begin((mark) => port2.postMessage(mark)),
        drop: () => undefined,
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
