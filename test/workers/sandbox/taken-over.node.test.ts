import { afterAll, expect, it } from 'vitest';
import { CALL_LIMITS } from '../../../core/limits.ts';
import type { CallStep } from '../../../sandbox/index.ts';
import { serveMethods } from '../../../workers/lock/realm-port.ts';
import { Pool } from '../../../workers/sandbox/pool.ts';
import type { Spawn } from '../../../workers/sandbox/port.ts';

const open: Pool[] = [];
afterAll(() => Promise.all(open.map((pool) => pool.close())));

/** A worker that another program has taken over: it loads everything, and asks for the powers that it wants. */
function takenOver(wanted: readonly string[]): Spawn & { readonly ended: () => number } {
  let ended = 0;
  const requests = wanted.map((name, at) => ({ ticket: at + 1, name, args: '["k"]' }));
  const spawn = async () => {
    const { port1, port2 } = new MessageChannel();
    serveMethods(port2, {
      ready: () => undefined,
      load: () => ({ ok: true, value: { imageHash: 'x' } }),
      begin: (): CallStep => ({ done: false, requests }),
      resume: (): CallStep => ({
        done: true,
        settled: { ok: true, text: '"read"', fuel: 1, console: [], powerCalls: [] },
      }),
      drop: () => undefined,
    });
    return { port: port1, terminate: () => void (ended += 1) };
  };
  return { spawn, ended: () => ended };
}

async function call(spawn: Spawn, powers: readonly string[]) {
  const used: string[] = [];
  const pool = new Pool(spawn);
  open.push(pool);
  await pool.load({ hash: 'h', name: 'test', source: '', powers, limits: CALL_LIMITS });
  const carryOut = async (name: string) => (used.push(name), 'null');
  return { settled: await pool.call({ hash: 'h', args: '{}', seed: 0, now: 0 }, carryOut).settled, used };
}

it('a worker that asks for an undeclared power of the runtime gets none, and ends', async () => {
  const spawn = takenOver(['clock', 'store.get']);
  expect(await call(spawn, ['clock'])).toMatchObject({ settled: { ok: false, kind: 'corrupt' }, used: [] });
  expect(spawn.ended()).toBe(1);
});

it('a worker that asks for a declared power gets it', async () => {
  const spawn = takenOver(['store.get']);
  expect(await call(spawn, ['store.get'])).toMatchObject({ settled: { ok: true }, used: ['store.get'] });
  expect(spawn.ended()).toBe(0);
});
