import { describe, expect, test } from 'vitest';
import { changedUnits, mayRemember, passedAfter } from '../../.scripts/check/passed.mjs';

describe('what the check remembers', () => {
  test('a file is checked when it is new or its key differs from the one that passed', () => {
    expect(changedUnits({ 'a.ts': '1', 'b.ts': '2' })).toEqual(['a.ts', 'b.ts']);
    expect(changedUnits({ 'a.ts': '1', 'b.ts': '3', 'c.ts': '4' }, { 'a.ts': '1', 'b.ts': '2' })).toEqual([
      'b.ts',
      'c.ts',
    ]);
  });

  test('a check that passed is remembered for every file that is there', () => {
    expect(passedAfter({ 'a.ts': '1' }, { 'a.ts': '1' }, true, { 'a.ts': '0', 'deleted.ts': '1' })).toEqual({
      'a.ts': '1',
    });
  });

  test('a failure is never remembered; what passed before it stays remembered', () => {
    const keys = { 'same.ts': '1', 'wrong.ts': '2', 'new.ts': '3' };
    const before = { 'same.ts': '1', 'wrong.ts': '1' };
    expect(passedAfter(keys, keys, false, before)).toEqual(before);
  });

  test('a file that changed while its check ran is not remembered', () => {
    expect(passedAfter({ 'a.ts': '1' }, { 'a.ts': '2' }, true)).toEqual({});
    expect(passedAfter({ 'a.ts': '1' }, {}, true)).toEqual({});
  });

  test('nothing is remembered with --no-cache, or with CI in the environment', () => {
    expect(mayRemember([], {})).toBe(true);
    expect(mayRemember(['--no-cache'], {})).toBe(false);
    expect(mayRemember([], { CI: 'true' })).toBe(false);
  });
});
