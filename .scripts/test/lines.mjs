// The last line of a command that runs tests, written and read.

/** @typedef {import('../test-counts.mjs').Count} Count */

/** @param {Count} count */
export function lineOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** @param {string} line
 * @returns {Count | undefined} */
export function countIn(line) {
  const [, passed, failed, skipped = '0'] = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(line.trim()) ?? [];
  if (passed === undefined) return undefined;
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}

/** A single line for several commands. A command that ended without its line, or failed without a failed test, counts
 * as a failure.
 * @param {Array<{code: number, last: string}>} commands
 * @returns {string} */
export function addUp(commands) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const { code, last } of commands) {
    const { passed, failed, skipped } = countIn(last) ?? { passed: 0, failed: 1, skipped: 0 };
    sum.passed += passed;
    sum.failed += code !== 0 && failed === 0 ? 1 : failed;
    sum.skipped += skipped;
  }
  return lineOf(sum);
}
