import { describe, expect, it } from 'vitest';
import { call, engine, load } from './guest.ts';
import { asSource, PROGRAMS } from './programs.ts';

describe('costs and results of programs in every engine', () => {
  it.each(PROGRAMS)(
    'a program costs the same fuel and gives the same result in every engine: %s',
    async (_, body, fuel, text) => {
      const capability = await load(asSource(body));
      const settled = call(capability, {}, { seed: 7, now: 1.7e12 });
      expect({ fuel: settled.fuel, text: settled.ok ? settled.text : settled.kind }).toEqual({ fuel, text });
      expect(call(capability, {}, { seed: 7, now: 1.7e12 })).toEqual(settled);
    },
  );
});

it('a heap hash covers a single call, and is given only when it is asked for', async () => {
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

it('Math.random gives the same sequence for the same seed, and another for another seed', async () => {
  const capability = await load('export default () => [Math.random(), Math.random()]');
  const draw = (seed: number) => {
    const settled = call(capability, {}, { seed });
    return settled.ok && settled.text;
  };
  const seeds = [0, 1, 2, 3, -1, 0.5, 1e300, 2 ** 31, 2 ** 32, 2 ** 52];
  expect(new Set(seeds.map(draw)).size).toBe(seeds.length);
  expect(seeds.map(draw)).toEqual(seeds.map(draw));
});

it('Math.random spreads neighbouring seeds over the whole range', async () => {
  const capability = await load('export default () => Math.random()');
  const drawn = Array.from({ length: 200 }, (_, seed) => {
    const settled = call(capability, {}, { seed });
    return settled.ok ? Number(settled.text) : NaN;
  });
  const mean = drawn.reduce((sum, x) => sum + x, 0) / drawn.length;
  expect(mean).toBeGreaterThan(0.4);
  expect(mean).toBeLessThan(0.6);
});

it('two instances make the same image of the same source', async () => {
  const source = 'export default () => 1';
  expect((await load(source)).imageHash).toBe((await load(source)).imageHash);
  expect((await load('export default () => 2')).imageHash).not.toBe((await load(source)).imageHash);
  expect((await engine()).wasmHash).toHaveLength(64);
});
