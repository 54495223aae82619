import { afterAll, expect, it, vi } from 'vitest';
import { CALL_LIMITS } from '../../../core/limits.ts';
import type { EngineSource } from '../../../sandbox/index.ts';
import { SCHEMA_COMPILER } from '../../../sandbox/schema/compiler.generated.ts';
import { deferred } from '../../../workers/async.ts';
import { nodeEngine } from '../../../workers/node/platform.ts';
import { Pool } from '../../../workers/sandbox/pool.ts';
import type { GuestCapability, Spawn, WorkerEnd } from '../../../workers/sandbox/port.ts';
import { realmSchemas } from '../../../workers/sandbox/schemas.ts';
import { serve } from '../../../workers/sandbox/serve.ts';

/** A heap is hashed with the numbers of its pages, and each hash begins with the first of them. */
const numbers = vi.spyOn(DataView.prototype, 'setUint32');
afterAll(() => numbers.mockRestore());

const pools: Pool[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

/** A pool with real sandboxes in the thread of the test, of which the newest can be ended. */
function sandboxes(engine: EngineSource): { readonly pool: Pool; readonly started: () => number; end(): void } {
  const ends: ((end: WorkerEnd) => void)[] = [];
  const spawn: Spawn['spawn'] = async () => {
    const { port1, port2 } = new MessageChannel();
    serve(port2, engine);
    const { promise: ended, resolve } = deferred<WorkerEnd>();
    ends.push(resolve);
    return { port: port1, terminate: () => port2.close(), ended };
  };
  const pool = new Pool({ spawn });
  pools.push(pool);
  return { pool, started: () => ends.length, end: () => ends.shift()?.({ isMemory: false, reason: 'ended' }) };
}

function guest(hash: string): GuestCapability {
  const source = `const table = Array.from({ length: 9 }, (_, i) => '${hash}' + i); export default ({ n }) => table[n]`;
  return { hash, name: 'test', source, powers: [], limits: CALL_LIMITS };
}

/** Heaps that were hashed since the last question. */
function heapsHashed(): number {
  const heaps = numbers.mock.calls.filter(([at], call) => {
    const view = numbers.mock.contexts[call];
    return at === 0 && view instanceof DataView && view.byteLength > 100_000;
  });
  numbers.mockClear();
  return heaps.length;
}

async function load(pool: Pool, hash: string) {
  const { imageHash } = await pool.load(guest(hash));
  const call = (heapHash: boolean) => pool.call({ hash, args: '{"n":7}', seed: 1, now: 2, heapHash }).settled;
  return { imageHash, call };
}

it('a capability is built and hashed once, and each worker that follows calls it on the same heap', async () => {
  const { pool, started, end } = sandboxes(await nodeEngine());
  heapsHashed();
  const first = await load(pool, 'a');
  expect(await first.call(false)).toMatchObject({ ok: true, text: '"a7"' });
  await expect.poll(started).toBe(2);
  // it is loaded in the second worker, and called in the first one
  const second = await load(pool, 'b');
  expect(await second.call(false)).toMatchObject({ ok: true, text: '"b7"' });
  expect(await load(pool, 'b')).toMatchObject({ imageHash: second.imageHash });
  expect(heapsHashed()).toBe(2);
  const before = [await first.call(true), await second.call(true)];
  expect(heapsHashed()).toBe(2);
  end();
  const after = [await first.call(true), await second.call(true)];
  expect(heapsHashed()).toBe(2);
  expect(after).toEqual(before);
});

it('a realm of schemas is built and hashed once', async () => {
  const { pool, started, end } = sandboxes(await nodeEngine());
  const schemas = realmSchemas(pool.realms, async () => ({ compiler: SCHEMA_COMPILER, checker: '' }));
  heapsHashed();
  expect(await schemas.register({ type: 'string', minLength: 3 })).toMatchObject({ ok: true });
  await load(pool, 'a').then(({ call }) => call(false));
  await expect.poll(started).toBe(2);
  end();
  expect(await schemas.register({ type: 'string', minLength: 4 })).toMatchObject({ ok: true });
  expect(heapsHashed()).toBe(2);
});
