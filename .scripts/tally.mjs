// Counts tests in the JSON reports of Vitest and Playwright.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** @typedef {{passed: number, failed: number, skipped: number}} Count */

/** Sums up a folder of reports, one file a step.
 * @param {string} folder
 * @returns {Record<string, Count>} */
export function readTally(folder) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return Object.fromEntries(
    files.map((file) => [basename(file, '.json'), count(JSON.parse(readFileSync(join(folder, file), 'utf8')))]),
  );
}

/** @param {any} report
 * @returns {Count} */
function count(report) {
  if (report.stats !== undefined) {
    const { expected, unexpected, flaky, skipped } = report.stats;
    return { passed: expected, failed: unexpected + flaky, skipped };
  }
  const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests, numTodoTests } = report;
  // A file that does not even load has failed without a test of its own.
  const failed = numFailedTests === 0 ? numFailedTestSuites : numFailedTests;
  return { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests };
}
