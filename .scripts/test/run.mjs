// Runs the stages of a test run in order. Each reports its work before it starts, and its duration and the busy cores
// when it ends.
import { join } from 'node:path';
import { binOf, node, ROOT } from '../steps.mjs';
import { watchCores } from './processor.mjs';

/** @typedef {import('./stages.mjs').Stage} Stage */
/** @typedef {{stage: Stage, state: 'passed' | 'failed' | 'absent', seconds: number}} Ended */

/** Runs every stage even when another fails, so that a single run shows all faults. A stage over `dist/` needs a build
 * that passed: without it, it counts as failed.
 * @param {Stage[]} stages
 * @param {string} reports folder that gets one JSON report for each stage of tests
 * @returns {Promise<Ended[]>} */
export async function runStages(stages, reports) {
  /** @type {Ended[]} */
  const ended = [];
  for (const stage of stages) {
    const broken =
      stage.needs === 'build' && ended.some(({ stage: { name }, state }) => name === 'build' && state === 'failed');
    if (broken) console.log(`\nFAIL ${stage.name}: not run, because the build failed`);
    ended.push(broken ? { stage, state: 'failed', seconds: 0 } : await runStage(stage, reports));
  }
  return ended;
}

/** @param {Stage} stage
 * @param {string} reports
 * @returns {Promise<Ended>} */
async function runStage(stage, reports) {
  console.log(`\n==== ${stage.name}: ${stage.does}`);
  const began = performance.now();
  const cores = watchCores();
  const code = await node(...commandOf(stage, reports));
  const seconds = (performance.now() - began) / 1000;
  const state = code === 0 ? 'passed' : code === 2 && stage.mayBeAbsent === true ? 'absent' : 'failed';
  const used = cores();
  const load = used === undefined ? '' : `, ${used.busy.toFixed(1)} of ${used.cores} cores busy`;
  const word = { passed: 'ok  ', failed: 'FAIL', absent: 'none' }[state];
  console.log(`${word} ${stage.name} (${seconds.toFixed(1)} s${load})`);
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
