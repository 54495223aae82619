import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../core/index.ts';
import type { ScriptedMove, ScriptMove } from '../../../web/playground/demo/moves.ts';
import { MOVES } from '../../../web/playground/demo/scenario.ts';
import { validator } from './ajv.ts';
import { capability, load, sandboxed } from './guest.ts';

type Call = Extract<ScriptMove, { kind: 'call' }>;
const calls = MOVES.filter((one): one is ScriptedMove & { move: Call } => one.move.kind === 'call');
const ran = calls.filter(({ ending }) => ending.end === 'completed' || ending.end === 'approved');
const ending = (code: string) => {
  const found = calls.find((one) => 'code' in one.ending && one.ending.code === code);
  if (found === undefined) throw new Error(`no step ends with ${code}`);
  return found.move;
};
const many = (count: number, line: (n: number) => string) => Array.from({ length: count }, (_, n) => line(n)).join('');

describe('the bakery script in the sandbox', () => {
  test.each(ran.map(({ move }) => [move.goal, move] as const))(
    'the call "%s" gives the same result in the sandbox as in its module, on a fifth of its fuel',
    async (_, { tool, args }) => {
      const settled = await sandboxed(tool, args);
      const guest = await load(capability(tool));
      expect(settled.ok && (JSON.parse(settled.text) as unknown)).toEqual(await guest(args));
      expect(validator(capability(tool).result ?? {})(JSON.parse(settled.ok ? settled.text : 'null'))).toBe(true);
      expect(settled.fuel).toBeLessThan(capability(tool).limits.fuel / 5);
    },
  );

  test('the call with an endless loop ends by fuel, at the same count each time', async () => {
    const { tool, args } = ending('fuel_exhausted');
    const [first, second] = [await sandboxed(tool, args), await sandboxed(tool, args)];
    expect(first).toMatchObject({ ok: false, kind: 'fuel' });
    expect(second).toEqual(first);
  });

  test('proof.simulate gives the same result after a call that ran out of fuel', async () => {
    const good = { mixed_at: '21:00', degrees: 18, minutes_per_step: 15 };
    const before = await sandboxed('proof.simulate', good);
    await sandboxed('proof.simulate', ending('fuel_exhausted').args);
    expect(await sandboxed('proof.simulate', good)).toEqual(before);
    expect(before).toMatchObject({ ok: true, text: '{"minutes":480,"ready_at":"05:00"}' });
  });

  test('the error of flour.forecast has the line where it crashed', async () => {
    const { tool, args } = ending('capability_threw');
    const settled = await sandboxed(tool, args);
    expect(settled).toMatchObject({
      ok: false,
      kind: 'threw',
      error: { name: 'TypeError', message: "cannot read property 'date' of null" },
    });
    const line = settled.ok ? 0 : (settled.error?.line ?? 0);
    expect(capability(tool).source.split('\n')[line - 1]).toContain('next_delivery.date');
  });
});

describe('the heaviest calls that the schemas accept', () => {
  const rows: readonly (readonly [string, string, JsonObject])[] = [
    [
      '600 different lines',
      'text.diff',
      { before: { text: many(600, (n) => `a${n}\n`) }, after: { text: many(600, (n) => `b${n}\n`) } },
    ],
    [
      '50,000 equal lines',
      'text.diff',
      { before: { text: 'a\n'.repeat(50_000) }, after: { text: 'a\n'.repeat(50_000) } },
    ],
    ['100,000 letters of two bytes', 'text.count', { text: '£'.repeat(100_000) }],
    ['15,000 numbers', 'table.describe', { text: `a\n${many(15_000, (n) => `${(n * 7919) % 15_000}\n`)}` }],
    [
      '15,000 numbers under ten conditions',
      'csv.query',
      {
        text: `a\n${many(15_000, (n) => `${n}\n`)}`,
        sum: 'a',
        where: Array.from({ length: 10 }, () => ({ column: 'a', op: 'ge', value: 0 })),
      },
    ],
    ['125 fractions', 'calc.eval', { expression: `${'1/7+'.repeat(124)}1/3` }],
    ['the coldest dough, minute by minute', 'proof.simulate', { mixed_at: '21:00', degrees: 4, minutes_per_step: 1 }],
    ['a note of 2000 lines', 'notes.put', { name: 'long', text: 'a\n'.repeat(2000) }],
    ['a common letter', 'corpus.search', { query: 'e', limit: 20 }],
    ['the longest shift', 'date.shift', { date: '2025-10-28', months: 1200, weeks: 5200, days: 36_600 }],
  ];
  test.each(rows)('a call with %s: %s succeeds, and its schema accepts the result', async (_, name, args) => {
    expect(validator(capability(name).args)(args)).toBe(true);
    const settled = await sandboxed(name, args);
    expect(settled).toMatchObject({ ok: true });
    expect(validator(capability(name).result ?? {})(JSON.parse(settled.ok ? settled.text : 'null'))).toBe(true);
  });
});
