import { expect, it } from 'vitest';
import { SANDBOX_POWERS } from '../../core/capability/built-in-power.ts';
import type { CallSettled } from '../../core/capability/call.ts';
import { callPowers } from '../../sandbox/index.ts';
import { load } from './guest.ts';

const kept = new Map([['old', '{"n":1}']]);
const said: string[] = [];
let ticks = 100;
const sources = {
  clock: () => ++ticks,
  random: () => 0.25,
  get: async (key: string) => kept.get(key),
  keys: async () => [...kept.keys()],
  log: (text: string) => void said.push(text),
};

async function run(
  body: string,
  from = sources,
): Promise<{ settled: CallSettled; staged: ReadonlyMap<string, string> }> {
  const loaded = await load(`export default async (args, powers) => { ${body} }`, { powers: SANDBOX_POWERS });
  const { carryOut, staged } = callPowers(from);
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

it('clock and random answer from their sources, and their calls are recorded', async () => {
  const { settled } = await run('return [await powers.clock(), await powers.clock(), await powers.random()]');
  expect(settled).toMatchObject({
    text: '[101,102,0.25]',
    powerCalls: [{ result: 101 }, { result: 102 }, { result: 0.25 }],
  });
});

it('log writes text unchanged, and values as JSON', async () => {
  await run('await powers.log("a", 1, { b: [null] }); return 1');
  expect(said).toEqual(['a 1 {"b":[null]}']);
});

it('store.get reads a kept value, and null for a key without a value', async () => {
  const { settled } = await run('return [await powers.store.get("old"), await powers.store.get("new")]');
  expect(settled).toMatchObject({ text: '[{"n":1},null]' });
});

it('store.put stages a value, which store.get reads within the call only', async () => {
  const { settled, staged } = await run('await powers.store.put("k", { b: 1, a: 2 }); return powers.store.get("k")');
  expect(settled).toMatchObject({ text: '{"a":2,"b":1}' });
  expect([...staged]).toEqual([['k', '{"a":2,"b":1}']]);
  expect(kept.has('k')).toBe(false);
  expect((await run('return powers.store.get("k")')).settled).toMatchObject({ text: 'null' });
});

it.each([
  ['store.get()', 'TypeError'],
  ['store.get(1)', 'kept_key'],
  ['store.get("")', 'kept_key'],
  ['store.get("x".repeat(257))', 'kept_key'],
  ['store.put("k")', 'TypeError'],
  ['store.put("k", "x".repeat(65535))', 'kept_value'],
  ['store.get("__proto__", 1)', 'TypeError'],
  ['clock(1)', 'TypeError'],
])('a misused built-in power rejects in the guest: %s', async (use, name) => {
  const { settled, staged } = await run(`return powers.${use}`);
  expect(settled).toMatchObject({ ok: false, kind: 'power', error: { name } });
  expect(staged.size).toBe(0);
});

it('store.put keeps a value of 65,536 bytes, and 256 keys', async () => {
  const { staged } = await run('await powers.store.put("k", "x".repeat(65534)); return 1');
  expect(staged.get('k')?.length).toBe(65_536);
  const put = (count: number) => `for (let i = 0; i < ${count}; i++) await powers.store.put('k' + i, i); return 1`;
  const all = { ...sources, keys: async () => Array.from({ length: 250 }, (_, i) => `before${i}`) };
  expect((await run(put(6), all)).settled).toMatchObject({ text: '1' });
  const over = await run(put(7), all);
  expect(over.settled).toMatchObject({ ok: false, kind: 'power', error: { name: 'kept_keys' } });
  expect(over.staged.size).toBe(6);
});

it('store.put takes __proto__ as an ordinary key', async () => {
  const { settled, staged } = await run('await powers.store.put("__proto__", 1); return powers.store.get("__proto__")');
  expect(settled).toMatchObject({ text: '1' });
  expect([...staged]).toEqual([['__proto__', '1']]);
});

it('callPowers carries out no power of another name', () => {
  expect(callPowers(sources).carryOut('fetch', '[]')).toBeUndefined();
  expect(callPowers(sources).carryOut('constructor', '[]')).toBeUndefined();
});
