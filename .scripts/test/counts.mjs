// Counts the tests in a JSON report of Vitest or of Playwright, and finds the files that took longest.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from '../steps.mjs';

/** @typedef {{passed: number, failed: number, skipped: number}} Count */
/** @typedef {{file: string, seconds: number}} FileTime */
/** @typedef {{count: Count, files: FileTime[]}} TestCounts */

/** The tests of a report; undefined where there is no report, or none that can be read.
 * @param {string} path
 * @returns {TestCounts | undefined} */
export function readReport(path) {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    return report.stats === undefined ? ofVitest(report) : ofPlaywright(report);
  } catch {
    return undefined;
  }
}

/** The last line of a command that runs tests.
 * @param {Count} count */
export function lineOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** @param {any} report
 * @returns {TestCounts} */
function ofVitest({ numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests, numTodoTests, testResults }) {
  // A file that does not even load has failed without a test of its own.
  const failed = numFailedTests === 0 ? numFailedTestSuites : numFailedTests;
  return {
    count: { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests },
    files: testResults.map((/** @type {any} */ { name, startTime, endTime }) => ({
      file: relative(ROOT, name),
      seconds: (endTime - startTime) / 1000,
    })),
  };
}

/** @param {any} report
 * @returns {TestCounts} */
function ofPlaywright({ stats: { expected, unexpected, flaky, skipped }, suites, errors, config }) {
  return {
    count: { passed: expected, failed: Math.max(unexpected + flaky, Math.min(errors.length, 1)), skipped },
    files: suites.flatMap(timesIn).map((/** @type {FileTime} */ { file, seconds }) => ({
      file: relative(ROOT, join(config.rootDir, file)),
      seconds,
    })),
  };
}

/** @param {any} suite
 * @returns {FileTime[]} a member for each test */
function timesIn({ file, specs = [], suites = [] }) {
  const results = specs.flatMap((/** @type {any} */ { tests }) => tests.flatMap((/** @type {any} */ t) => t.results));
  return [
    ...results.map((/** @type {any} */ { duration }) => ({ file, seconds: duration / 1000 })),
    ...suites.flatMap(timesIn),
  ];
}
