// Chooses the stages of a test run from its options. Pure: the abilities of the machine come in as facts.
import { build, checks, endToEnd, inBrowsers, isLast, size, TITLES, titled, unit, webkit, world } from './stages.mjs';

/** @typedef {import('./args.mjs').Options} Options */
/** @typedef {import('./paths.mjs').Tests} Tests */
/** @typedef {import('./stages.mjs').Project} Project */
/** @typedef {import('./stages.mjs').Stage} Stage */
/** @typedef {import('../browsers.mjs').BrowserName} BrowserName */

/** `by`: the command that runs it, or the reason why no command does here.
 * @typedef {{part: string, by: string}} LeftOut */

/** `browsers`: the browsers that this run drives. `tests`: the tests that the paths name. `suites`: the public suites
 * are there.
 * @typedef {{browsers: BrowserName[], tests?: Tests, suites: boolean}} Facts */

const ALL = 'npm test -- --all';

/** Engines that a run asks for: `one` takes Chromium, or Firefox where there is no Chromium.
 * @param {Options} options
 * @param {Tests | undefined} tests
 * @returns {BrowserName[] | 'one'} */
export function wantedBrowsers({ all, engines }, tests) {
  if (tests !== undefined && tests.browser.length + tests.e2e.length + tests.world.length === 0) return [];
  if (all) return ['chromium', 'firefox'];
  return engines.length === 0 ? 'one' : engines.filter((engine) => engine !== 'webkit');
}

/** @param {Options} options
 * @param {Facts} facts
 * @returns {{stages: Stage[], leftOut: LeftOut[]}} */
export function plan(options, facts) {
  if (facts.tests !== undefined) return { stages: stagesOfPaths(options, facts.browsers, facts.tests), leftOut: [] };
  if (options.engines.length > 0) return planOfEngines(options, facts);
  const { stages, leftOut } = options.all ? planOfAll(options, facts) : planOfCore(options, facts);
  const missing = facts.suites ? [] : [{ part: 'the public suites', by: 'SALLYPORT_SUITES names no folder' }];
  return { stages, leftOut: [...leftOut, ...missing, WORLD] };
}

const WORLD = { part: 'suites that start other programs', by: 'npm run test:world' };

/** @param {Options} options
 * @param {Facts} facts */
function planOfCore(options, { browsers }) {
  const other = browsers.includes('chromium') ? 'Firefox' : 'Chromium';
  const story = endToEnd(options, browsers, `core stories in ${titled(browsers)}`, { grep: '@core' });
  return {
    stages: [
      ...build(options),
      ...size(options),
      ...checks(options),
      unit(options, { short: true }),
      inBrowsers(options, browsers, { short: true }),
      story,
    ],
    leftOut: [
      ...otherShards(options),
      ...[
        'three quarters of the generated cases',
        'long tests of memory, of slow inputs and of every flipped byte',
        'tests that start whole programs',
        ...(browsers.includes('chromium')
          ? ['hostile programs and schemas, and the model of private files, in Chromium']
          : []),
        `browser suites in ${other}`,
        'the other stories',
        `end to end in ${other}`,
        'axe',
        'the package',
        'WebKit',
      ].map((part) => ({ part, by: ALL })),
    ],
  };
}

/** @param {Options} options
 * @param {Facts} facts */
function planOfAll(options, { browsers }) {
  /** @type {Project[]} */
  const projects = ['package', ...browsers];
  const absent = /** @type {BrowserName[]} */ (['chromium', 'firefox']).filter((name) => !browsers.includes(name));
  return {
    stages: [
      ...build(options),
      ...size(options),
      ...checks(options),
      unit(options),
      inBrowsers(options, browsers),
      endToEnd(options, projects, `every story in ${titled(browsers)}, and the package`),
      ...(isLast(options) ? [webkit(true)] : []),
    ],
    leftOut: [...otherShards(options), ...absent.map((name) => ({ part: TITLES[name], by: 'not installed' }))],
  };
}

/** @param {Options} options
 * @param {Facts} facts */
function planOfEngines(options, { browsers }) {
  const driven =
    browsers.length === 0
      ? []
      : [inBrowsers(options, browsers), endToEnd(options, browsers, `every story in ${titled(browsers)}`)];
  return {
    stages: [...build(options), ...driven, ...(options.engines.includes('webkit') ? [webkit(false)] : [])],
    leftOut: [...['check', 'size', 'unit tests', 'the package'].map((part) => ({ part, by: ALL })), WORLD],
  };
}

/** @param {Options} options
 * @param {BrowserName[]} browsers
 * @param {Tests} tests
 * @returns {Stage[]} */
function stagesOfPaths(options, browsers, tests) {
  const explicit = options.engines.length > 0;
  /** @type {Stage[]} */
  const stages = [];
  if (tests.unit.length > 0 && !explicit) stages.push(unit(options, { files: tests.unit }));
  if (tests.browser.length > 0 && browsers.length > 0)
    stages.push(inBrowsers(options, browsers, { files: tests.browser }));
  if (tests.e2e.length + tests.world.length > 0) stages.push(...build(options));
  if (tests.e2e.length > 0) {
    /** @type {Project[]} */
    const projects = explicit ? browsers : ['package', ...browsers];
    stages.push(endToEnd(options, projects, `the named files in ${titled(browsers)}`, { files: tests.e2e }));
  }
  if (tests.world.length > 0) stages.push(world(options, tests.world));
  return stages;
}

/** @param {Options} options
 * @returns {LeftOut[]} */
function otherShards({ shard }) {
  if (shard === undefined) return [];
  return [{ part: `every part but ${shard}`, by: `--shard I/${shard.split('/')[1]}` }];
}
