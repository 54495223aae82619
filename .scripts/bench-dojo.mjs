// `npm run bench -- dojo`: the rules of the runtime under a scripted worst-case model, over the calls of AgentDojo. Its data
// lie outside of the repository, in the folder `agentdojo` of `SALLYPORT_SUITES`. No number fails the command.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildForNode, removeBuild } from './bench/build.mjs';
import { commit } from './bench/results.mjs';
import { start } from './long/command.mjs';
import { ROOT } from './steps.mjs';

/** @typedef {import('../test/bench/dojo/table.ts').DojoRow} DojoRow */
/** @typedef {import('../test/bench/dojo/suite.ts').DojoSuite} DojoSuite */
/**
 * @typedef {typeof import('../test/bench/dojo/table.ts') & typeof import('../test/bench/dojo/suite.ts') & {
 *   COLUMNS: readonly unknown[], notPossible: (suite: DojoSuite) => readonly string[],
 *   playAll: (suite: DojoSuite, onRow: (row: DojoRow) => void, progress: (note: string) => void,
 *     signal: AbortSignal) => Promise<void>
 * }} Dojo the bundle of `test/bench/dojo/dojo.ts`
 */

/** @param {import('./long/types.ts').Work} work */
async function run({ texts, signal, report, progress, say }) {
  try {
    const dojo = /** @type {Dojo} */ (await buildForNode('dojo/dojo'));
    const folder = dojo.dojoFolder(process.env['SALLYPORT_SUITES']);
    if (folder === undefined) {
      say(
        'AgentDojo is not here: set SALLYPORT_SUITES to a folder that has agentdojo/ground-truth.json. Nothing was played.',
      );
      return true;
    }
    const suites = dojo.readSuites(folder);
    /** @type {DojoRow[]} */
    const rows = [];
    const total = suites.reduce((all, { tasks }) => all + tasks.length * dojo.COLUMNS.length, 0);
    let done = 0;
    const tell = (/** @type {string} */ note) => progress(++done, total, note);
    for (const suite of suites) await dojo.playAll(suite, (row) => rows.push(row), tell, signal);
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    /** @type {import('../test/bench/dojo/table.ts').DojoResults} */
    const results = {
      format: 'sallyport-dojo/1',
      date: new Date().toISOString().slice(0, 10),
      version: `${version}${commit()}`,
      source: 'AgentDojo, suites of version 1',
      rows,
      leftOut: suites.flatMap(({ leftOut }) => leftOut),
      notPossible: suites.flatMap((suite) => dojo.notPossible(suite)),
    };
    say(dojo.textOf(results));
    if (texts['results'] !== undefined) writeFileSync(texts['results'], dojo.formatDojo(results));
    report({ rows: rows.length, tasks: suites.reduce((all, { tasks }) => all + tasks.length, 0) });
    return true;
  } finally {
    removeBuild();
  }
}

await start({
  name: 'bench:dojo',
  command: 'npm run bench -- dojo',
  summary:
    'Plays the tasks and injections of AgentDojo under the rules of the runtime, with a scripted worst-case model.',
  numbers: {},
  names: {},
  texts: { results: { help: 'File of JSON that gets the rows.', value: 'FILE' } },
  time: '4 minutes.',
  members: { rows: 'Rows of the table.', tasks: 'User tasks that were played, under each of the rules.' },
  run,
});
