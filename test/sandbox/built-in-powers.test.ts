import { expect, it } from 'vitest';
import type { CallSettled } from '../../core/index.ts';
import { BUILT_IN_POWERS, callPowers } from '../../sandbox/index.ts';
import { load } from './guest.ts';

const kept = new Map([['old', '{"n":1}']]);
const said: string[] = [];
let ticks = 100;
const sources = {
  clock: () => ++ticks,
  random: () => 0.25,
  get: async (key: string) => kept.get(key),
  log: (text: string) => void said.push(text),
};

async function run(body: string): Promise<{ settled: CallSettled; staged: ReadonlyMap<string, string> }> {
  const loaded = await load(`export default async (args, powers) => { ${body} }`, { powers: BUILT_IN_POWERS });
  const { carryOut, staged } = callPowers(sources);
  const call = loaded.prepare({ seed: 0, now: 0 });
  let step = call.begin('{}');
  while (!step.done) {
    const [request] = call.open;
    if (request === undefined) throw new Error('waits for nothing');
    try {
      const text = await carryOut(request.name, request.args);
      step = call.resume(request.ticket, { ok: true, text: text ?? 'null' });
    } catch (error) {
      const { name, message } = error as Error;
      step = call.resume(request.ticket, { ok: false, error: { name, message } });
    }
  }
  return { settled: step.settled, staged };
}

it('tells the time and a random number, and records them', async () => {
  const { settled } = await run('return [await powers.clock(), await powers.clock(), await powers.random()]');
  expect(settled).toMatchObject({
    text: '[101,102,0.25]',
    powerCalls: [{ result: 101 }, { result: 102 }, { result: 0.25 }],
  });
});

it('logs text as it is, and values as JSON', async () => {
  await run('await powers.log("a", 1, { b: [null] }); return 1');
  expect(said).toEqual(['a 1 {"b":[null]}']);
});

it('reads what was kept, and null for what was not', async () => {
  const { settled } = await run('return [await powers.store.get("old"), await powers.store.get("new")]');
  expect(settled).toMatchObject({ text: '[{"n":1},null]' });
});

it('stages what is put, and reads it back within the call only', async () => {
  const { settled, staged } = await run('await powers.store.put("k", { b: 1, a: 2 }); return powers.store.get("k")');
  expect(settled).toMatchObject({ text: '{"a":2,"b":1}' });
  expect([...staged]).toEqual([['k', '{"a":2,"b":1}']]);
  expect(kept.has('k')).toBe(false);
  expect((await run('return powers.store.get("k")')).settled).toMatchObject({ text: 'null' });
});

it.each([
  'store.get()',
  'store.get(1)',
  'store.get("")',
  'store.get("x".repeat(257))',
  'store.put("k")',
  'store.get("__proto__", 1)',
  'clock(1)',
])('tells the guest that it misuses a power: %s', async (use) => {
  const { settled, staged } = await run(`return powers.${use}`);
  expect(settled).toMatchObject({ ok: false, kind: 'power', error: { name: 'TypeError' } });
  expect(staged.size).toBe(0);
});

it('takes __proto__ for a key like any other', async () => {
  const { settled, staged } = await run('await powers.store.put("__proto__", 1); return powers.store.get("__proto__")');
  expect(settled).toMatchObject({ text: '1' });
  expect([...staged]).toEqual([['__proto__', '1']]);
});

it('leaves other names to others', () => {
  expect(callPowers(sources).carryOut('fetch', '[]')).toBeUndefined();
  expect(callPowers(sources).carryOut('constructor', '[]')).toBeUndefined();
});
