import { spawnSync } from 'node:child_process';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LONG, type Part, partsOfPaths, touchedSuites } from '../../.scripts/test/parts.mjs';
import { runParts } from '../../.scripts/test/run.mjs';

const TESTS = [
  'e2e/audit.spec.ts',
  'e2e/world/server.spec.ts',
  'test/core/a.test.ts',
  'test/core/b.node.test.ts',
  'test/corex.node.test.ts',
  'test/long/d.process.test.ts',
  'test/web/c.browser.test.ts',
];

describe('a path of npm test', () => {
  const filesOf = (...paths: string[]) => {
    const found = partsOfPaths(paths, TESTS);
    if ('fault' in found) return found.fault;
    return found.parts.map(({ name, args }) => [name, ...args.filter((arg) => /^(e2e|test)\//.test(arg))]);
  };

  test('a path is a file, a file with its line or a whole folder, and its tests run in the runners that they need', () => {
    const core = [
      ['unit', 'test/core/a.test.ts', 'test/core/b.node.test.ts'],
      ['browser', 'test/core/a.test.ts'],
    ];
    expect(filesOf('test/core')).toEqual(core);
    expect(filesOf('./test/core/', 'test/core/a.test.ts')).toEqual(core);
    expect(filesOf('test/web/c.browser.test.ts:12')).toEqual([['browser', 'test/web/c.browser.test.ts:12']]);
    expect(filesOf('test/long', 'e2e')).toEqual([
      ['unit', 'test/long/d.process.test.ts'],
      ['stories', 'e2e/audit\\.spec\\.ts'],
      ['world', 'e2e/world/playwright.config.ts', 'e2e/world/server\\.spec\\.ts'],
    ]);
  });

  test('a path without tests is named', () => {
    expect(filesOf('test/core', 'core/json')).toContain('core/json holds no tests.');
  });
});

describe('the suites of outside programs', () => {
  test('a suite runs where its folder changes, and no other', () => {
    expect(touchedSuites(['workers/store/sqlite/store.ts'])).toEqual(['e2e/world/sqlite.spec.ts']);
    expect(touchedSuites(['core/json/decode.ts', 'web/docs/sqlite.md'])).toEqual([]);
  });

  test('a changed lockfile touches the shortest suites that fit into the time', () => {
    const touched = touchedSuites(['package-lock.json']);
    expect(touched.length).toBeGreaterThan(1);
    expect(touchedSuites(['package-lock.json', 'workers/store/sqlite/store.ts'])).toEqual(touched);
  });
});

describe('the parts of a run', () => {
  const exits = (name: string, code: number, more: Partial<Part> = {}): Part => ({
    name,
    tool: 'script',
    args: ['-e', `process.exit(${code})`],
    ...more,
  });
  async function last(...parts: Part[]) {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    onTestFinished(() => log.mockRestore());
    const code = await runParts(parts);
    return [code, String(log.mock.calls.at(-1)?.[0])];
  }

  test('every part runs, also behind a part that failed, and the last line counts them', async () => {
    expect(await last(exits('one', 1), exits('two', 0), exits('three', 0))).toEqual([
      1,
      '2 passed, 1 failed, 0 skipped',
    ]);
    expect(await last(exits('one', 0))).toEqual([0, '1 passed, 0 failed, 0 skipped']);
  });

  test('a part whose program is absent is skipped, and only if it may be absent', async () => {
    expect(await last(exits('webkit', 2, { mayBeAbsent: true }))).toEqual([0, '0 passed, 0 failed, 1 skipped']);
    expect(await last(exits('webkit', 2))).toEqual([1, '0 passed, 1 failed, 0 skipped']);
  });

  test('a runner that ends without its report counts as a failure, whatever its exit code', async () => {
    const nothing: Part = { name: 'stories', tool: 'playwright', args: ['--help'] };
    expect(await last(nothing)).toEqual([1, '0 passed, 1 failed, 0 skipped']);
  });
});

test('test:long lists its parts in its help and for an unknown part, and says how long a part takes', () => {
  const long = (...words: string[]) =>
    spawnSync(process.execPath, ['.scripts/test-long.mjs', ...words], { encoding: 'utf8' });
  const help = long('--help').stdout;
  for (const name of Object.keys(LONG)) expect(help).toMatch(new RegExp(`^ {2}${name} +\\d+ min `, 'm'));
  expect(long('nonesuch')).toMatchObject({ status: 2, stderr: expect.stringContaining(help.trim()) as string });
  expect(long('soak', '--help').stderr).toMatch(/^test:long soak: about \d+ minutes on two cores\n/);
});
