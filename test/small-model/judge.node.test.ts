import { describe, expect, test } from 'vitest';
import type { Judged } from './evaluate.ts';
import { type JudgedTask, judge } from './judge.ts';
import { missCountsOf } from './misses.ts';

const done = '{"done":true,"message":"It is 6."}';

function said(tool: string, args: object): string {
  return JSON.stringify({ next_step: { tool, arguments: args, goal: 'Do it' } });
}

describe('a wanted form of an argument', () => {
  const sum: JudgedTask = {
    task: 'two threes',
    calls: [['calc.eval', { expression: { oneOf: ['2 * 3', '3 * 2'] } }]],
    says: '6',
  };
  test.each(['2 * 3', '3*2'])('accepts %s of its values', (expression) => {
    expect(judge(sum, [said('calc.eval', { expression }), done])).toMatchObject({ exactArguments: 1, whole: true });
  });
  test('refuses a value that it does not list', () => {
    expect(judge(sum, [said('calc.eval', { expression: '2 + 3' }), done])).toMatchObject({
      rightTools: 1,
      exactArguments: 0,
      whole: false,
    });
  });

  const steps: JudgedTask = {
    task: 'dough',
    calls: [['proof.simulate', { minutes_per_step: { between: [1, 60] } }]],
    says: '6',
  };
  test.each([1, 60])('accepts %i as a bound of a number', (minutes_per_step) => {
    expect(judge(steps, [said('proof.simulate', { minutes_per_step }), done]).whole).toBe(true);
  });
  test.each([0, 61, '15'])('refuses %j outside of its bounds', (minutes_per_step) => {
    expect(judge(steps, [said('proof.simulate', { minutes_per_step }), done]).whole).toBe(false);
  });
});

describe('misses of the held-out list', () => {
  const judged = (task: JudgedTask, whole: boolean): Judged => ({
    task,
    dialect: 'xct',
    proposals: ['a proposal'],
    told: [],
    verdict: { calls: 1, rightTools: 1, exactArguments: 1, whole, invalid: 0, proposals: 1 },
  });
  const one: JudgedTask = { task: 'the wording of a sum', calls: [['calc.eval', { expression: '1' }]], says: '1' };
  const unknown: JudgedTask = { task: 'the wording of a song', kind: 'decline', calls: [], says: 'can only' };
  const lines = missCountsOf([judged(one, false), judged(one, true), judged(unknown, false)]);

  test('are counted by kind and tools', () => {
    expect(lines.slice(2)).toEqual(['| one | calc.eval | 1 of 2 |', '| decline | no tool | 1 of 1 |']);
  });
  test('show no wording and no proposal', () => {
    expect(lines.join('\n')).not.toMatch(/wording|proposal/);
  });
});
