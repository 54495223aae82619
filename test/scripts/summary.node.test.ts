import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addUp, countIn, lineOf } from '../../.scripts/test/lines.mjs';
import { countAll, summaryOf } from '../../.scripts/test/summary.mjs';
import { countsOf } from '../../.scripts/test-counts.mjs';

type Ended = Parameters<typeof countAll>[0][number];
const ended = (name: string, state: Ended['state'], seconds = 1): Ended => ({
  stage: { name, does: '', tool: 'script', args: [] },
  state,
  seconds,
});
const tally = (passed: number, failed: number, skipped: number, ...files: [string, number][]) => ({
  count: { passed, failed, skipped },
  files: files.map(([file, seconds]) => ({ file, seconds })),
});

describe('a report of a test runner', () => {
  test('a report of Vitest is counted, with the time of each file in all engines', () => {
    const report = {
      numPassedTests: 4,
      numFailedTests: 1,
      numFailedTestSuites: 2,
      numPendingTests: 2,
      numTodoTests: 1,
      testResults: [
        { name: join(process.cwd(), 'test/a.test.ts'), startTime: 1000, endTime: 3500 },
        { name: join(process.cwd(), 'test/a.test.ts'), startTime: 2000, endTime: 3000 },
      ],
    };
    expect(countsOf(report)).toEqual(tally(4, 1, 3, ['test/a.test.ts', 3.5]));
  });

  test('a report of Vitest with a file that does not load counts the file', () => {
    const report = {
      numPassedTests: 4,
      numFailedTests: 0,
      numFailedTestSuites: 1,
      numPendingTests: 0,
      numTodoTests: 0,
      testResults: [],
    };
    expect(countsOf(report).count).toEqual({ passed: 4, failed: 1, skipped: 0 });
  });

  test('a report of Playwright is counted, with the time of each file in each project', () => {
    const spec = (projectName: string, ...durations: number[]) => ({
      tests: [{ projectName, results: durations.map((duration) => ({ duration })) }],
    });
    const report = {
      config: { rootDir: join(process.cwd(), 'e2e') },
      stats: { expected: 3, unexpected: 1, flaky: 1, skipped: 2 },
      suites: [
        {
          file: 'a.spec.ts',
          specs: [spec('chromium', 1000), spec('firefox', 4000)],
          suites: [{ file: 'a.spec.ts', specs: [spec('chromium', 500, 250)] }],
        },
      ],
    };
    expect(countsOf(report)).toEqual(
      tally(3, 2, 2, ['e2e/a.spec.ts (chromium)', 1.75], ['e2e/a.spec.ts (firefox)', 4]),
    );
  });
});

describe('the count of a run', () => {
  test('the count of a run adds up reports, and stages without a report as one each', () => {
    const stages = [
      ended('check', 'passed'),
      ended('size', 'failed'),
      ended('unit', 'failed'),
      ended('webkit', 'absent'),
    ];
    expect(countAll(stages, { unit: tally(10, 2, 1) })).toEqual({ passed: 11, failed: 3, skipped: 2 });
  });

  test('the count of a run has a failure for a stage that failed beside its tests', () => {
    expect(countAll([ended('unit', 'failed')], { unit: tally(10, 0, 0) })).toEqual({
      passed: 10,
      failed: 1,
      skipped: 0,
    });
  });
});

describe('the summary of a run', () => {
  test('the summary of a run names stages, the five slowest files, and each part left out with its reason', () => {
    const stages = [ended('check', 'passed', 12.4), ended('unit', 'passed', 60)];
    const files = [1, 2, 3, 4, 5, 6].map((seconds): [string, number] => [`test/${seconds}.node.test.ts`, seconds]);
    const left = [
      { part: 'axe', by: 'npm test -- --all' },
      { part: 'WebKit', by: 'npm test -- --all' },
      { part: 'other programs', by: 'npm run test:world' },
    ];
    expect(summaryOf(stages, { unit: tally(6, 0, 0, ...files) }, left)).toEqual([
      'Stages: check 12 s, unit 60 s',
      `Slowest: ${[6, 5, 4, 3, 2].map((n) => `unit test/${n}.node.test.ts ${n}.0 s`).join(', ')}`,
      'Left out: axe, WebKit (npm test -- --all); other programs (npm run test:world)',
      '7 passed, 0 failed',
    ]);
  });

  test('the summary of a run names the stages that failed or are absent before its last line', () => {
    expect(summaryOf([ended('build', 'failed'), ended('webkit', 'absent')], {}, [])).toEqual([
      'Stages: build 1 s, webkit 1 s',
      'Left out: webkit (not installed)',
      'Failed: build',
      '0 passed, 1 failed, 1 skipped',
    ]);
  });
});

describe('the last lines of several commands', () => {
  test('the last line of a command is read back as the counts that it was written from', () => {
    for (const count of [
      { passed: 0, failed: 0, skipped: 0 },
      { passed: 1203, failed: 2, skipped: 3 },
    ])
      expect(countIn(lineOf(count))).toEqual(count);
    expect(countIn('all went well')).toBeUndefined();
  });

  test('the last lines of several commands add up to one line', () => {
    const commands = [
      { code: 0, last: '10 passed, 0 failed, 2 skipped' },
      { code: 1, last: '3 passed, 1 failed' },
    ];
    expect(addUp(commands)).toBe('13 passed, 1 failed, 2 skipped');
  });

  test('a command that ends without its line, or fails without a failed test, adds one failure', () => {
    expect(addUp([{ code: 1, last: 'npm ci failed; see its message above.' }])).toBe('0 passed, 1 failed');
    expect(addUp([{ code: 1, last: '3 passed, 0 failed' }])).toBe('3 passed, 1 failed');
  });
});
