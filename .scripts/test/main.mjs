// The test commands behind their arguments: from options to stages, to a summary and an exit code.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideBrowsers } from '../browser-install.mjs';
import { readTestCounts } from '../test-counts.mjs';
import { lineOf } from './lines.mjs';
import { listTests, selectTests, sortTests } from './paths.mjs';
import { plan, wantedBrowsers } from './plan.mjs';
import { runStages } from './run.mjs';
import { build, world } from './stages.mjs';
import { summaryOf } from './summary.mjs';
import { saveTimes } from './times.mjs';

/** @typedef {import('./args.mjs').Options} Options */
/** @typedef {import('./paths.mjs').Tests} Tests */
/** @typedef {import('./stages.mjs').Stage} Stage */
/** @typedef {import('../browsers.mjs').BrowserName} BrowserName */

/** `npm test`.
 * @param {Options} options
 * @returns {Promise<{code: number} | {fault: string}>} */
export async function runTests(options) {
  const selected = options.paths.length === 0 ? { tests: undefined } : selectTests(options.paths, listTests());
  if ('fault' in selected) return selected;
  const { tests } = selected;
  const only = tests === undefined ? undefined : faultOfPaths(options, tests);
  if (only !== undefined) return { fault: only };
  const found = findBrowsers(options, tests);
  if ('fault' in found) return found;
  const facts = { browsers: found.browsers, suites: hasSuites(), ...(tests === undefined ? {} : { tests }) };
  const { stages, leftOut } = plan(options, facts);
  return { code: await runAll(stages, leftOut) };
}

/** `npm run test:world`.
 * @param {Options} options
 * @returns {Promise<{code: number} | {fault: string}>} */
export async function runWorld(options) {
  const tests = listTests();
  const selected = options.paths.length === 0 ? { tests: sortTests(tests) } : selectTests(options.paths, tests);
  if ('fault' in selected) return selected;
  const files = selected.tests.world;
  if (files.length === 0 && options.paths.length > 0)
    return {
      fault: `${options.paths.join(', ')}: no suite that starts other programs. npm test -- ${options.paths.join(' ')} runs these tests.`,
    };
  if (files.length === 0) {
    console.log('e2e/world holds no suites: there is nothing to run.');
    console.log(lineOf({ passed: 0, failed: 0, skipped: 0 }));
    return { code: 0 };
  }
  return { code: await runAll([...build(options), world(options, options.paths.length === 0 ? [] : files)], []) };
}

/** Runs the stages and prints their summary.
 * @param {Stage[]} stages
 * @param {import('./plan.mjs').LeftOut[]} leftOut
 * @returns {Promise<number>} the exit code */
export async function runAll(stages, leftOut) {
  const reports = mkdtempSync(join(tmpdir(), 'sallyport-test-'));
  const ended = await runStages(stages, reports);
  const tallies = readTestCounts(reports);
  rmSync(reports, { recursive: true, force: true });
  saveTimes(tallies['unit']?.files ?? []);
  console.log(`\n${summaryOf(ended, tallies, leftOut).join('\n')}`);
  return ended.some(({ state }) => state === 'failed') ? 1 : 0;
}

/** @param {Options} options
 * @param {Tests} tests */
function faultOfPaths({ engines, paths }, tests) {
  if (engines.includes('webkit'))
    return 'The suite for WebKit takes no paths. Leave out --engine webkit, or the paths.';
  const inEngines = tests.browser.length + tests.e2e.length + tests.world.length;
  if (engines.length > 0 && inEngines === 0) return `${paths.join(', ')} runs in Node alone. Leave out --engine.`;
  return undefined;
}

/** @param {Options} options
 * @param {Tests | undefined} tests
 * @returns {{browsers: BrowserName[]} | {fault: string}} */
function findBrowsers(options, tests) {
  const wanted = wantedBrowsers(options, tests);
  if (wanted === 'one') {
    const [browser = provideBrowsers(['firefox'])[0]] = provideBrowsers(['chromium']);
    return browser === undefined ? { fault: 'No test can run without a browser; see above.' } : { browsers: [browser] };
  }
  const browsers = provideBrowsers(wanted);
  const absent = options.engines.filter((engine) => engine !== 'webkit' && !browsers.includes(engine));
  if (absent.length > 0) return { fault: `--engine ${absent.join(', ')} cannot run here; see above.` };
  return wanted.length > 0 && browsers.length === 0
    ? { fault: 'No test can run without a browser; see above.' }
    : { browsers };
}

function hasSuites() {
  const folder = process.env['SALLYPORT_SUITES'];
  return folder !== undefined && folder !== '' && existsSync(folder);
}
