// `npm run small-model`: the table of the small model over tasks of another hand than its training data.
// `--weights FILE` judges another file, `--free` adds the column without the constraint, `--misses` prints the proposals
// of each task that went wrong, `--keep NAME` keeps the numbers as those of a run, `--runs` prints the kept numbers.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleForNode } from './long/bundle.mjs';
import { ROOT } from './steps.mjs';

/** @typedef {Record<string, [right: number, of: number]>} Shares */
/** @typedef {{name: string, made: string, steps: number, episodes: number, seconds: number, parameters: number,
 *   judged?: {sha256: string, 'all tasks': Shares}}} Run */

const FOLDER = join(ROOT, '.scripts/small-model');
const RUNS = join(FOLDER, 'runs.json');
const MEASURES = ['right tool', 'exact arguments', 'whole tasks', 'recovery and refusals'];

const { values } = parseArgs({
  options: {
    weights: { type: 'string', default: join(ROOT, 'workers/models/small/weights.bin') },
    tasks: { type: 'string', default: join(ROOT, 'test/fixtures/small-model/tasks.json') },
    free: { type: 'boolean', default: false },
    misses: { type: 'boolean', default: false },
    keep: { type: 'string' },
    runs: { type: 'boolean', default: false },
  },
});

if (values.runs) printRuns();
else await judge();

async function judge() {
  const { file, remove } = await bundleForNode('test/small-model/main.ts');
  try {
    /** @type {{report(weights: Uint8Array, tasks: object[], options: object): Promise<{text: string, numbers: object}>}} */
    const { report } = await import(pathToFileURL(file).href);
    const known = json(join(FOLDER, 'known.json'));
    const { text, numbers } = await report(readFileSync(values.weights), json(values.tasks), { ...values, known });
    console.log(text);
    if (values.keep !== undefined) keep(values.keep, numbers);
  } finally {
    remove();
  }
}

/** @param {string} file @returns {any} */
function json(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** @param {string} name @param {object} judged */
function keep(name, judged) {
  /** @type {Run[]} */
  const runs = json(RUNS);
  const kept = runs.map((run) => (run.name === name ? { ...run, judged } : run));
  writeFileSync(RUNS, `${JSON.stringify(kept, null, 2)}\n`);
}

function printRuns() {
  /** @type {Run[]} */
  const runs = json(RUNS);
  console.log(`| run | parameters | episodes | CPU seconds | ${MEASURES.join(' | ')} |`);
  console.log(`|---|---|---|---|${'---|'.repeat(MEASURES.length)}`);
  for (const { name, parameters, episodes, seconds, judged } of runs) {
    const shares = MEASURES.map((measure) => percent(judged?.['all tasks'][measure]));
    console.log(`| ${[name, parameters, episodes, seconds, ...shares].join(' | ')} |`);
  }
}

/** @param {[number, number] | undefined} share */
function percent(share) {
  return share === undefined ? '' : `${Math.round((100 * share[0]) / share[1])}%`;
}
