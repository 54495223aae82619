import { expect, it } from 'vitest';
import { PARKED_BYTES } from '../../core/limits.ts';
import type { Call, ParkedCall } from '../../sandbox/index.ts';
import { load } from './guest.ts';

const SOURCE = `let steps = 0; export default async ({ x }, powers) => {
  const local = [x]; steps += 1; console.log('first', Math.random());
  local.push(await powers.read('a')); steps += 1;
  local.push(await powers.approve(local)); steps += 1;
  console.log('last', Math.random());
  return { local, steps };
}`;
const OPTIONS = { powers: ['read', 'approve'] };
const INPUT = { seed: 3, now: 1.7e12, heapHash: true };

async function parked(): Promise<ParkedCall> {
  const call = (await load(SOURCE, OPTIONS)).prepare(INPUT);
  call.begin('{"x":1}');
  call.resume(1, { ok: true, text: '2' });
  return structuredClone(takenOut(call));
}

function takenOut(call: Call): ParkedCall {
  const kept = call.park();
  if (kept === undefined) throw new Error('it is too much to be kept');
  return kept;
}

it('a parked call goes on in another instance with the same result as a call that was not parked', async () => {
  const straight = (await load(SOURCE, OPTIONS)).prepare(INPUT);
  straight.begin('{"x":1}');
  straight.resume(1, { ok: true, text: '2' });
  const expected = straight.resume(2, { ok: true, text: '3' });

  const kept = await parked();
  const call = (await load(SOURCE, OPTIONS)).unpark(kept, kept.digest);
  expect(call.open).toEqual([{ ticket: 2, name: 'approve', args: '[[1,2]]' }]);
  const end = call.resume(2, { ok: true, text: '3' });
  expect(end).toMatchObject({ settled: { ok: true, text: '{"local":[1,2,3],"steps":3}' } });
  // The result includes fuel, console, power calls and the hash of the heap.
  expect(end).toEqual(expected);
});

it('a parked call takes fewer than 24 pages', async () => {
  const kept = await parked();
  expect(kept.pages.length).toBeLessThan(24);
});

it('a call whose heap is too large to keep stays in its instance and goes on there', async () => {
  const fill = (megabytes: number) => `export default async (_, powers) => {
    const bytes = new Uint8Array(${megabytes} << 20).fill(7); await powers.read('a'); return bytes.length; }`;
  for (const [megabytes, isKept] of [
    [3, true],
    [5, false],
  ] as const) {
    const capability = await load(fill(megabytes), OPTIONS);
    const call = capability.prepare(INPUT);
    call.begin('{}');
    const kept = call.park();
    expect(kept !== undefined).toBe(isKept);
    if (kept !== undefined) expect(kept.bytes.length).toBeLessThanOrEqual(PARKED_BYTES);
    const goneOn = kept === undefined ? call : capability.unpark(kept, kept.digest);
    expect(goneOn.resume(1, { ok: true, text: '1' })).toMatchObject({ settled: { text: String(megabytes << 20) } });
  }
});

it('a parked call is data that survives JSON, except its bytes', async () => {
  const { bytes, ...rest } = await parked();
  expect(JSON.parse(JSON.stringify(rest))).toEqual(rest);
  expect(bytes.length).toBe(rest.pages.length * 4096);
});

it('a parked call does not hold up other calls', async () => {
  const capability = await load(SOURCE, OPTIONS);
  const first = capability.prepare(INPUT);
  first.begin('{"x":1}');
  const kept = takenOut(first);
  const second = capability.prepare(INPUT);
  second.begin('{"x":5}');
  expect(second.resume(1, { ok: true, text: '6' })).toMatchObject({ requests: [{ args: '[[5,6]]' }] });
  expect(capability.unpark(kept, kept.digest).resume(1, { ok: true, text: '2' })).toMatchObject({
    requests: [{ args: '[[1,2]]' }],
  });
});

it('a parked call with any change is refused', async () => {
  const kept = await parked();
  const capability = await load(SOURCE, OPTIONS);
  const changed: ParkedCall[] = [
    { ...kept, bytes: kept.bytes.map((byte, i) => (i === 5000 ? byte ^ 1 : byte)) },
    { ...kept, bytes: kept.bytes.slice(4096) },
    { ...kept, pages: kept.pages.map((page) => page + 1) },
    { ...kept, pages: kept.pages.slice(1) },
    { ...kept, state: { ...kept.state, fuel: 0 } },
    { ...kept, state: { ...kept.state, open: [] } },
    { ...kept, state: { ...kept.state, limits: { ...kept.state.limits, fuel: 1e12 } } },
    { ...kept, imageHash: '0'.repeat(64) },
    { ...kept, wasmHash: '0'.repeat(64) },
    { ...kept, memoryPages: 60_000 },
  ];
  for (const other of changed) expect(() => capability.unpark(other, kept.digest)).toThrow('is refused');
  expect(() => capability.unpark(kept, '0'.repeat(64))).toThrow('is refused');
});

it('a parked call is refused in the realm of another source', async () => {
  const kept = await parked();
  const other = await load('export default async (args, powers) => powers.read()', OPTIONS);
  expect(() => other.unpark(kept, kept.digest)).toThrow('another image');
});

it('a call that does not wait cannot be parked', async () => {
  const call = (await load('export default () => 1')).prepare(INPUT);
  call.begin('{}');
  expect(() => call.park()).toThrow('does not wait');
});
