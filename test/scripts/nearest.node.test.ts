import { describe, expect, test } from 'vitest';
import { importsIn } from '../../.scripts/test/changed.mjs';
import { touchedTests, withinTime } from '../../.scripts/test/nearest.mjs';

const IMPORTS = new Map([
  ['core/a.ts', ['core/b.ts']],
  ['core/b.ts', ['core/a.ts']],
  ['test/a.node.test.ts', ['core/a.ts']],
  ['test/b.node.test.ts', ['core/b.ts']],
  ['test/c.node.test.ts', ['test/helper.ts']],
  ['test/helper.ts', ['core/b.ts']],
  ['test/d.node.test.ts', []],
]);
const TESTS = ['test/a.node.test.ts', 'test/b.node.test.ts', 'test/c.node.test.ts', 'test/d.node.test.ts'];

describe('the tests that a change touches', () => {
  test('the tests that a change touches reach it through imports, the nearest first', () => {
    expect(touchedTests(IMPORTS, ['core/b.ts'], TESTS)).toEqual([
      { test: 'test/b.node.test.ts', distance: 1 },
      { test: 'test/a.node.test.ts', distance: 2 },
      { test: 'test/c.node.test.ts', distance: 2 },
    ]);
  });

  test('the tests that a change touches include a changed test itself', () => {
    expect(touchedTests(IMPORTS, ['test/d.node.test.ts'], TESTS)).toEqual([
      { test: 'test/d.node.test.ts', distance: 0 },
    ]);
    expect(touchedTests(IMPORTS, ['README.md'], TESTS)).toEqual([]);
  });

  test('the tests that a change touches are cut at a time, except changed tests', () => {
    const touched = [
      { test: 'changed', distance: 0 },
      { test: 'near', distance: 1 },
      { test: 'long', distance: 2 },
      { test: 'short', distance: 3 },
    ];
    const seconds: Record<string, number> = { changed: 9, near: 3, long: 5, short: 1 };
    const secondsOf = (name: string) => seconds[name] ?? 0;
    expect(withinTime(touched, secondsOf, 13)).toEqual({ chosen: ['changed', 'near', 'short'], rest: ['long'] });
    expect(withinTime(touched, secondsOf, 4)).toEqual({ chosen: ['changed'], rest: ['near', 'long', 'short'] });
  });
});

test('imports are read in each of their forms', () => {
  const text = `
    import { a } from './a.ts';
    import type { b } from '../b.ts';
    export * from './sub/c.ts';
    import './d.ts';
    const e = await import('./e.ts');
    const f = new URL('./f.mjs', import.meta.url);
    import g from './g.js?raw';
    import { test } from 'vitest';
  `;
  expect(importsIn('test/x/y.ts', text)).toEqual([
    'test/x/a.ts',
    'test/b.ts',
    'test/x/sub/c.ts',
    'test/x/d.ts',
    'test/x/e.ts',
    'test/x/f.mjs',
    'test/x/g.js',
  ]);
});
