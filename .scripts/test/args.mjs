// Reads the arguments of the commands that run tests.
import { parseArgs } from 'node:util';

/** @typedef {'chromium' | 'firefox' | 'webkit'} Engine */
/** @typedef {{all: boolean, engines: Engine[], shard: string | undefined, built: boolean, help: boolean, paths: string[]}} Options */
/** @typedef {'npm test' | 'npm run test:world' | 'npm run test:quick'} Command */

/** @type {readonly Engine[]} */
const ENGINES = ['chromium', 'firefox', 'webkit'];

const FLAGS = /** @type {const} */ ({
  all: { type: 'boolean' },
  engine: { type: 'string', multiple: true },
  shard: { type: 'string' },
  built: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
});

/** @type {Record<Command, ReadonlyArray<keyof typeof FLAGS>>} */
const TAKES = {
  'npm test': ['all', 'engine', 'shard', 'built', 'help'],
  'npm run test:world': ['shard', 'built', 'help'],
  'npm run test:quick': ['help'],
};

const SHARED_HELP = `  --shard I/N      part I of N, for several machines
  --built          uses dist/ as it is instead of building it first
  --help           prints this`;

/** @type {Record<Command, string>} */
export const HELP = {
  'npm test': `npm test [-- OPTIONS] [PATH…]

Without options: check, size, the unit tests, the browser suites in one engine, the core stories end to end; a test
with generated cases tries a quarter of them.
With PATH (files or folders of test/ and e2e/): the tests in them, nothing else.

  --all            every generated case, every engine that is installed, end to end whole, the package, WebKit
  --engine NAME    the browser suites and end to end in chromium, firefox or webkit; may be repeated
${SHARED_HELP}

npm run test:quick runs types, lint and the tests that a change touches.
npm run test:world runs the suites that start other programs.`,
  'npm run test:world': `npm run test:world [-- OPTIONS] [PATH…]

Runs the suites in e2e/world, which start other programs: servers, frameworks, databases.

${SHARED_HELP}`,
  'npm run test:quick': `npm run test:quick

Runs types, lint and the unit tests that a change touches: against the merge base with main on a branch,
against HEAD for a change that is not committed. End to end is left out.

A test is touched when its imports lead to a changed file. Changed tests always run. Other touched tests run in the
order of their distance, the fewest imports between first, until their last known durations fill 25 seconds of every
core. The summary counts the others; npm test runs them.

  --help           prints this`,
};

/** The options in `argv`, or `fault`: the sentence that says which argument is wrong and what to do.
 * @param {Command} command
 * @param {string[]} argv
 * @returns {{options: Options} | {fault: string}} */
export function readOptions(command, argv) {
  const flags = Object.fromEntries(TAKES[command].map((name) => [name, FLAGS[name]]));
  const { values, positionals, tokens } = parseArgs({
    args: argv,
    options: flags,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const read = /** @type {Record<string, string | boolean | Array<string | boolean> | undefined>} */ (values);
  const engines = [read['engine'] ?? []].flat();
  const shard = /** @type {string | true | undefined} */ (read['shard']);
  const all = read['all'] === true;
  const fault =
    unknownOption(command, tokens) ??
    wrongEngine(engines, all) ??
    wrongShard(shard) ??
    needlessPath(command, positionals);
  if (fault !== undefined) return { fault };
  const { built = false, help = false } = /** @type {{built?: boolean, help?: boolean}} */ (read);
  const options = { all, engines: /** @type {Engine[]} */ ([...new Set(engines)]), built, help, paths: positionals };
  return { options: { ...options, shard: shard === true ? undefined : shard } };
}

/** @param {Command} command
 * @param {ReadonlyArray<{kind: string, name?: string, rawName?: string, value?: string | undefined}>} tokens */
function unknownOption(command, tokens) {
  for (const { kind, name, rawName, value } of tokens) {
    if (kind !== 'option') continue;
    const flag = TAKES[command].find((each) => each === name);
    if (flag === undefined) return `${rawName} is not an option of ${command}. ${helpOf(command)} lists the options.`;
    if (FLAGS[flag].type === 'boolean' && value !== undefined)
      return `${rawName} takes no value: leave out "${value}".`;
  }
  return undefined;
}

/** @param {Array<string | boolean>} engines
 * @param {boolean} all */
function wrongEngine(engines, all) {
  const wrong = engines.find((name) => !ENGINES.some((engine) => engine === name));
  if (wrong === true) return `--engine needs a name: ${ENGINES.join(', ')}.`;
  if (wrong !== undefined) return `--engine ${wrong} is not known. Choose from ${ENGINES.join(', ')}.`;
  return all && engines.length > 0 ? '--all runs every engine. Leave out --engine, or leave out --all.' : undefined;
}

/** @param {string | boolean | undefined} shard */
function wrongShard(shard) {
  if (shard === undefined) return undefined;
  const [, part = '0', parts = '0'] = /^(\d+)\/(\d+)$/.exec(String(shard)) ?? [];
  if (Number(part) >= 1 && Number(part) <= Number(parts)) return undefined;
  const wrong = shard === true ? 'has no value' : `${shard} is not a part`;
  return `--shard ${wrong}. Write I/N with I from 1 to N: --shard 1/3.`;
}

/** @param {Command} command
 * @param {string[]} paths */
function needlessPath(command, paths) {
  if (command !== 'npm run test:quick' || paths.length === 0) return undefined;
  return `${command} takes no path: it finds the tests itself. npm test -- ${paths.join(' ')} runs the tests of a path.`;
}

/** @param {Command} command */
function helpOf(command) {
  return `${command} -- --help`;
}
