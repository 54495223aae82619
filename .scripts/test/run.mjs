// Runs parts of the tests, one after the other, and sums them up in a last line.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { binOf, node, ROOT, wireit } from '../steps.mjs';

/** @typedef {import('./parts.mjs').Part} Part */
/** @typedef {{name: string, seconds: number, count: Count, files: FileTime[]}} Ended */

/** Runs the parts in order, each even when another fails, so that a single run shows all faults. `before` is what a
 * part with `built` needs, `beside` runs in the time in which tests wait. A part that could not start, or that ended
 * without its report, counts as a failed test.
 * @param {Part[]} parts
 * @param {{before?: string | undefined, beside?: string[]}} [scripts] names in the section `wireit` of package.json
 * @returns {Promise<number>} the exit code */
export async function runParts(parts, { before, beside = [] } = {}) {
  const reports = mkdtempSync(join(tmpdir(), 'sallyport-test-'));
  /** @type {Ended[]} */
  const ended = [];
  const built = before === undefined ? undefined : await timed(before, async () => counted(await wireit(before)));
  if (built !== undefined) ended.push(built);
  const lane = (async () => {
    for (const name of beside) ended.push(await timed(name, async () => counted(await wireit(name, { beside: true }))));
  })();
  for (const part of parts) {
    const isReady = part.built !== true || built === undefined || built.count.failed === 0;
    ended.push(await timed(part.name, () => (isReady ? runPart(part, reports) : unbuilt(part))));
  }
  await lane;
  rmSync(reports, { recursive: true, force: true });
  for (const line of summaryOf(ended)) console.log(line);
  return ended.some(({ count }) => count.failed > 0) ? 1 : 0;
}

/** @param {string} name
 * @param {() => Promise<Pick<Ended, 'count' | 'files'>>} work
 * @returns {Promise<Ended>} */
async function timed(name, work) {
  console.log(`\n==== ${name}`);
  const began = performance.now();
  const done = await work();
  const seconds = (performance.now() - began) / 1000;
  console.log(`${done.count.failed === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds.toFixed(0)} s): ${lineOf(done.count)}`);
  return { name, seconds, ...done };
}

/** A script without a report counts as a single test.
 * @param {number} code */
function counted(code) {
  return { count: { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }, files: [] };
}

/** @param {Part} part */
async function unbuilt({ name }) {
  console.log(`${name} was not run, because the build failed`);
  return counted(1);
}

/** @param {Part} part
 * @param {string} reports
 * @returns {Promise<Pick<Ended, 'count' | 'files'>>} */
async function runPart({ name, tool, args, env = {}, mayBeAbsent }, reports) {
  const report = join(reports, `${name}.json`);
  const live = process.stdout.isTTY && !process.env.CI;
  if (tool === 'script') {
    const code = await node(args, { env });
    return code === 2 && mayBeAbsent === true
      ? { count: { passed: 0, failed: 0, skipped: 1 }, files: [] }
      : counted(code);
  }
  const vitest = [binOf('vitest'), 'run', ...args, `--reporter=${live ? 'default' : 'minimal'}`, '--reporter=json'];
  const playwright = [
    binOf('@playwright/test#playwright'),
    'test',
    ...args,
    `--reporter=${live ? 'line' : 'dot'},json`,
  ];
  const code =
    tool === 'vitest'
      ? await node([...vitest, `--outputFile.json=${report}`], { env })
      : await node(playwright, { env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report } });
  const { count, files } = readReport(report) ?? counted(1);
  return { count: code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count, files };
}

/** The lines behind the last part: times, the slowest files, what failed, and the count.
 * @param {Ended[]} ended
 * @returns {string[]} */
function summaryOf(ended) {
  const files = new Map();
  for (const { name, files: of } of ended)
    for (const { file, seconds } of of) files.set(`${name} ${file}`, (files.get(`${name} ${file}`) ?? 0) + seconds);
  const slowest = [...files].sort(([, one], [, other]) => other - one).slice(0, 5);
  const failed = ended.filter(({ count }) => count.failed > 0).map(({ name }) => name);
  const sum = (/** @type {keyof Count} */ of) => ended.reduce((total, { count }) => total + count[of], 0);
  return [
    `\nParts: ${ended.map(({ name, seconds }) => `${name} ${seconds.toFixed(0)} s`).join(', ')}`,
    ...(slowest.length > 0 ? [`Slowest: ${slowest.map(([name, s]) => `${name} ${s.toFixed(0)} s`).join(', ')}`] : []),
    ...(failed.length > 0 ? [`Failed: ${failed.join(', ')}`] : []),
    lineOf({ passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }),
  ];
}

/** @typedef {{passed: number, failed: number, skipped: number}} Count */
/** @typedef {{file: string, seconds: number}} FileTime */
/** @typedef {{count: Count, files: FileTime[]}} TestCounts */

/** The tests of a report; undefined where there is no report, or none that can be read.
 * @param {string} path
 * @returns {TestCounts | undefined} */
function readReport(path) {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    return report.stats === undefined ? ofVitest(report) : ofPlaywright(report);
  } catch {
    return undefined;
  }
}

/** The last line of a command that runs tests.
 * @param {Count} count */
function lineOf({ passed, failed, skipped }) {
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
