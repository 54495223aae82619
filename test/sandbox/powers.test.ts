import { expect, it } from 'vitest';
import { callWith, isPristine, load } from './guest.ts';

const value = (json: string) => ({ ok: true, text: json }) as const;
const failure = (message: string, name = 'Error') => ({ ok: false, error: { name, message } }) as const;

it('a guest gets only the powers that were declared', async () => {
  const source = `export default async (args, powers) => [
    Object.keys(powers).sort(), Object.keys(powers.store), Object.getPrototypeOf(powers), Object.isFrozen(powers.store),
    typeof powers.fetch, await powers.clock(),
  ]`;
  const capability = await load(source, { powers: ['clock', 'store.get', 'store.put'] });
  const settled = callWith(capability, () => value('5'));
  expect(settled).toMatchObject({ text: '[["clock","store"],["get","put"],null,true,"undefined",5]' });
});

it('a call records each use of a power, in the order of the requests', async () => {
  const source = `export default async (args, powers) => {
    const [a, b] = await Promise.all([powers.store.get('k', { x: 1 }), powers.clock()]);
    return { a, b, c: await powers.clock() };
  }`;
  const capability = await load(source, { powers: ['store.get', 'clock'] });
  let clock = 0;
  const settled = callWith(capability, ({ name }) => value(name === 'clock' ? String(++clock) : '"v"'));
  expect(settled).toMatchObject({
    ok: true,
    text: '{"a":"v","b":1,"c":2}',
    powerCalls: [
      { name: 'store.get', args: ['k', { x: 1 }], result: 'v' },
      { name: 'clock', args: [], result: 1 },
      { name: 'clock', args: [], result: 2 },
    ],
  });
});

it.each(['"abc"', '5', '{ length: 1 }', 'undefined'])(
  'a power gets a list of arguments although the guest forges toJSON as %s',
  async (forged) => {
    const source = `export default (args, powers) => {
      Array.prototype.toJSON = Object.prototype.toJSON = () => (${forged});
      return powers.get('k', 1).then(() => 1);
    }`;
    const capability = await load(source, { powers: ['get'] });
    expect(callWith(capability, () => value('1'))).toMatchObject({ ok: true, powerCalls: [{ args: ['k', 1] }] });
  },
);

it('a guest can catch the failure of a power', async () => {
  const source = `export default async (args, powers) => {
    try { await powers.fetch('u') } catch (e) { return [e instanceof Error, e.name, e.message] }
  }`;
  const capability = await load(source, { powers: ['fetch'] });
  expect(callWith(capability, () => failure('down', 'NetworkError'))).toMatchObject({
    ok: true,
    text: '[true,"NetworkError","down"]',
    powerCalls: [{ name: 'fetch', args: ['u'], result: null, error: { name: 'NetworkError', message: 'down' } }],
  });
});

it('an uncaught failure of a power ends the call as power', async () => {
  const capability = await load('export default (args, powers) => powers.fetch()', { powers: ['fetch'] });
  expect(callWith(capability, () => failure('down'))).toMatchObject({
    kind: 'power',
    error: { name: 'Error', message: 'down' },
  });
});

it('an error that only copies the failure of a power ends the call as threw', async () => {
  const source =
    'export default async (args, powers) => { try { await powers.fetch() } catch (e) { throw new Error(e.message) } }';
  const capability = await load(source, { powers: ['fetch'] });
  expect(callWith(capability, () => failure('down'))).toMatchObject({ kind: 'threw' });
});

it('a call carries out a power asked for before the result, and waits for it', async () => {
  const capability = await load('export default (args, powers) => { powers.log("x"); return 1 }', { powers: ['log'] });
  const settled = callWith(capability, () => value('null'));
  expect(settled).toMatchObject({ ok: true, text: '1', powerCalls: [{ name: 'log', args: ['x'] }] });
});

it('a power asked for after the result is refused', async () => {
  const source = `export default (args, powers) => {
    powers.log('before').then(() => powers.log('after')).catch((e) => { globalThis.refused = e.message });
    return 1;
  }`;
  const capability = await load(source, { powers: ['log'] });
  const settled = callWith(capability, () => value('null'));
  expect(settled.powerCalls).toEqual([{ name: 'log', args: ['before'], result: null }]);
});

it('powers are answered in the order of their tickets, so that the heap is the same', async () => {
  const source = `const seen = []; export default async (args, powers) => {
    await Promise.all(['a', 'b'].map(async (k) => seen.push(await powers.get(k))));
    return seen;
  }`;
  const capability = await load(source, { powers: ['get'] });
  const guest = capability.prepare({ seed: 0, now: 0, heapHash: true });
  expect(guest.begin('{}')).toMatchObject({ done: false, requests: [{ ticket: 1 }, { ticket: 2 }] });
  expect(() => guest.resume(2, value('"second"'))).toThrow('ticket 2');
  guest.resume(1, value('"first"'));
  expect(guest.resume(2, value('"second"'))).toMatchObject({ settled: { text: '["first","second"]' } });
});

it.each([0, 2, 99, -1, 1.5])('an answer to ticket %d without an open request is refused', async (ticket) => {
  const capability = await load('export default (args, powers) => powers.get()', { powers: ['get'] });
  const guest = capability.prepare({ seed: 0, now: 0 });
  guest.begin('{}');
  expect(() => guest.resume(ticket, value('1'))).toThrow(`No open power call has ticket ${ticket}`);
  expect(guest.resume(1, value('1'))).toMatchObject({ done: true, settled: { ok: true } });
  expect(() => guest.resume(1, value('1'))).toThrow('ticket 1');
});

it.each(['{', '', '{"a":1,"a":2}', '['.repeat(100) + ']'.repeat(100)])(
  'a power that answers with malformed JSON ends the call: %s',
  async (text) => {
    const capability = await load('export default (args, powers) => powers.get()', { powers: ['get'] });
    expect(callWith(capability, () => value(text))).toMatchObject({ ok: false, kind: 'power' });
  },
);

it('bytesIn bounds the answers of powers', async () => {
  const capability = await load('export default (args, powers) => powers.get()', {
    powers: ['get'],
    limits: { bytesIn: 10 },
  });
  expect(callWith(capability, () => value('"123456"'))).toMatchObject({ ok: true });
  expect(callWith(capability, () => value('"1234567"'))).toMatchObject({ ok: false, kind: 'bytes_in' });
});

it('bytesOut bounds the arguments of powers', async () => {
  const source = 'export default async ({ n }, powers) => { await powers.put("x".repeat(n)); return 1 }';
  const capability = await load(source, { powers: ['put'], limits: { bytesOut: 15 } });
  expect(callWith(capability, () => value('null'), { n: 10 })).toMatchObject({ ok: true });
  expect(callWith(capability, () => value('null'), { n: 12 })).toMatchObject({ ok: false, kind: 'bytes_out' });
});

it('several calls of a capability can wait at the same time', async () => {
  const capability = await load('export default async ({ k }, powers) => [k, await powers.get(k)]', {
    powers: ['get'],
  });
  const calls = ['a', 'b', 'c'].map((k) => {
    const guest = capability.prepare({ seed: 0, now: 0 });
    guest.begin(JSON.stringify({ k }));
    return guest;
  });
  const ends = calls.toReversed().map((guest, i) => guest.resume(1, value(String(i))));
  expect(ends.map((end) => end.done && end.settled.ok && end.settled.text)).toEqual(['["c",0]', '["b",1]', '["a",2]']);
  expect(isPristine(capability)).toBe(true);
});

it('a call that waits ends when it is aborted', async () => {
  const capability = await load('export default (args, powers) => { console.log("asked"); return powers.get() }', {
    powers: ['get'],
  });
  const guest = capability.prepare({ seed: 0, now: 0 });
  guest.begin('{}');
  expect(guest.abort()).toMatchObject({ ok: false, kind: 'aborted', console: [{ level: 'log', text: 'asked' }] });
  expect(() => guest.resume(1, value('1'))).toThrow('ticket 1');
});

it('the deadline does not count the time in which a call waits', async () => {
  const source =
    'export default async (args, powers) => { await powers.get(); for (let i = 0; i < 2e4; i++); return 1 }';
  const capability = await load(source, { powers: ['get'], limits: { deadlineMs: 200 } });
  const guest = capability.prepare({ seed: 0, now: 0 });
  guest.begin('{}');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(guest.resume(1, value('1'))).toMatchObject({ settled: { ok: true } });
});

it.each(['__proto__.x.y.z.w', 'a b', '', 'a..b', 'é'])('loadCapability refuses the power name %j', async (name) => {
  await expect(load('export default () => 1', { powers: [name] })).rejects.toMatchObject({ code: 'name_invalid' });
});
