import { afterAll, describe, expect, it } from 'vitest';
import type { CallSettled } from '../../../core/capability/call.ts';
import { sha256Text } from '../../../core/hash.ts';
import { CALL_LIMITS, type CallLimits } from '../../../core/limits.ts';
import type { SallyportError } from '../../../core/sallyport-error.ts';
import { deferred } from '../../../workers/async.ts';
import { type PowerDifference, replayRecorded } from '../../../workers/auditor/verify-export.ts';
import { BROWSER_KILLS, NODE_KILLS } from '../../../workers/sandbox/call-driver.ts';
import { createSandbox, noSchemas } from '../../../workers/sandbox/create.ts';
import { Pool, type PoolOptions } from '../../../workers/sandbox/pool.ts';
import type { CallRequest, CarryOut, GuestCapability, Spawn } from '../../../workers/sandbox/port.ts';
import { HOSTILE } from '../../sandbox/hostile-programs.ts';

const ADD = 'export default ({ a, b }) => a + b';
/** Loop that never ends and fills no memory. A program that fills memory may end by itself on a fast machine. */
const LOOP = '[].indexOf.call({ length: 2 ** 53 - 1 }, 1)';
const HANG = `export default () => ${LOOP}`;
const ENDLESS = 'export default () => { for (;;); }';
/** For guests that are killed: until then they keep a core busy. */
const SHORT = { limits: { deadlineMs: 100 } };

function guest(source: string, options: { powers?: string[]; limits?: Partial<CallLimits> } = {}): GuestCapability {
  const limits = { ...CALL_LIMITS, ...options.limits };
  const powers = options.powers ?? [];
  return { hash: sha256Text(JSON.stringify([source, powers, limits])), name: 'test', source, powers, limits };
}

async function load(pool: Pool, ...capability: Parameters<typeof guest>) {
  const given = guest(...capability);
  await pool.load(given);
  return (args: unknown = {}, powers?: Parameters<Pool['call']>[1]) =>
    pool.call({ hash: given.hash, args: JSON.stringify(args), seed: 0, now: 0 }, powers);
}

/** Guest that calls two powers in turn, and changes its heap before it waits for the second answer. */
const WAITER = guest(
  `let seen = []; export default async ({ x }, powers) => {
    seen.push(await powers.first(x), Math.random());
    console.log('between', seen.length);
    seen.push(await powers.second(1), Math.random(), Date.now());
    return seen;
  }`,
  { powers: ['first', 'second'] },
);

interface Waiting {
  readonly hash: string;
  readonly call: ReturnType<Pool['call']>;
  /** Power calls of the guest so far. Resolves when the guest waits for the second answer. */
  readonly asked: Promise<readonly string[]>;
  readonly list: readonly string[];
  readonly answer: (text: string) => void;
}

async function waiter(pool: Pool): Promise<(x: number) => Waiting> {
  await pool.load(WAITER);
  return (x) => {
    const list: string[] = [];
    const asked = deferred<readonly string[]>();
    const second = deferred<string>();
    const powers: CarryOut = (name, args) => {
      list.push(`${name} ${args}`);
      if (name === 'first') return Promise.resolve('"one"');
      asked.resolve([...list]);
      return second.promise;
    };
    const call = pool.call(requestOf(x), powers);
    return { hash: WAITER.hash, call, asked: asked.promise, list, answer: second.resolve };
  };
}

function requestOf(x: number): CallRequest {
  return { hash: WAITER.hash, args: JSON.stringify({ x }), seed: x, now: 1.7e12, heapHash: true };
}

/** The same call in a worker that is not disturbed. */
async function undisturbed(pool: Pool, x: number): Promise<CallSettled> {
  return pool.call(requestOf(x), async (name) => (name === 'first' ? '"one"' : '"two"')).settled;
}

/** Expects the call to end like an undisturbed call, to the byte of its heap, with no power used twice. */
async function expectUnharmed(pool: Pool, waiting: Waiting, x: number): Promise<void> {
  waiting.answer('"two"');
  const settled = await waiting.call.settled;
  expect(settled).toMatchObject({ ok: true, heapHash: expect.any(String), console: [{ text: 'between 2' }] });
  expect(settled).toEqual(await undisturbed(pool, x));
  expect(waiting.list).toEqual([`first [${x}]`, 'second [1]']);
}

const fail = () => Promise.reject(new RangeError('no'));

const echoOrFail: CarryOut = (name, args) => (name === 'fail' ? fail() : Promise.resolve(args));

/**
 * Tests of the pool that hold in threads of Node and in workers of browsers. `ofWorkers` leaves out what no kind of
 * worker can make false: rules of the sandbox, and the second kill of the same kind.
 */
export function poolSuite(spawn: () => Promise<Spawn>, { ofWorkers = false } = {}): void {
  const open: Pool[] = [];
  afterAll(() => Promise.all(open.map((pool) => pool.close())));

  async function start(options: PoolOptions = { kills: NODE_KILLS }, workers?: Spawn): Promise<Pool> {
    const pool = new Pool(workers ?? (await spawn()), options);
    open.push(pool);
    return pool;
  }

  /** A pool for tests that kill no worker: each loads guests of its own. */
  let shared: Promise<Pool> | undefined;
  const started = () => (shared ??= start());

  describe('a call', () => {
    it('a sandbox call returns its value', async () => {
      const call = await load(await started(), ADD);
      expect(await call({ a: 20, b: 22 }).settled).toMatchObject({ ok: true, text: '42' });
    });

    it('calls of the same capability run side by side', async () => {
      const call = await load(await started(), ADD);
      const ends = await Promise.all(Array.from({ length: 20 }, (_, a) => call({ a, b: 1 }).settled));
      expect(ends.map((end) => end.ok && Number(end.text))).toEqual(Array.from({ length: 20 }, (_, a) => a + 1));
    });

    it('a call receives the results and the failures of its powers', async () => {
      const source = `export default async (args, powers) => [await powers.ask('q', 1), await powers.fail().catch((e) => e.name)]`;
      const call = await load(await started(), source, { powers: ['ask', 'fail'] });
      expect(await call({}, echoOrFail).settled).toMatchObject({
        ok: true,
        text: '[["q",1],"RangeError"]',
        powerCalls: [
          { name: 'ask', args: ['q', 1], result: ['q', 1] },
          { error: { name: 'RangeError', message: 'no' } },
        ],
      });
    });

    it('a call fails as power when its power is not provided', async () => {
      const call = await load(await started(), 'export default (args, powers) => powers.ask()', { powers: ['ask'] });
      expect(await call().settled).toMatchObject({ kind: 'power', error: { message: 'power ask is not provided' } });
    });

    it('a power may call the sandbox again', async () => {
      const pool = await started();
      const outer = await load(
        pool,
        'export default async ({ n }, powers) => n === 0 ? 0 : 1 + await powers.again(n - 1)',
        { powers: ['again'] },
      );
      const powers = async (_: string, args: string): Promise<string> => {
        const settled = await outer({ n: Number(JSON.parse(args)[0]) }, powers).settled;
        return settled.ok ? settled.text : 'null';
      };
      expect(await outer({ n: 3 }, powers).settled).toMatchObject({ ok: true, text: '3' });
    });
  });

  describe('loading', () => {
    it('loading fails with the line of a syntax error', async () => {
      const pool = await started();
      await expect(pool.load(guest('\n\nexport default ('))).rejects.toMatchObject({
        name: 'SallyportError',
        code: 'source_syntax',
        line: 3,
      });
    });

    it('loading gives the same image in every worker', async () => {
      const [one, two] = await Promise.all([started(), start()]);
      // no other test loads it
      const subtract = guest('export default ({ a, b }) => a - b');
      expect(await one.load(subtract)).toEqual(await two.load(subtract));
    });

    // of the images that a browser stores, `images.browser.test.ts` asks
    if (ofWorkers) return;

    it('loading adopts a stored image, and builds a new image when the stored image is damaged', async () => {
      const pool = await start();
      const capability = guest(ADD);
      const { imageHash, built: stored } = await pool.load(capability);
      if (stored === undefined) throw new Error('no image was built');
      const broken = { ...stored, bytes: stored.bytes.map((byte, i) => (i === 9 ? byte ^ 1 : byte)) };
      for (const kept of [stored, broken]) {
        const other = await start();
        const loaded = await other.load({
          ...capability,
          image: async () => ({ stored: kept, digest: stored.digest }),
        });
        expect([loaded.imageHash, loaded.built]).toEqual([imageHash, kept === stored ? undefined : stored]);
        const call = other.call({ hash: capability.hash, args: '{"a":1,"b":2}', seed: 0, now: 0 });
        expect(await call.settled).toMatchObject({ ok: true, text: '3' });
      }
    });
  });

  describe('a guest in a native loop', () => {
    const loops = HOSTILE.filter(([, end]) => end === 'hang');
    for (const [name, , program] of ofWorkers ? loops.slice(0, 1) : loops) {
      it(`a guest in a native loop is killed, and the spare worker goes on: ${name}`, async () => {
        const pool = await start();
        const add = await load(pool, ADD);
        await add({ a: 1, b: 1 }).settled;
        // `Array(5e7).join` runs out of memory on a fast machine.
        const end = await (await load(pool, `export default () => { ${program}; return 1 }`, SHORT))().settled;
        expect(end.ok ? 'ok' : end.kind).toMatch(/^(hang|memory)$/);
        expect(await add({ a: 2, b: 2 }).settled).toMatchObject({ ok: true, text: '4' });
      });
    }

    it('a guest that hangs is killed while it is loaded', async () => {
      const pool = await start({ kills: NODE_KILLS, loadWatchMs: 1_000 });
      const hang = guest(`${LOOP}; export default () => 1`);
      await expect(pool.load(hang)).rejects.toMatchObject({ code: 'source_limit' });
      const add = await load(pool, ADD);
      expect(await add({ a: 2, b: 2 }).settled).toMatchObject({ ok: true });
      // A spare worker is there by now, and calls go on while the second load hangs.
      const order: string[] = [];
      const again = pool
        .load({ ...hang, hash: sha256Text('again') })
        .catch((error: unknown) => order.push((error as SallyportError).code));
      expect(await add({ a: 3, b: 4 }).settled).toMatchObject({ ok: true, text: '7' });
      order.push('called');
      await again;
      expect(order).toEqual(['called', 'source_limit']);
      expect(await add({ a: 5, b: 6 }).settled).toMatchObject({ ok: true, text: '11' });
    });

    it('a guest that is killed takes no other call with it, begun or waiting', async () => {
      const pool = await start();
      const [add, hang, wait] = [await load(pool, ADD), await load(pool, HANG, SHORT), await waiter(pool)];
      const [waiting, later] = [wait(7), wait(8)];
      expect(await waiting.asked).toEqual(['first [7]', 'second [1]']);
      expect(await later.asked).toEqual(['first [8]', 'second [1]']);
      await add({ a: 1, b: 1 }).settled;
      const [hung, after] = [hang(), add({ a: 3, b: 4 })];
      expect(await hung.settled).toMatchObject({ ok: false, kind: 'hang' });
      expect(await after.settled).toMatchObject({ ok: true, text: '7' });
      await expectUnharmed(pool, waiting, 7);
      // The call lost its worker and can still be parked from the next worker.
      const parked = await later.call.park();
      if (parked === undefined) throw new Error('the call was not parked');
      const resumed = pool.resume({ hash: later.hash, parked, digest: parked.digest }, async () => '"two"');
      expect(await resumed.settled).toEqual(await undisturbed(pool, 8));
    });

    it('a guest in a loop holds up no call that begins meanwhile, although no spare worker was there', async () => {
      const pool = await start();
      const limits = { fuel: 2 ** 50, deadlineMs: 120_000 };
      const [add, loop] = [await load(pool, ADD), await load(pool, ENDLESS, { limits })];
      const first = loop();
      // The loop would end far beyond the time limit of this test.
      for (let a = 0; a < 3; a++)
        expect(await add({ a, b: 1 }).settled).toMatchObject({ ok: true, text: String(a + 1) });
      // Calls run in their order of arrival when both workers are busy and a worker becomes free.
      const [second, ...later] = [loop(), add({ a: 5, b: 5 }), add({ a: 6, b: 6 })];
      first.abort();
      expect(await Promise.all(later.map(({ settled }) => settled))).toMatchObject([{ text: '10' }, { text: '12' }]);
      second.abort();
      expect(await second.settled).toMatchObject({ ok: false, kind: 'aborted' });
      expect(await add({ a: 7, b: 7 }).settled).toMatchObject({ ok: true, text: '14' });
    });

    it('a guest in a loop holds up no load and no check that begin meanwhile', async () => {
      const pool = await start();
      const limits = { fuel: 2 ** 50, deadlineMs: 120_000 };
      const loop = await load(pool, ENDLESS, { limits });
      const first = loop();
      // By then the guest is in its loop. A spare worker is started for it only after 50 ms.
      await new Promise((resolve) => setTimeout(resolve, 10));
      const [add] = await Promise.all([load(pool, ADD), pool.check(guest(`${ADD} + 0`))]);
      expect(await add({ a: 1, b: 2 }).settled).toMatchObject({ ok: true, text: '3' });
      first.abort();
      expect(await first.settled).toMatchObject({ ok: false, kind: 'aborted' });
    });

    it('a run is charged with its own hangs: its next call waits, and other runs go on', async () => {
      const real = await spawn();
      let ended = 0;
      const counting: Spawn = {
        spawn: async () => {
          const spawned = await real.spawn();
          return { ...spawned, terminate: () => (ended++, spawned.terminate()) };
        },
      };
      const windowMs = 2_000;
      const pool = await start({ kills: { ...BROWSER_KILLS, windowMs } }, counting);
      const [one, two, add] = [guest(HANG, SHORT), guest(`${HANG} + 1`, SHORT), guest(ADD)];
      for (const each of [one, two, add]) await pool.load(each);
      const call = ({ hash }: GuestCapability, scope: string) =>
        pool.call({ hash, args: '{"a":1,"b":1}', seed: 0, now: 0, scope }).settled;
      const since = performance.now();
      expect(await call(one, 'first')).toMatchObject({ kind: 'hang' });
      expect(await call(one, 'first')).toMatchObject({ kind: 'barred' });
      expect(await call(add, 'first')).toMatchObject({ ok: true });
      expect(ended).toBe(1);
      expect(await call(two, 'first')).toMatchObject({ kind: 'hang' });
      expect(await call(add, 'second')).toMatchObject({ ok: true });
      // the other run does not wait; the charged run does, and its innocent capability runs
      const waiting = call(add, 'first');
      const stopped = pool.call({ hash: add.hash, args: '{}', seed: 0, now: 0, scope: 'first' });
      stopped.abort();
      expect(await stopped.settled).toMatchObject({ kind: 'aborted' });
      expect(await waiting).toMatchObject({ ok: true, text: '2' });
      // not before the first kill has left the window
      expect(performance.now() - since).toBeGreaterThan(windowMs);
      // a capability that hung in one run is started in the next
      expect(await call(one, 'second')).toMatchObject({ kind: 'hang' });
      expect(ended).toBe(3);
    });

    it('a call without a worker says so, and no heap was lost', async () => {
      const real = await spawn();
      let isOpen = true;
      const closing: Spawn = {
        spawn: () => (isOpen ? real.spawn() : Promise.reject(new Error('no such file'))),
      };
      const pool = await start({ kills: NODE_KILLS, spares: 0 }, closing);
      const [hang, add] = [await load(pool, HANG, SHORT), await load(pool, ADD)];
      isOpen = false;
      expect(await hang().settled).toMatchObject({ kind: 'hang' });
      expect(await add({ a: 1, b: 1 }).settled).toMatchObject({
        ok: false,
        kind: 'worker',
        error: { message: expect.stringContaining('no such file') },
      });
    });
  });

  describe('aborting', () => {
    it('a call that is aborted while its worker is busy with another call never begins', async () => {
      const pool = await start();
      const spin = await load(pool, 'export default ({ for: ever }) => { do {} while (ever); return 1 }', {
        limits: { deadlineMs: 120_000, fuel: 1e15 },
      });
      const short = await load(pool, ENDLESS, { limits: { fuel: 1e15, ...SHORT.limits } });
      const first = short();
      const second = spin({ for: true });
      second.abort();
      expect(await second.settled).toMatchObject({ ok: false, kind: 'aborted' });
      // On a busy machine the watch may fire before the answer arrives.
      const { kind } = (await first.settled) as { readonly kind: string };
      expect(['deadline', 'hang']).toContain(kind);
      expect(await spin({ for: false }).settled).toMatchObject({ ok: true, text: '1' });
    });

    it('aborting ends a call that waits for a power', async () => {
      const pool = await started();
      const call = (await load(pool, 'export default (args, powers) => powers.never()', { powers: ['never'] }))(
        {},
        () => new Promise(() => {}),
      );
      setTimeout(() => call.abort(), 50);
      expect(await call.settled).toMatchObject({ ok: false, kind: 'aborted' });
      expect(await (await load(pool, ADD))({ a: 1, b: 1 }).settled).toMatchObject({ ok: true });
    });

    it('aborting ends a running call at once for its caller', async () => {
      const pool = await start();
      const limits = { fuel: 2 ** 50, deadlineMs: 120_000 };
      const call = (await load(pool, ENDLESS, { limits }))();
      setTimeout(() => call.abort(), 50);
      expect(await call.settled).toMatchObject({ ok: false, kind: 'aborted' });
      expect(await (await load(pool, ADD))({ a: 1, b: 1 }).settled).toMatchObject({ ok: true });
    });

    it('aborting a call does not end the other calls that wait in its worker', async () => {
      const pool = await start();
      const waiting = (await waiter(pool))(9);
      await waiting.asked;
      const limits = { fuel: 2 ** 50, deadlineMs: 60_000 };
      const [add, loop] = [await load(pool, ADD), await load(pool, ENDLESS, { limits })];
      const [call, queued] = [loop(), add({ a: 1, b: 1 })];
      call.abort();
      expect(await call.settled).toMatchObject({ ok: false, kind: 'aborted' });
      expect(await queued.settled).toMatchObject({ ok: true });
      await expectUnharmed(pool, waiting, 9);
    });

    it('closing the pool aborts all calls and refuses new calls', async () => {
      const pool = await start();
      const wait = await load(pool, 'export default (args, powers) => powers.never()', { powers: ['never'] });
      const call = wait({}, () => new Promise(() => {}));
      await pool.close();
      expect(await call.settled).toMatchObject({ ok: false, kind: 'aborted' });
      expect(await wait().settled).toMatchObject({ ok: false, kind: 'aborted' });
      await expect(pool.load(guest(ADD))).rejects.toMatchObject({ code: 'sandbox_closed' });
    });
  });

  it('a call that waits is parked, and another pool resumes it', async () => {
    const source =
      'export default async ({ x }, powers) => { const a = await powers.get(x); return [a, await powers.approve(a)]; }';
    const capability = guest(source, { powers: ['get', 'approve'] });
    const [first, second] = [await start(), await start()];
    await Promise.all([first.load(capability), second.load(capability)]);
    const request = { hash: capability.hash, args: '{"x":7}', seed: 0, now: 0 };
    const asked = deferred<void>();
    const call = first.call(request, async (name, args) => {
      if (name === 'get') return args;
      asked.resolve();
      return new Promise<never>(() => {});
    });
    await asked.promise;
    const parked = await call.park();
    expect(parked?.state).toMatchObject({
      answered: [{ name: 'get', args: [7], result: [7] }],
      open: [{ ticket: 2, name: 'approve' }],
    });
    await first.close();
    if (parked === undefined) throw new Error('the call was not parked');
    const resumed = second.resume({ hash: capability.hash, parked, digest: parked.digest }, () =>
      Promise.resolve('"yes"'),
    );
    expect(await resumed.settled).toMatchObject({
      ok: true,
      text: '[[7],"yes"]',
      powerCalls: [{ name: 'get' }, { name: 'approve' }],
    });
  });

  it('a call that has ended cannot be parked', async () => {
    const call = (await load(await started(), ADD))({ a: 1, b: 2 });
    await call.settled;
    expect(await call.park()).toBeUndefined();
  });

  describe('a replay', () => {
    const SOURCE = `export default async ({ x }, powers) => {
      console.log('seen', x);
      const a = await powers.get(x).catch((e) => e.message);
      if (x === 13) throw new RangeError('unlucky');
      return [a, Math.random(), Date.now()];
    }`;
    // No clock ends these calls: only their records are compared.
    const capability = guest(SOURCE, { powers: ['get'], limits: { deadlineMs: 60_000 } });

    async function recorded(
      pool: Pool,
      x: number,
      power: CarryOut,
    ): Promise<{ request: CallRequest; settled: CallSettled }> {
      await pool.load(capability);
      const request = { hash: capability.hash, args: JSON.stringify({ x }), seed: 5, now: 1.7e12, heapHash: true };
      return { request, settled: await pool.call(request, power).settled };
    }

    it('a replay in another worker has the same value, fuel, console and heap', async () => {
      const [first, second] = [await start(), await start()];
      const { request, settled } = await recorded(first, 1, async () => '{"b":1,"a":[2]}');
      expect(settled).toMatchObject({ ok: true, heapHash: expect.any(String) });
      await second.load(capability);
      expect(await replayRecorded(second, request, settled)).toMatchObject({ status: 'same', settled });
    });

    if (ofWorkers) return;

    it('a replay repeats failures of powers and of the guest', async () => {
      const pool = await started();
      for (const x of [1, 13]) {
        const { request, settled } = await recorded(pool, x, fail);
        expect(settled).toMatchObject(x === 1 ? { ok: true } : { kind: 'threw' });
        expect(await replayRecorded(pool, request, settled)).toMatchObject({ status: 'same' });
      }
    });

    it('a replay names the part that differs from the record', async () => {
      const pool = await started();
      const { request, settled } = await recorded(pool, 1, async () => '2');
      if (!settled.ok) throw new Error('the call failed');
      const [powerCall] = settled.powerCalls;
      if (powerCall === undefined) throw new Error('no power call');
      const cases: readonly (readonly [PowerDifference, CallSettled])[] = [
        ['text', { ...settled, text: '1' }],
        ['fuel', { ...settled, fuel: settled.fuel + 1 }],
        ['console', { ...settled, console: [] }],
        ['heap', { ...settled, heapHash: '0'.repeat(64) }],
        ['power', { ...settled, powerCalls: [] }],
        ['power', { ...settled, powerCalls: [powerCall, powerCall] }],
        ['power', { ...settled, powerCalls: [{ ...powerCall, args: [2] }] }],
        ['text', { ...settled, powerCalls: [{ ...powerCall, result: 3 }] }],
        [
          'outcome',
          { ok: false, kind: 'threw', fuel: settled.fuel, console: settled.console, powerCalls: settled.powerCalls },
        ],
      ];
      for (const [what, changed] of cases)
        expect(await replayRecorded(pool, request, changed)).toMatchObject({ status: 'differs', what });
      expect(await replayRecorded(pool, { ...request, seed: 6 }, settled)).toMatchObject({ status: 'differs' });
    });

    it('a replay takes a call that the clock ended as it was recorded', async () => {
      const pool = await started();
      const settled: CallSettled = { ok: false, kind: 'hang', fuel: 0, console: [], powerCalls: [] };
      expect(await replayRecorded(pool, { hash: 'x', args: '{}', seed: 0, now: 0 }, settled)).toEqual({
        status: 'as_recorded',
        settled,
      });
    });
  });

  if (ofWorkers) return;

  describe('createSandbox', () => {
    it('createSandbox decodes results, and refuses a value that is nested too deeply', async () => {
      const sandbox = createSandbox(await started(), noSchemas);
      const echo = await sandbox.load({ name: 'echo', source: 'export default (args) => args' });
      expect(await echo.call({ z: 1, a: [null, 'é'] })).toMatchObject({ ok: true, value: { z: 1, a: [null, 'é'] } });
      const deep = await sandbox.load({
        name: 'deep',
        source: 'export default ({ n }) => { let x = 1; for (let i = 0; i < n; i++) x = [x]; return x; }',
      });
      expect(await deep.call({ n: 64 })).toMatchObject({ ok: true });
      expect(await deep.call({ n: 65 })).toMatchObject({ ok: false, kind: 'result', error: { name: 'limit_depth' } });
    });

    it('createSandbox refuses arguments that are not JSON', async () => {
      const echo = await createSandbox(await started(), noSchemas).load({
        name: 'echo',
        source: 'export default (args) => args',
      });
      for (const args of [undefined, NaN, { x: undefined }, [() => 1], '\ud800', new Date(0)]) {
        expect(await echo.call(args as never)).toMatchObject({ ok: false, kind: 'args' });
      }
    });

    it('createSandbox calls powers with the arguments of the guest, and returns their results', async () => {
      const sandbox = createSandbox(await started(), noSchemas);
      const source = 'export default async (args, powers) => [await powers.double(21), await powers.nothing()]';
      const ask = await sandbox.load({ name: 'ask', source, powers: ['double', 'nothing'] });
      const powers = { double: async (n: number) => n * 2, nothing: async () => undefined };
      expect(await ask.call({}, { powers })).toMatchObject({
        ok: true,
        value: [42, null],
        powerCalls: [{ name: 'double', args: [21], result: 42 }, {}],
      });
    });

    it('a call of createSandbox is aborted by its signal', async () => {
      const sandbox = createSandbox(await started(), noSchemas);
      const wait = await sandbox.load({
        name: 'wait',
        source: 'export default (args, powers) => powers.never()',
        powers: ['never'],
      });
      const powers = { never: () => new Promise(() => {}) };
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 30);
      expect(await wait.call({}, { powers, signal: controller.signal })).toMatchObject({ ok: false, kind: 'aborted' });
      expect(await wait.call({}, { powers, signal: AbortSignal.abort() })).toMatchObject({
        ok: false,
        kind: 'aborted',
      });
    });

    it('createSandbox without schemas refuses a capability with a schema', async () => {
      const sandbox = createSandbox(await started(), noSchemas);
      await expect(sandbox.load({ name: 'x', source: ADD, args: {} })).rejects.toMatchObject({
        code: 'schemas_unavailable',
      });
    });
  });
}
