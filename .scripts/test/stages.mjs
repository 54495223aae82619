// The stages that a test run may have, each with its command for a given run. Pure.

/** @typedef {import('./args.mjs').Options} Options */
/** @typedef {import('../browsers.mjs').BrowserName} BrowserName */
/** @typedef {BrowserName | 'package'} Project */

/** `needs: 'build'`: the stage reads `dist/`. `beside`: the stage runs beside the tests. `mayBeAbsent`: exit code 2 says
 * that the machine lacks the program. `env`: variables that the command gets.
 * @typedef {{name: string, does: string, tool: 'script' | 'vitest' | 'playwright', args: string[], env?: Record<string, string>, needs?: 'build', beside?: boolean, mayBeAbsent?: boolean}} Stage */

/** @type {Record<BrowserName, string>} */
export const TITLES = { chromium: 'Chromium', firefox: 'Firefox' };

/** A large run checks every part again.
 * @param {Options} options
 * @returns {Stage[]} */
export function checks(options) {
  const args = ['.scripts/check.mjs', ...(options.all ? ['--no-cache'] : [])];
  return isFirst(options)
    ? [{ name: 'check', does: 'types, lint, format, unused code', tool: 'script', args, beside: true }]
    : [];
}

/** A large run builds again, whatever `dist/` has.
 * @param {Options} options
 * @returns {Stage[]} */
export function build(options) {
  return options.built
    ? []
    : [
        {
          name: 'build',
          does: 'the playground and the package into dist/',
          tool: 'script',
          // tests that start whole programs, which only a large run has, may read `dist/`
          ...(options.all
            ? { args: ['.scripts/build.mjs'] }
            : { args: ['.scripts/build.mjs', '--if-changed'], beside: true }),
        },
      ];
}

/** @param {Options} options
 * @returns {Stage[]} */
export function size(options) {
  return isFirst(options)
    ? [
        {
          name: 'size',
          does: 'gzipped sizes against what is held',
          tool: 'script',
          args: ['.scripts/size.mjs'],
          needs: 'build',
          beside: true,
        },
      ]
    : [];
}

/** `files`: the tests to run; all by default. `short`: a quarter of the generated cases (`test/cases.ts`), without the
 * long tests and the tests that start whole programs.
 * @typedef {{files?: string[], short?: boolean}} Part */

/** The project `process` has the tests that start whole programs.
 * @param {Options} options
 * @param {Part} [part]
 * @returns {Stage} */
export function unit(options, { files = [], short = false } = {}) {
  const projects = ['--project', 'node', ...(short ? [] : ['--project', 'process'])];
  return {
    name: 'unit',
    does: 'unit tests in Node',
    tool: 'vitest',
    args: [...projects, ...files, ...shardOf(options)],
    env: casesOf(short),
  };
}

/** @param {Options} options
 * @param {BrowserName[]} browsers
 * @param {Part} [part]
 * @returns {Stage} */
export function inBrowsers(options, browsers, { files = [], short = false } = {}) {
  const projects = browsers.flatMap((name) => ['--project', `browser (${name})`]);
  // Tests that read files run in Node alone: a browser that has no test in a file is no fault.
  const only = files.length === 0 ? [] : [...files, '--passWithNoTests'];
  return {
    name: 'browser',
    does: `browser suites in ${titled(browsers)}`,
    tool: 'vitest',
    args: [...projects, ...only, ...shardOf(options)],
    env: casesOf(short),
  };
}

/** @param {boolean} short
 * @returns {Record<string, string>} */
function casesOf(short) {
  return short ? { SALLYPORT_CASES: 'quarter' } : {};
}

/** @param {Options} options
 * @param {Project[]} projects
 * @param {string} does
 * @param {{grep?: string, files?: string[]}} [only]
 * @returns {Stage} */
export function endToEnd(options, projects, does, { grep, files = [] } = {}) {
  const only = [...(grep === undefined ? [] : ['--grep', grep]), ...files.map(asPattern)];
  const args = ['-c', 'e2e', ...projects.map((name) => `--project=${name}`), ...only, ...shardOf(options)];
  return { name: 'e2e', does: `end to end: ${does}`, tool: 'playwright', args, needs: 'build' };
}

/** Suites that start other programs.
 * @param {Options} options
 * @param {string[]} [files]
 * @returns {Stage} */
export function world(options, files = []) {
  return {
    name: 'world',
    does: 'suites that start other programs',
    tool: 'playwright',
    args: ['-c', 'e2e/world/playwright.config.ts', ...files.map(asPattern), ...shardOf(options)],
    needs: 'build',
  };
}

/** @param {boolean} mayBeAbsent
 * @returns {Stage} */
export function webkit(mayBeAbsent) {
  return {
    name: 'webkit',
    does: 'a smoke suite in WebKitGTK',
    tool: 'script',
    args: ['.scripts/webkit.mjs'],
    needs: 'build',
    mayBeAbsent,
  };
}

/** Playwright reads a path as a pattern.
 * @param {string} file */
function asPattern(file) {
  return file.replaceAll('.', '\\.');
}

/** @param {Options} options */
function shardOf({ shard }) {
  return shard === undefined ? [] : [`--shard=${shard}`];
}

/** @param {Options} options */
function isFirst({ shard }) {
  return shard === undefined || shard.startsWith('1/');
}

/** @param {Options} options */
export function isLast({ shard }) {
  if (shard === undefined) return true;
  const [part, parts] = shard.split('/');
  return part === parts;
}

/** @param {BrowserName[]} browsers */
export function titled(browsers) {
  return browsers.map((name) => TITLES[name]).join(' and ');
}
