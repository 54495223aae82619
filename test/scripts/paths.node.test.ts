import { describe, expect, test } from 'vitest';
import { listTests, selectTests, sortTests } from '../../.scripts/test/paths.mjs';

const TESTS = [
  'e2e/axe.spec.ts',
  'e2e/world/server.spec.ts',
  'test/core/a.test.ts',
  'test/core/b.node.test.ts',
  'test/corex.node.test.ts',
  'test/long/d.process.test.ts',
  'test/web/c.browser.test.ts',
];
const select = (...paths: string[]) => selectTests(paths, TESTS, (path) => path.startsWith('core'));

describe('a path of npm test', () => {
  test('a path of npm test chooses the runners that its tests need', () => {
    expect(sortTests(TESTS)).toEqual({
      unit: [
        'test/core/a.test.ts',
        'test/core/b.node.test.ts',
        'test/corex.node.test.ts',
        'test/long/d.process.test.ts',
      ],
      browser: ['test/core/a.test.ts', 'test/web/c.browser.test.ts'],
      e2e: ['e2e/axe.spec.ts'],
      world: ['e2e/world/server.spec.ts'],
    });
  });

  test('a path of npm test is a file or a whole folder, and each test is chosen once', () => {
    const core = {
      unit: ['test/core/a.test.ts', 'test/core/b.node.test.ts'],
      browser: ['test/core/a.test.ts'],
      e2e: [],
      world: [],
    };
    expect(select('test/core')).toEqual({ tests: core });
    expect(select('./test/core/', 'test/core/a.test.ts')).toEqual({ tests: core });
    expect(select('.')).toEqual({ tests: sortTests(TESTS) });
  });

  test('a path of npm test may name a line', () => {
    expect(select('test/core/a.test.ts:12')).toEqual({
      tests: { unit: ['test/core/a.test.ts:12'], browser: ['test/core/a.test.ts:12'], e2e: [], world: [] },
    });
  });

  test('a path of npm test is refused when it does not exist or holds no tests', () => {
    expect(select('test/core', 'test/nope.node.test.ts')).toEqual({
      fault: 'test/nope.node.test.ts does not exist. Name files or folders below test/ or e2e/.',
    });
    expect(select('core/json')).toMatchObject({
      fault: expect.stringMatching(/^core\/json holds no tests\. .+test:quick/),
    });
  });

  test('listTests finds this file among the tests of the repository', () => {
    expect(sortTests(listTests()).unit).toContain('test/scripts/paths.node.test.ts');
    expect(sortTests(listTests()).browser).not.toContain('test/scripts/paths.node.test.ts');
  });
});
