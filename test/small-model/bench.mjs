// `npm run bench -- small-model`: the table of the small model over two lists of tasks.
// The held-out list counts: its author has not read the generator of the training data, and the training data must not
// be changed because of it. The development list may guide such changes.
// `--weights FILE` judges another file, `--tasks FILE` has another development list, `--free` adds the columns without
// the constraint, `--misses` prints the proposals of each development task that went wrong and counts those of the
// held-out list, `--keep NAME` keeps the numbers as those of a run, `--runs` prints the kept numbers, `--draw` writes
// the table of the shipped run and a picture of all into the documentation.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleForNode, ROOT } from '../../.scripts/steps.mjs';

/** @typedef {Record<string, [right: number, of: number]>} Shares */
/** @typedef {{name: string, generator: number, made: string, steps: number, episodes: number, seconds: number, parameters: number,
 *   judged?: {sha256: string, 'held-out tasks'?: Shares, 'development tasks': Shares}}} Run */

const FOLDER = join(ROOT, 'workers/bridges/models/small/trainer');
const RUNS = join(FOLDER, 'runs.json');
const TASKS = join(ROOT, 'test/fixtures/small-model');
const LISTS = /** @type {const} */ (['held-out tasks', 'development tasks']);
const MEASURES = ['right tool', 'exact arguments', 'whole tasks', 'recovery and refusals'];

const { values } = parseArgs({
  options: {
    weights: { type: 'string', default: join(ROOT, 'workers/bridges/models/small/weights.bin') },
    tasks: { type: 'string', default: join(TASKS, 'tasks.json') },
    free: { type: 'boolean', default: false },
    misses: { type: 'boolean', default: false },
    keep: { type: 'string' },
    runs: { type: 'boolean', default: false },
    draw: { type: 'boolean', default: false },
  },
});

if (values.runs) printRuns();
else if (values.draw) await draw();
else await judge();

async function judge() {
  const { file, remove } = await bundleForNode('test/small-model/main.ts');
  try {
    /** @type {{report(weights: Uint8Array, lists: object, options: object): Promise<{text: string, numbers: object}>}} */
    const { report } = await import(pathToFileURL(file).href);
    const known = json(join(FOLDER, 'known.json'));
    const knownPlaces = json(join(FOLDER, 'known-held-out.json')).places;
    const options = { ...values, known, knownPlaces };
    const { text, numbers } = await report(readFileSync(values.weights), lists(), options);
    console.log(text);
    if (values.keep !== undefined) keep(values.keep, numbers);
  } finally {
    remove();
  }
}

/** The held-out list, which is always the same, and the development list, whose wording may be printed. */
function lists() {
  const development = json(values.tasks);
  if (!Array.isArray(development))
    throw new Error(`${values.tasks} is no development list: a development list is an array of tasks.`);
  return { heldOut: json(join(TASKS, 'held-out.json')).tasks, development };
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
  console.log(`| run | parameters | episodes | CPU seconds | list | ${MEASURES.join(' | ')} |`);
  console.log(`|---|---|---|---|---|${'---|'.repeat(MEASURES.length)}`);
  for (const { name, parameters, episodes, seconds, judged } of runs)
    for (const list of LISTS) {
      const shares = MEASURES.map((measure) => percent(judged?.[list]?.[measure]));
      console.log(`| ${[name, parameters, episodes, seconds, list, ...shares].join(' | ')} |`);
    }
}

async function draw() {
  const { runnerImport } = await import('vite');
  const runs = json(RUNS);
  /** @type {{module: typeof import('./picture.ts')}} */
  const { module } = await runnerImport(join(ROOT, 'test/small-model/picture.ts'));
  writeFileSync(join(ROOT, module.RUNS_PICTURE), module.runsPicture(runs));
  /** @type {{module: typeof import('./page.ts')}} */
  const { module: page } = await runnerImport(join(ROOT, 'test/small-model/page.ts'));
  const file = join(ROOT, page.RUNS_PAGE);
  writeFileSync(file, page.withRuns(readFileSync(file, 'utf8'), runs));
}

/** @param {[number, number] | undefined} share */
function percent(share) {
  return share === undefined ? '' : `${Math.round((100 * share[0]) / share[1])}%`;
}
