import { expect, test } from 'vitest';
import { Naming } from '../../../../../workers/bridges/models/small/copying.ts';
import type { Named } from '../../../../../workers/bridges/models/small/named.ts';
import type { Turn } from '../../../../../workers/bridges/models/small/prompt.ts';

const UNITS = { kg: ['kg', 'kilos'], lb: ['lb', 'pounds', 'pound'], pint: ['pints'], F: ['F', '°F'] };
const NAMED: Named = {
  values: { from: UNITS, to: UNITS },
  members: { days: ['days', 'day'], weeks: ['weeks', 'week'] },
  differ: [['from', 'to']],
};

const CONVERT = '{"next_step":{"tool":"unit.convert","arguments":{"value":3,"from":"';

function allows(task: string, begun: string, ...pieces: string[]): boolean {
  const naming = new Naming(NAMED, [{ kind: 'task', text: task }]);
  return pieces.every((piece, at) => naming.allows(begun + pieces.slice(0, at).join(''), piece));
}

test('a value of a choice is said only where it was named, in any case and at its number', () => {
  expect(allows('3 Pounds in kilos', CONVERT, 'l', 'b', '","to":"', 'kg', '"')).toBe(true);
  expect(allows('350F in kg', CONVERT, 'F', '"')).toBe(true);
  expect(allows('3 pounds in kilos', CONVERT, 'p')).toBe(false);
  expect(allows('3 pounds in kilos', CONVERT, 'l', '"')).toBe(false);
  expect(allows('3 compounds of 9 kg', CONVERT, 'lb')).toBe(false);
});

test('two members whose values differ do not get the same value', () => {
  expect(allows('3 pounds in kilos', CONVERT, 'lb', '","to":"', 'lb')).toBe(false);
});

test('a choice of which nothing was named is free', () => {
  expect(allows('3 stones in carats', CONVERT, 'pint', '"')).toBe(true);
  expect(allows('a while after 2026-01-01', '{"date":"2026-01-01', '","weeks":')).toBe(true);
});

test('a call has only those members of a choice that were named', () => {
  expect(allows('12 days after 2026-02-20', '{"date":"2026-02-20', '","days":')).toBe(true);
  expect(allows('12 days after 2026-02-20', '{"date":"2026-02-20', '","weeks":')).toBe(false);
  expect(allows('12 days after 2026-02-20', '{"date":"2026-02-20","', 'weeks', '":')).toBe(false);
});

test('the names of the values of a result are not told by it', () => {
  const turns = (text: string): readonly Turn[] => [
    { kind: 'task', text: '3 pounds' },
    { kind: 'result', text },
  ];
  expect(new Naming(NAMED, turns('F=3')).sayable).not.toContain('F');
  expect(new Naming(NAMED, turns('unit=F')).sayable).toContain('F');
});
