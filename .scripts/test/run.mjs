// Runs the stages of a test run. Each reports its work before it starts, and its duration and the busy cores when it
// ends.
import { join } from 'node:path';
import { binOf, node, nodeBeside, ROOT } from '../steps.mjs';
import { watchCores } from './processor.mjs';

/** @typedef {import('./stages.mjs').Stage} Stage */
/** @typedef {{stage: Stage, state: 'passed' | 'failed' | 'absent', seconds: number}} Ended */

/** Runs every stage even when another fails, so that a single run shows all faults. The stages run in order, but for
 * those that run `beside` the others: these take the time in which tests wait. A stage over `dist/` waits for the build,
 * and counts as failed where the build did not pass.
 * @param {Stage[]} stages
 * @param {string} reports folder that gets one JSON report for each stage of tests
 * @returns {Promise<Ended[]>} in the order of the stages */
export async function runStages(stages, reports) {
  /** @type {Map<string, Promise<Ended>>} */
  const begun = new Map();
  /** @param {Stage} stage */
  const run = async (stage) => {
    const built = stage.needs === 'build' ? await begun.get('build') : undefined;
    if (built?.state !== 'failed') return runStage(stage, reports);
    console.log(`\nFAIL ${stage.name}: not run, because the build failed`);
    return /** @type {Ended} */ ({ stage, state: 'failed', seconds: 0 });
  };
  const lanes = [stages.filter(({ beside }) => beside === true), stages.filter(({ beside }) => beside !== true)];
  for (const lane of lanes) {
    /** @type {Promise<unknown>} */
    let before = Promise.resolve();
    for (const stage of lane) {
      const ended = before.then(() => run(stage));
      begun.set(stage.name, ended);
      before = ended;
    }
  }
  return Promise.all(stages.map(({ name }) => /** @type {Promise<Ended>} */ (begun.get(name))));
}

/** @param {Stage} stage
 * @param {string} reports
 * @returns {Promise<Ended>} */
async function runStage(stage, reports) {
  console.log(`\n==== ${stage.name}: ${stage.does}${stage.beside ? ', beside the tests' : ''}`);
  const began = performance.now();
  const cores = watchCores();
  const [args, options] = commandOf(stage, reports);
  const { code, output } = stage.beside ? await nodeBeside(args) : { code: await node(args, options), output: '' };
  const seconds = (performance.now() - began) / 1000;
  const state = code === 0 ? 'passed' : code === 2 && stage.mayBeAbsent === true ? 'absent' : 'failed';
  const used = cores();
  const load = used === undefined ? '' : `, ${used.busy.toFixed(1)} of ${used.cores} cores busy`;
  const word = { passed: 'ok  ', failed: 'FAIL', absent: 'none' }[state];
  console.log(`${output}${word} ${stage.name} (${seconds.toFixed(1)} s${load})`);
  return { stage, state, seconds };
}

/** @param {Stage} stage
 * @param {string} reports
 * @returns {[string[], {env?: NodeJS.ProcessEnv}]} */
function commandOf({ name, tool, args, env = {} }, reports) {
  const report = join(reports, `${name}.json`);
  const progress = join(ROOT, `.scripts/test/${tool}-progress.mjs`);
  switch (tool) {
    case 'script':
      return [args, {}];
    case 'vitest': {
      const reporters = ['minimal', 'json', progress].map((reporter) => `--reporter=${reporter}`);
      return [[binOf('vitest'), 'run', ...args, ...reporters, `--outputFile.json=${report}`], { env }];
    }
    case 'playwright':
      return [
        [binOf('@playwright/test#playwright'), 'test', ...args, `--reporter=json,${progress}`],
        { env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report } },
      ];
  }
}
