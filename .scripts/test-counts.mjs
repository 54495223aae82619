// Counts tests in the JSON reports of Vitest and Playwright, and finds the files that took longest.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { ROOT } from './steps.mjs';

/** @typedef {{passed: number, failed: number, skipped: number}} Count */
/** @typedef {{file: string, seconds: number}} FileTime */
/** @typedef {{count: Count, files: FileTime[]}} TestCounts */

/** Sums up a folder of reports, a file for each stage. An unreadable report counts no test: its stage has failed.
 * @param {string} folder
 * @returns {Record<string, TestCounts>} */
export function readTestCounts(folder) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return Object.fromEntries(files.map((file) => [basename(file, '.json'), readReport(join(folder, file))]));
}

/** @param {string} path
 * @returns {TestCounts} */
function readReport(path) {
  try {
    return countsOf(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return { count: { passed: 0, failed: 0, skipped: 0 }, files: [] };
  }
}

/** @param {any} report of Vitest, or of Playwright, which alone has `stats`
 * @returns {TestCounts} */
export function countsOf(report) {
  return report.stats === undefined ? countsOfVitest(report) : countsOfPlaywright(report);
}

/** @param {any} report
 * @returns {TestCounts} */
function countsOfVitest(report) {
  const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests, numTodoTests, testResults } = report;
  // A file that does not even load has failed without a test of its own.
  const failed = numFailedTests === 0 ? numFailedTestSuites : numFailedTests;
  return {
    count: { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests },
    files: summed(
      testResults.map((/** @type {any} */ { name, startTime, endTime }) => ({
        file: relative(ROOT, name),
        seconds: (endTime - startTime) / 1000,
      })),
    ),
  };
}

/** @param {any} report
 * @returns {TestCounts} */
function countsOfPlaywright(report) {
  const { expected, unexpected, flaky, skipped } = report.stats;
  return {
    count: { passed: expected, failed: unexpected + flaky, skipped },
    files: summed(
      report.suites.flatMap(resultsIn).map((/** @type {any} */ { file, project, duration }) => ({
        file: `${relative(ROOT, join(report.config.rootDir, file))} (${project})`,
        seconds: duration / 1000,
      })),
    ),
  };
}

/** @param {any} suite
 * @returns {Array<{file: string, project: string, duration: number}>} */
function resultsIn({ file, specs = [], suites = [] }) {
  const own = specs.flatMap((/** @type {any} */ { tests }) =>
    tests.flatMap((/** @type {any} */ { projectName, results }) =>
      results.map((/** @type {any} */ { duration }) => ({ file, project: projectName, duration })),
    ),
  );
  return [...own, ...suites.flatMap(resultsIn)];
}

/** Sums the times of each file: a file may have several tests, and run in several engines.
 * @param {FileTime[]} times
 * @returns {FileTime[]} */
function summed(times) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { file, seconds } of times) sums.set(file, (sums.get(file) ?? 0) + seconds);
  return [...sums].map(([file, seconds]) => ({ file, seconds }));
}
