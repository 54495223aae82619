// Sums up a test run: its five slowest files, the omitted parts with reasons, the failures, and the number of passed
// tests.
import { lineOf } from './lines.mjs';

/** @typedef {import('../test-counts.mjs').Count} Count */
/** @typedef {import('../test-counts.mjs').TestCounts} TestCounts */
/** @typedef {import('./run.mjs').Ended} Ended */
/** @typedef {import('./plan.mjs').LeftOut} LeftOut */

const SLOWEST = 5;

/** The tests of all stages. A stage without a report counts as a single test, and so does a failure beside its tests.
 * @param {Ended[]} ended
 * @param {Record<string, TestCounts>} tallies
 * @returns {Count} */
export function countAll(ended, tallies) {
  const counts = ended.map(({ stage: { name }, state }) => countOf(state, tallies[name]?.count));
  return {
    passed: counts.reduce((sum, { passed }) => sum + passed, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
    skipped: counts.reduce((sum, { skipped }) => sum + skipped, 0),
  };
}

/** @param {Ended['state']} state
 * @param {Count | undefined} count
 * @returns {Count} */
function countOf(state, count) {
  if (count !== undefined) return state === 'failed' && count.failed === 0 ? { ...count, failed: 1 } : count;
  return {
    passed: state === 'passed' ? 1 : 0,
    failed: state === 'failed' ? 1 : 0,
    skipped: state === 'absent' ? 1 : 0,
  };
}

/** The lines behind the last stage.
 * @param {Ended[]} ended
 * @param {Record<string, TestCounts>} tallies
 * @param {LeftOut[]} leftOut
 * @returns {string[]} */
export function summaryOf(ended, tallies, leftOut) {
  const failed = ended.filter(({ state }) => state === 'failed').map(({ stage: { name } }) => name);
  const absent = ended
    .filter(({ state }) => state === 'absent')
    .map(({ stage: { name } }) => ({ part: name, by: 'not installed' }));
  return [
    `Stages: ${ended.map(({ stage: { name }, seconds }) => `${name} ${seconds.toFixed(0)} s`).join(', ')}`,
    ...slowest(tallies),
    ...told([...leftOut, ...absent]),
    ...(failed.length > 0 ? [`Failed: ${failed.join(', ')}`] : []),
    lineOf(countAll(ended, tallies)),
  ];
}

/** @param {Record<string, TestCounts>} tallies */
function slowest(tallies) {
  const files = Object.entries(tallies)
    .flatMap(([stage, { files: of }]) => of.map(({ file, seconds }) => ({ name: `${stage} ${file}`, seconds })))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, SLOWEST);
  return files.length === 0
    ? []
    : [`Slowest: ${files.map(({ name, seconds }) => `${name} ${seconds.toFixed(1)} s`).join(', ')}`];
}

/** Parts with the same command or reason stand together.
 * @param {LeftOut[]} leftOut */
function told(leftOut) {
  const ways = [...new Set(leftOut.map(({ by }) => by))];
  const groups = ways.map((way) => {
    const parts = leftOut.filter(({ by }) => by === way).map(({ part }) => part);
    return `${parts.join(', ')} (${way})`;
  });
  return groups.length === 0 ? [] : [`Left out: ${groups.join('; ')}`];
}
