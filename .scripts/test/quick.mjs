// `npm run test:quick` behind its arguments.
import { availableParallelism } from 'node:os';
import { baseCommit, changedSince, readImports } from './changed.mjs';
import { isLong } from './long.mjs';
import { runAll } from './main.mjs';
import { touchedTests, withinTime } from './nearest.mjs';
import { listTests, sortTests } from './paths.mjs';
import { checks, unit } from './stages.mjs';
import { readTimes } from './times.mjs';

/** Seconds for unit tests: a minute without 15 s of check, the start of Vitest, and a file that ends behind the rest. */
const SECONDS = 25;
/** Duration of the tests of a file that never ran here, and of a long one. */
const UNKNOWN_SECONDS = 1.5;
const LONG_SECONDS = 12;
/** Duration of a file before its first test: a process of its own, and its imports. */
const START_SECONDS = 0.5;

/** @param {import('./args.mjs').Options} options
 * @returns {Promise<number>} the exit code */
export async function runQuick(options) {
  const base = baseCommit();
  const changed = base === undefined ? [] : changedSince(base);
  console.log(
    base === undefined
      ? 'git knows no commit here: no change can be found, and types and lint alone are run.'
      : `${changed.length} files differ from ${base.slice(0, 10)}.`,
  );
  const { chosen, rest } = choose(changed);
  const stages = [...checks(options), ...(chosen.length > 0 ? [unit(options, { files: chosen })] : [])];
  return runAll(stages, [
    { part: 'browser suites', by: 'npm test' },
    { part: 'end to end', by: 'npm test' },
    ...(rest.length > 0
      ? [{ part: `${rest.length} unit test files that the change touches from afar`, by: 'npm test' }]
      : []),
  ]);
}

/** @param {string[]} changed */
function choose(changed) {
  const imports = readImports();
  const unread = changed.filter((file) => !imports.has(file));
  if (unread.length > 0) console.log(`No import leads to ${list(unread)}: tests that read such a file are not found.`);
  const times = readTimes();
  return withinTime(
    touchedTests(imports, changed, sortTests(listTests()).unit),
    (test) => START_SECONDS + (times[test] ?? (isLong(test) ? LONG_SECONDS : UNKNOWN_SECONDS)),
    SECONDS * availableParallelism(),
  );
}

/** @param {string[]} files */
function list(files) {
  const shown = files.slice(0, 3).join(', ');
  return files.length > 3 ? `${shown} and ${files.length - 3} more` : shown;
}
