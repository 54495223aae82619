// Playwright reporter: progress, and each failure as soon as it is known.
import { relative } from 'node:path';
import { ROOT } from '../steps.mjs';
import { Progress } from './progress.mjs';

/** @typedef {import('@playwright/test/reporter').FullConfig} FullConfig */
/** @typedef {import('@playwright/test/reporter').Suite} Suite */
/** @typedef {import('@playwright/test/reporter').TestCase} TestCase */
/** @typedef {import('@playwright/test/reporter').TestError} TestError */
/** @typedef {import('@playwright/test/reporter').TestResult} TestResult */

export default class {
  #progress = new Progress();
  /** Tests of each file and project that have not ended.
   * @type {Map<string, number>} */
  #open = new Map();

  /** @param {FullConfig} _config
   * @param {Suite} suite */
  onBegin(_config, suite) {
    for (const test of suite.allTests()) this.#open.set(fileOf(test), (this.#open.get(fileOf(test)) ?? 0) + 1);
    this.#progress.files = this.#open.size;
    this.#progress.start();
  }

  /** @param {TestCase} test
   * @param {TestResult} result */
  onTestEnd(test, result) {
    const left = (this.#open.get(fileOf(test)) ?? 0) - 1;
    this.#open.set(fileOf(test), left);
    if (left === 0) this.#progress.filesDone += 1;
    if (result.status === 'skipped') return;
    if (result.status === test.expectedStatus) this.#progress.passed += 1;
    else {
      this.#progress.failed += 1;
      console.log(`\nFAIL ${titleOf(test)}`);
      for (const error of result.errors) printError(error);
      for (const text of [...result.stdout, ...result.stderr]) process.stdout.write(text);
    }
  }

  /** A fault outside of tests, for example a file that does not load.
   * @param {TestError} error */
  onError(error) {
    printError(error);
  }

  onEnd() {
    this.#progress.stop();
  }

  printsToStdio() {
    return true;
  }
}

/** @param {TestCase} test */
function fileOf(test) {
  return `${test.parent.project()?.name} ${test.location.file}`;
}

/** @param {TestCase} test */
function titleOf(test) {
  const [, project, , ...titles] = test.titlePath();
  return `[${project}] ${relative(ROOT, test.location.file)}:${test.location.line} ${titles.join(' › ')}`;
}

/** @param {TestError} error */
function printError({ stack, message, value, snippet }) {
  console.log(`\n${message ?? value ?? stack ?? 'no message'}`);
  if (snippet !== undefined) console.log(snippet);
  const frames = stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  console.log(`${frames.slice(0, 5).join('\n')}\n`);
}
