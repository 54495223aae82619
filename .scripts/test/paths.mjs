// Sorts the test files of the repository by the runner that each needs.
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { ROOT } from '../steps.mjs';

/** Test files below the root, with `/` on every platform; `:12` behind a file names a line.
 * @typedef {{unit: string[], browser: string[], e2e: string[], world: string[]}} Tests */

/**
 * Each kind of test and the files that hold it. `*.test.ts` runs in Node and in browsers, `*.node.test.ts` only in
 * Node, `*.browser.test.ts` only in browsers. `*.process.test.ts` runs in Node and starts whole programs.
 */
const KINDS = /** @type {const} */ ({
  unit: /^test\/.+(?<!\.browser)\.test\.ts$/,
  browser: /^test\/.+(?<!\.(?:node|process))\.test\.ts$/,
  e2e: /^e2e\/(?!world\/).+\.spec\.ts$/,
  world: /^e2e\/world\/.+\.spec\.ts$/,
});

/** Every test file in the repository.
 * @returns {string[]} */
export function listTests() {
  return ['test', 'e2e']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .map((file) => file.split(sep).join('/'))
    .filter((file) => Object.values(KINDS).some((kind) => kind.test(file)))
    .sort();
}

/** @param {string[]} files
 * @returns {Tests} */
export function sortTests(files) {
  const of = (/** @type {RegExp} */ kind) => files.filter((file) => kind.test(withoutLine(file)));
  return { unit: of(KINDS.unit), browser: of(KINDS.browser), e2e: of(KINDS.e2e), world: of(KINDS.world) };
}

/** The tests in the files and folders that `paths` name, or `fault`: the first path without a test, and what to do.
 * @param {string[]} paths
 * @param {string[]} tests every test file
 * @param {(path: string) => boolean} [exists]
 * @returns {{tests: Tests} | {fault: string}} */
export function selectTests(paths, tests, exists = (path) => existsSync(join(ROOT, path))) {
  const chosen = new Set();
  for (const path of paths.map(belowRoot)) {
    const [, plain = path, line = ''] = /^(.*?)(:\d+)?$/.exec(path) ?? [];
    const found = tests.filter((test) => plain === '' || test === plain || test.startsWith(`${plain}/`));
    if (found.length === 0) return { fault: faultOf(plain, exists(plain)) };
    for (const test of found) chosen.add(test + line);
  }
  return { tests: sortTests([...chosen]) };
}

/** @param {string} path */
function belowRoot(path) {
  return relative(ROOT, resolve(ROOT, path)).split(sep).join('/');
}

/** @param {string} file */
function withoutLine(file) {
  return file.replace(/:\d+$/, '');
}

/** @param {string} path
 * @param {boolean} exists */
function faultOf(path, exists) {
  if (!exists) return `${path} does not exist. Name files or folders below test/ or e2e/.`;
  return `${path} holds no tests. Tests are test/**/*.{test,node,browser}.ts and e2e/**/*.spec.ts; npm run test:quick finds the tests that a changed file touches.`;
}
