import { afterAll, expect, it } from 'vitest';
import { sha256Text } from '../../../core/hash.ts';
import { CALL_LIMITS } from '../../../core/limits.ts';
import { nodeEngine, nodeSpawn } from '../../../workers/node/platform.ts';
import { BROWSER_KILLS } from '../../../workers/sandbox/call-driver.ts';
import { Pool } from '../../../workers/sandbox/pool.ts';
import type { Spawn } from '../../../workers/sandbox/port.ts';

const engine = nodeEngine();
const LIMITS = { ...CALL_LIMITS, deadlineMs: 200, fuel: 2 ** 50 };
/** A guest with this deadline counts as hung after 350 ms. */
const TOO_LONG_MS = 900;
const NATIVE_LOOP = 'export default () => [].indexOf.call({ length: 2 ** 53 - 1 }, 1)';

const open: Pool[] = [];
afterAll(() => Promise.all(open.map((pool) => pool.close())));

async function callerOf(source: string, spawn: Spawn) {
  const pool = new Pool(spawn, { kills: BROWSER_KILLS });
  open.push(pool);
  const capability = { hash: sha256Text(source), name: 'test', source, powers: [], limits: LIMITS };
  await pool.load(capability);
  return () => pool.call({ hash: capability.hash, args: '{}', seed: 0, now: 0 }).settled;
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Holds up this thread until a guest that runs already counts as hung. */
async function holdUp(): Promise<void> {
  await later(20);
  // After this phase of the event loop, timers go before messages.
  await new Promise(setImmediate);
  const end = performance.now() + TOO_LONG_MS;
  while (performance.now() < end);
}

/** Workers that take each message only after `delay.ms`, as on a machine that is busy with other work. */
function slowToTake(real: Spawn, delay: { ms: number }): Spawn {
  return {
    spawn: async () => {
      const { port, ...spawned } = await real.spawn();
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => void later(delay.ms).then(() => port.postMessage(data));
      port.onmessage = ({ data }) => port1.postMessage(data);
      const terminate = () => {
        port1.close();
        return spawned.terminate();
      };
      return { port: port2, terminate };
    },
  };
}

it('a guest whose answer waits while the thread of its pool is held up did not hang', async () => {
  const call = await callerOf('export default () => { for (;;); }', nodeSpawn(await engine));
  const settled = call();
  await holdUp();
  expect(await settled).toMatchObject({ ok: false, kind: 'deadline' });
});

it('a guest in a native loop hangs, although the thread of its pool was held up', async () => {
  const call = await callerOf(NATIVE_LOOP, nodeSpawn(await engine));
  const settled = call();
  await holdUp();
  expect(await settled).toMatchObject({ ok: false, kind: 'hang' });
});

it('a call that its worker takes late did not hang', async () => {
  const delay = { ms: 0 };
  const call = await callerOf('export default () => 42', slowToTake(nodeSpawn(await engine), delay));
  delay.ms = TOO_LONG_MS;
  expect(await call()).toMatchObject({ ok: true, text: '42' });
});

it('a guest in a native loop hangs, although its worker took the call late', async () => {
  const delay = { ms: 0 };
  const call = await callerOf(NATIVE_LOOP, slowToTake(nodeSpawn(await engine), delay));
  delay.ms = TOO_LONG_MS;
  expect(await call()).toMatchObject({ ok: false, kind: 'hang' });
});
