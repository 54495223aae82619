import { describe, expect, test } from 'vitest';
import { CANONICAL_SOURCES, matchesGlobs } from '../../../core/index.ts';

describe('the canonical sources', () => {
  test.each([
    ['LAW/CANON/a.md', true],
    ['LAW/CANON/deep/a.md', false],
    ['LAW/CONTEXT/a.md', true],
    ['LAW/CONTEXT/x/y/a.md', true],
    ['SKILLS/a.md', true],
    ['SKILLS/.hidden/a.md', true],
    ['CONTRACTS/a.MD', false],
    ['contracts/a.md', false],
    ['CORTEX/db/a.sql', true],
    ['CORTEX/db/x/a.sql', true],
    ['CORTEX/a.sql', false],
    ['README.md', false],
    ['x/SKILLS/a.md', false],
    ['SKILLS', false],
    ['SKILLS/.md', true],
  ])('the canonical sources hold %s: %s', (path, isOne) => {
    expect(matchesGlobs(path, CANONICAL_SOURCES)).toBe(isOne);
  });
});

describe('a glob', () => {
  test.each([
    ['**', 'a/b', true],
    ['**/*.md', 'a.md', true],
    ['**/*.md', 'a/b/c.md', true],
    ['a/**/b/**/c', 'a/b/x/b/c', true],
    ['a/**/b/**/c', 'a/x/c', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['a*', 'a/b', false],
    ['*', '', true],
    ['[ab]', 'a', false],
    ['a**b', 'axxb', true],
  ])('the glob %s matches %j: %s', (glob, path, matches) => {
    expect(matchesGlobs(path, [glob])).toBe(matches);
  });

  test('a glob is matched without exponential time', () => {
    expect(matchesGlobs('a/'.repeat(300), [`${'**/a/'.repeat(100)}b`])).toBe(false);
    expect(matchesGlobs('a'.repeat(5000), [`${'*a'.repeat(200)}b`])).toBe(false);
  });
});
