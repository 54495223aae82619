// `npm run bench`: the tables of `test/bench/`, in Node and in workers of browsers with a profile on disk.
import { cpus } from 'node:os';
import { findBrowser } from './browsers.mjs';
import { start } from './long/command.mjs';

/** @typedef {import('./long/types.ts').Work} Work */
/** @typedef {import('../test/bench/table.ts').Row} Row */
/** @typedef {import('../test/bench/results.ts').Measured} Measured */
/** @typedef {import('./bench/engines.mjs').Bench} Bench */

/** @param {Work} work */
async function run(work) {
  const parts = partsOf(work.names['engine'] ?? [], work.names['section'] ?? [], work.say);
  const { buildForNode, removeBuild } = await import('./bench/build.mjs');
  const { load, writeResults } = await import('./bench/results.mjs');
  try {
    const bench = /** @type {Bench} */ (await buildForNode());
    /** @type {Measured[]} */
    const measured = [];
    /** @type {string[]} */
    const done = [];
    const { results } = work.texts;
    const tell = () =>
      work.report({ engine: done.join(','), ...bench.countsOf(measured.flatMap(({ rows }) => rows)), load: load() });
    tell();
    const trees = parts.some(({ outside }) => outside.length > 0) ? await openTrees(work) : undefined;
    for (const part of parts) {
      await measure(work, bench, part, trees, (more) => {
        add(measured, { ...more, load: load() });
        if (results !== undefined) writeResults(results, measured, bench);
      });
      work.say(bench.tableOf(measured.filter(({ engine }) => engine === part.engine).flatMap(({ rows }) => rows)));
      done.push(part.engine);
      tell();
    }
  } finally {
    removeBuild();
  }
  work.say('\nEvery pair is best / median of interleaved rounds. A goal is met by both, or by one of them alone.');
  return true;
}

/** @param {Work} work */
async function openTrees({ texts }) {
  const trees = await import('./bench/trees.mjs');
  return trees.openTrees(texts['before']);
}

/** @param {Work} work @param {Bench} bench @param {Part} part
 * @param {import('./bench/outside.mjs').Outside['trees'] | undefined} trees
 * @param {(measured: Omit<Measured, 'load'>) => void} keep */
async function measure(work, bench, part, trees, keep) {
  const { ENGINES, measureOutside } = await import('./bench/engines.mjs');
  const { engine } = part;
  const total = part.bundled.length + part.outside.length + (part.isLarge ? bench.LARGE.length : 0);
  let [version, sections] = [engine, 0];
  work.progress(0, total, engine);
  const headline = (/** @type {string} */ text) => {
    version = text;
    work.say(`\n${text}; ${cpus().length} cores, ${cpus()[0]?.model.trim()}\n`);
  };
  const onSection = (/** @type {readonly Row[]} */ rows, /** @type {string} */ section) => {
    keep({ engine, version, section, date: new Date().toISOString().slice(0, 10), rows });
    work.progress(Math.min(++sections, total), total, `${engine}, ${section}`);
  };
  const measuring = { work, bench, part, headline, onSection };
  await ENGINES[engine]?.(measuring);
  if (trees !== undefined) await measureOutside(measuring, trees);
}

/** Adds a section, or more rows of it.
 * @param {Measured[]} measured @param {Measured} more */
function add(measured, more) {
  const at = measured.findIndex(({ engine, section }) => engine === more.engine && section === more.section);
  const before = measured[at];
  if (before === undefined) measured.push(more);
  else measured[at] = { ...more, rows: [...before.rows, ...more.rows] };
}

const ANYWHERE = ['accept', 'sandbox', 'step', 'flat', 'ledger', 'schema', 'hang'];
/** Sections of the bundle and of the built package, by the engine that measures them.
 * @type {Readonly<Record<string, {bundled: readonly string[], outside: readonly string[]}>>} */
const SECTIONS = {
  chromium: { bundled: [...ANYWHERE, 'durable', 'long', 'index', 'ablate'], outside: ['shipped', 'memory', 'start'] },
  firefox: { bundled: ['sandbox', 'step', 'flat', 'durable', 'ablate'], outside: [] },
  // Last: SES, one of its peers, locks this process down, which then can send no function to a page.
  node: {
    bundled: [...ANYWHERE, 'scale', 'tools', 'privilege', 'ablate'],
    outside: ['shipped', 'memory', 'start', 'mcp', 'databases', 'peers'],
  },
};
/** A corpus of 100 MB: minutes long. */
const LARGE = 'large';
/** Sections that run only when they are named: they take minutes, or install packages. */
const BY_NAME = [LARGE, 'ablate', 'shipped', 'memory', 'start', 'mcp', 'databases', 'peers'];
/** Word for each section there is. */
const ALL = 'all';

/** Each name that a section can be called by. */
const NAMES = [
  ...new Set([...Object.values(SECTIONS).flatMap(({ bundled, outside }) => [...bundled, ...outside]), LARGE, ALL]),
];

/** @typedef {{engine: string, bundled: readonly string[], outside: readonly string[], isLarge: boolean}} Part */

/** The sections to measure in each engine. Throws where a named engine measures no named section or was not found.
 * @param {readonly string[]} engines @param {readonly string[]} sections @param {(text: string) => void} say
 * @returns {readonly Part[]} */
function partsOf(engines, sections, say) {
  const isWanted = (/** @type {string} */ name) =>
    sections.includes(ALL) || (sections.length === 0 ? !BY_NAME.includes(name) : sections.includes(name));
  const parts = Object.entries(SECTIONS)
    .filter(([engine]) => engines.length === 0 || engines.includes(engine))
    .map(([engine, { bundled, outside }]) => ({
      engine,
      bundled: bundled.filter(isWanted),
      outside: outside.filter(isWanted),
      isLarge: engine === 'chromium' && isWanted(LARGE),
    }))
    .filter(({ bundled, outside, isLarge }) => isLarge || bundled.length + outside.length > 0);
  if (parts.length === 0) throw new Error(`${engines.join(' and ')} measures no ${sections.join(', ')}.`);
  return parts.filter(({ engine }) => {
    if (engine === 'node' || findBrowser(/** @type {'chromium' | 'firefox'} */ (engine)) !== undefined) return true;
    if (engines.includes(engine) || parts.length === 1) throw new Error(`${engine} was not found.`);
    say(`${engine} was not found: it is left out.`);
    return false;
  });
}

await start({
  name: 'bench',
  command: 'npm run bench --',
  summary: 'Measures Sallyport beside other ways to do the same, in turns in one process, and prints ratios.',
  numbers: {},
  names: {
    engine: { help: 'Where to measure:', names: Object.keys(SECTIONS) },
    section: { help: 'What to measure:', names: NAMES, default: `all but ${BY_NAME.join(', ')}` },
  },
  texts: {
    before: { help: 'Commit whose package is built and measured beside this one.', value: 'COMMIT' },
    results: { help: 'File of JSON that gets the rows, the machine, versions and date.', value: 'FILE' },
  },
  words: { usage: '[SECTION ...]', optionOf: () => 'section' },
  time: `5 minutes in Node, 10 in Chromium, 3 in Firefox; ${BY_NAME.join(', ')} take 40 more, and run by name or with ${ALL}.`,
  members: {
    engine: 'Engines that were measured.',
    rows: 'Rows of the tables.',
    goals: 'Rows with a goal.',
    met: 'Goals that the best and the median round met.',
    best: 'Goals that the best round alone met.',
    median: 'Goals that the median round alone met.',
    missed: 'Goals that neither of the two met. They do not fail the test: a time depends on the machine.',
    load: 'Load of the machine at the end.',
  },
  run,
});
