import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toolNames } from '../../../../workers/bridges/models/tool-names.ts';

const NAMES = ['a.b', 'a_b', 'a_b_2', '1.x', '-', '.'];

describe('the names of tools at a server', () => {
  test('a name that servers take stays, and every other name gets one of its own', () => {
    const names = toolNames(NAMES);
    expect(NAMES.map(names.theirs)).toEqual(['a_b_3', 'a_b', 'a_b_2', '_1_x', '_-', '_']);
    expect(NAMES.map(names.theirs).map(names.ours)).toEqual(NAMES);
  });

  test('a name that was not offered is unchanged', () => {
    const names = toolNames(['a.b']);
    expect([names.ours('rm'), names.theirs('c.d')]).toEqual(['rm', 'c_d']);
  });

  test('all names of capabilities go there and come back', () => {
    const name = fc.stringMatching(/^[._ab1-]{1,64}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 40 }), (all) => {
        const names = toolNames(all);
        const theirs = all.map(names.theirs);
        expect(new Set(theirs).size).toBe(all.length);
        for (const each of theirs) expect(each).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
        expect(theirs.map(names.ours)).toEqual(all);
      }),
    );
  });
});
