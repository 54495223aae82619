// `npm test`: what a change is held to, on a fresh clone too. Ends with the line that counts its tests.
// `npm run test:quick` is `node .scripts/test.mjs --quick`.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { provideBrowsers, provideServers } from './install.mjs';
import { ROOT, ready } from './steps.mjs';
import { eachTime, partsOfPaths, touchedSuites, touchesRelease } from './test/parts.mjs';
import { runParts } from './test/run.mjs';

const HELP = `npm test [-- PATH…]

Runs the check, the sizes, the unit tests with a quarter of their generated cases, the browser suites that a browser can
make false, the core stories end to end, a smoke test of each outside program, and the suites of outside programs that
the change touches. It installs what it needs.

With PATH (files or folders of test/ and e2e/, also with a line: test/core/a.test.ts:12): the tests in them, whole, in
the runners that they need, over a build of the present files.

npm run test:quick runs the check, and in Node the unit tests whose imports lead to a changed file, with a quarter of
their generated cases: changed against the merge base with main on a branch, against HEAD on main itself.
npm run test:long -- --help lists everything else.`;

const words = process.argv.slice(2);
const isQuick = words[0] === '--quick';
const unknown = words.slice(isQuick ? 1 : 0).find((word) => isQuick || word.startsWith('-'));
if (words.includes('--help') || words.includes('-h')) console.log(HELP);
else if (unknown !== undefined) {
  console.error(`${isQuick ? 'npm run test:quick takes no' : 'npm test has no option'} ${unknown}.\n\n${HELP}`);
  process.exitCode = 2;
} else {
  ready();
  process.exitCode = await (isQuick ? testQuick() : words.length === 0 ? testAll() : testPaths());
}

async function testAll() {
  provideBrowsers(['chromium', 'firefox']);
  provideServers();
  const changed = changedFiles('HEAD^');
  const touched = touchedSuites(changed);
  if (touched.length > 0) console.log(`The change touches ${touched.join(', ')}.`);
  return runParts(eachTime(touched, touchesRelease(changed)), { before: 'dist', beside: ['sizes', 'checks:all'] });
}

async function testQuick() {
  // The commit that a change began at: the merge base with main on a branch, HEAD on main itself.
  const base = git('merge-base', 'HEAD', 'main') || git('merge-base', 'HEAD', 'origin/main') || 'HEAD';
  const args = ['--project', 'node', '--changed', base, '--passWithNoTests'];
  const unit = { name: 'unit', tool: /** @type {const} */ ('vitest'), args, env: { SALLYPORT_CASES: 'quarter' } };
  return runParts([unit], { beside: ['checks'] });
}

async function testPaths() {
  const all = ['test', 'e2e'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
  );
  const found = partsOfPaths(words, all);
  if ('fault' in found) {
    console.error(found.fault);
    return 2;
  }
  return runParts(found.parts, { before: found.parts.some(({ built }) => built) ? 'dist' : undefined });
}

/** Files that differ from `base`, committed or not, and new ones; empty without git and without `base`.
 * @param {string} base
 * @returns {string[]} */
function changedFiles(base) {
  const lines = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')].join('\n');
  return [...new Set(lines.split('\n').filter((line) => line !== ''))];
}

/** @param {string[]} args
 * @returns {string} empty where git fails */
function git(...args) {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
