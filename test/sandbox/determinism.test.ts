import { describe, expect, it } from 'vitest';
import { call, engine, load } from './guest.ts';

/**
 * What these programs cost and yield. The same numbers in every engine, in every time zone, in every process: this file
 * runs in Node, Chromium and Firefox.
 */
const PROGRAMS: readonly (readonly [name: string, source: string, fuel: number, text: string])[] = [
  ['a loop', 'let s = 0; for (let i = 0; i < 1e5; i++) s += i; return s', 200034, '4999950000'],
  ['calls', 'const f = (x) => x + 1; let s = 0; for (let i = 0; i < 1e5; i++) s = f(s); return s', 300034, '100000'],
  ['sorting', 'return Array.from({ length: 2e4 }, (_, i) => (i * 7919) % 20011).sort((a, b) => a - b)[7]', 319850, '7'],
  ['a regular expression', "return /^(a+)+$/.test('a'.repeat(18) + 'b')", 520036, 'false'],
  ['JSON', "return JSON.stringify(JSON.parse('[' + '1,'.repeat(2e4) + '1]')).length", 36, '40003'],
  [
    'strings',
    "let s = ''; for (let i = 0; i < 1e4; i++) s += String.fromCharCode(97 + (i % 26)); return s.length",
    30034,
    '10000',
  ],
  ['maps', 'const m = new Map(); for (let i = 0; i < 1e4; i++) m.set({}, i); return m.size', 30036, '10000'],
  ['promises', 'let s = 0; for (let i = 0; i < 3000; i++) s += await i; return s', 21034, '4498500'],
  [
    'numbers',
    'return [0.1 + 0.2, Math.sin(1), Math.pow(2, 0.5), (1e21).toString(36), NaN, -0]',
    36,
    '[0.30000000000000004,0.8414709848078965,1.4142135623730951,"5v1j4f4ds7a000",null,0]',
  ],
  ['chance', 'return [Math.random(), Math.random()]', 35, '[0.5020617100322515,0.4872525064377009]'],
  [
    'time',
    'return [Date.now(), new Date().toString(), new Date(2026, 5, 15, 12).getTimezoneOffset(), new Date(0).toLocaleString()]',
    40,
    '[1700000000000,"Tue Nov 14 2023 22:13:20 GMT+0000",0,"01/01/1970, 12:00:00 AM"]',
  ],
  ['order', 'return Object.keys({ b: 1, a: 2, 1: 3, [Symbol.iterator]: 4 })', 34, '["1","b","a"]'],
  [
    'locale',
    "return ['ä', 'z', 'a'].sort((a, b) => a.localeCompare(b)).concat((1234.5).toLocaleString(), 'I'.toLocaleLowerCase('tr'))",
    45,
    '["a","z","ä","1234.5","i"]',
  ],
];
/** Heap of a fixed source, before any call and as one call left it. */
const IMAGE = '792d34615c7b818941ebb532ed499bffd8c520a417f89a56c488994b7a432053';
const HEAP = '0c48fd4aa985ba7f90ca8a6f911fb2dd8b432e03f7c2148ef3946a5da58b436a';

const asSource = (body: string) => `export default async () => { ${body} }`;

describe('costs and yields the same everywhere', () => {
  it.each(PROGRAMS)('%s', async (_, body, fuel, text) => {
    const capability = await load(asSource(body));
    const settled = call(capability, {}, { seed: 7, now: 1.7e12 });
    expect({ fuel: settled.fuel, text: settled.ok ? settled.text : settled.kind }).toEqual({ fuel, text });
    expect(call(capability, {}, { seed: 7, now: 1.7e12 })).toEqual(settled);
  });
});

it('has the same heap everywhere, before and after a call', async () => {
  const source =
    'const table = new Map(); export default ({ n }) => { for (let i = 0; i < n; i++) table.set(i, `${i}`); return n; }';
  const capability = await load(source);
  const settled = call(capability, { n: 500 }, { heapHash: true });
  expect({ image: capability.imageHash, heap: settled.ok && settled.heapHash }).toEqual({ image: IMAGE, heap: HEAP });
});

it('hashes the heap of each call, and of nothing else', async () => {
  const capability = await load('export default ({ n }) => { globalThis.left = "x".repeat(n); return 1; }');
  const hash = (n: number) => {
    const settled = call(capability, { n }, { heapHash: true });
    return settled.ok && settled.heapHash;
  };
  expect(hash(1)).not.toBe(hash(2));
  expect(hash(1)).toBe(hash(1));
  call(capability, { n: 1e6 });
  expect(hash(1)).toBe(hash(1));
  expect(call(capability)).not.toHaveProperty('heapHash');
});

it('gives another seed another sequence, and the same seed the same', async () => {
  const capability = await load('export default () => [Math.random(), Math.random()]');
  const draw = (seed: number) => {
    const settled = call(capability, {}, { seed });
    return settled.ok && settled.text;
  };
  const seeds = [0, 1, 2, 3, -1, 0.5, 1e300, 2 ** 31, 2 ** 32, 2 ** 52];
  expect(new Set(seeds.map(draw)).size).toBe(seeds.length);
  expect(seeds.map(draw)).toEqual(seeds.map(draw));
});

it('spreads neighbouring seeds over the whole range', async () => {
  const capability = await load('export default () => Math.random()');
  const drawn = Array.from({ length: 200 }, (_, seed) => {
    const settled = call(capability, {}, { seed });
    return settled.ok ? Number(settled.text) : NaN;
  });
  const mean = drawn.reduce((sum, x) => sum + x, 0) / drawn.length;
  expect(mean).toBeGreaterThan(0.4);
  expect(mean).toBeLessThan(0.6);
});

it('makes the same image in instances of their own', async () => {
  const source = 'export default () => 1';
  expect((await load(source)).imageHash).toBe((await load(source)).imageHash);
  expect((await load('export default () => 2')).imageHash).not.toBe((await load(source)).imageHash);
  expect((await engine()).wasmHash).toHaveLength(64);
});
