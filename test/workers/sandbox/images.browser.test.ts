import { openDB } from 'idb';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { CALL_LIMITS, sha256Text } from '../../../core/index.ts';
import type { SourceStore } from '../../../workers/ports.ts';
import { Pool } from '../../../workers/sandbox/pool.ts';
import type { GuestCapability, PersistentSandboxPort, Spawn } from '../../../workers/sandbox/port.ts';
import { sandboxMemory } from '../../../workers/sandbox/sandbox-memory.ts';
import script from '../../../workers/sandbox/worker.ts?script';
import { openImages } from '../../../workers/store/page/caches.ts';
import { finishedWorker } from '../../finished-worker.ts';
import { engine } from '../../sandbox/guest.ts';

/** Name of the database of the current test. */
let name = '';
let tests = 0;
const source = 'const table = Array.from({ length: 99 }, (_, i) => i * i); export default ({ n }) => table[n]';
const CAPABILITY: GuestCapability = {
  hash: sha256Text(source),
  name: 'squares',
  source,
  powers: [],
  limits: CALL_LIMITS,
};

const spawn: Spawn = {
  spawn: async () => {
    const { module, wasmHash } = await engine();
    const worker = finishedWorker(script);
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ engine: { module, wasmHash }, port: port2 }, [port2]);
    return { port: port1, terminate: () => worker.terminate() };
  },
};
const NO_SOURCES: SourceStore = { keys: async () => [], add: async () => undefined, delete: async () => undefined };
const pools: Pool[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.close())));
beforeEach(() => void (name = `images-of-test-${++tests}-${Date.now()}`));

/** Sandbox of a page visit, with the number of images that it built, and of sources that it checked. */
function visit(): { readonly sandbox: PersistentSandboxPort; built(): number; checked(): number } {
  const pool = new Pool(spawn);
  pools.push(pool);
  let built = 0;
  let checks = 0;
  const counting: PersistentSandboxPort = {
    check: (capability) => {
      checks += 1;
      return pool.check(capability);
    },
    load: async (capability) => {
      const loaded = await pool.load(capability);
      if (loaded.built !== undefined) built += 1;
      return loaded;
    },
    call: (...call) => pool.call(...call),
    resume: (...call) => pool.resume(...call),
    close: () => pool.close(),
  };
  let now = 0;
  return {
    sandbox: sandboxMemory({ images: openImages(() => ++now, name), sources: NO_SOURCES })(counting),
    built: () => built,
    checked: () => checks,
  };
}

async function use({ sandbox }: ReturnType<typeof visit>): Promise<unknown> {
  const { imageHash } = await sandbox.load(CAPABILITY);
  const call = sandbox.call({ hash: CAPABILITY.hash, args: '{"n":7}', seed: 0, now: 0, heapHash: true });
  return [imageHash, await call.settled];
}

async function rows(): Promise<readonly unknown[]> {
  const db = await openDB(name, 1);
  const keys = await db.getAllKeys('images');
  db.close();
  return keys;
}

test('the source of a capability is checked on the first visit, and with its image kept it is not checked again', async () => {
  const first = visit();
  await first.sandbox.check(CAPABILITY);
  await use(first);
  await expect.poll(rows).toEqual([CAPABILITY.hash]);
  const second = visit();
  await second.sandbox.check(CAPABILITY);
  expect([first.checked(), second.checked()]).toEqual([1, 0]);
});

test('the image of a capability is built on the first visit and reused on the next, with the same calls', async () => {
  const first = visit();
  const before = await use(first);
  await expect.poll(rows).toEqual([CAPABILITY.hash]);
  const second = visit();
  expect(await use(second)).toEqual(before);
  expect([first.built(), second.built()]).toEqual([1, 0]);
});

test.each([
  ['has a byte changed', (image: { bytes: Uint8Array }) => (image.bytes[5000] = 1 ^ (image.bytes[5000] ?? 0))],
  ['lacks its runs', (image: { runs: unknown }) => (image.runs = null)],
])('a stored image that %s is built again, and the new image replaces it', async (_, harm) => {
  const before = await use(visit());
  await expect.poll(rows).toHaveLength(1);
  const db = await openDB(name, 1);
  const row = await db.get('images', CAPABILITY.hash);
  harm(row.image);
  await db.put('images', row, CAPABILITY.hash);
  const second = visit();
  expect(await use(second)).toEqual(before);
  expect(second.built()).toBe(1);
  await expect.poll(async () => (await db.get('images', CAPABILITY.hash)).image).not.toEqual(row.image);
});

test('the 32 images that were stored last are kept', async () => {
  let now = 0;
  const images = openImages(() => ++now, name);
  for (let i = 0; i < 40; i++) await images.put(String(i).padStart(2, '0'), { digest: `${i}` } as never);
  expect(await rows()).toEqual(Array.from({ length: 32 }, (_, i) => String(i + 8).padStart(2, '0')));
  expect(await images.get('00')).toBeUndefined();
  expect(await images.get('39')).toEqual({ digest: '39' });
});
