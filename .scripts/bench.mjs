// `npm run bench`: the tables of `test/bench/`, in Node and in a worker of Chromium with a profile on disk.
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { findBrowser } from './browsers.mjs';
import { start } from './long/command.mjs';

/** @typedef {import('./long/types.ts').Work} Work */
/** @typedef {import('../test/bench/table.ts').Row} Row */
/**
 * @typedef {typeof import('../test/bench/table.ts') & {SECTIONS: unknown, LARGE: readonly string[], runSections:
 *   (sections: unknown, wanted: readonly string[], wasm: Uint8Array, report: (rows: Row[]) => void) => Promise<void>
 * }} Bench
 */

const ANYWHERE = ['accept', 'sandbox', 'step', 'flat', 'ledger', 'schema', 'hang'];
/** @type {Record<string, readonly string[]>} */
const SECTIONS = { node: [...ANYWHERE, 'scale'], chromium: [...ANYWHERE, 'durable', 'long', 'index'] };
/** A corpus of 100 MB: minutes long, and by name only. */
const LARGE = 'large';

/** @param {Work} work */
async function run(work) {
  const { buildForNode, removeBuild } = await import('./bench/build.mjs');
  const { engines, wanted } = asked(work);
  try {
    const bench = /** @type {Bench} */ (await buildForNode());
    /** @type {Row[]} */
    const rows = [];
    /** @type {string[]} */
    const measured = [];
    const tell = () => work.report({ engine: measured.join(','), ...bench.countsOf(rows), load: load() });
    tell();
    for (const engine of engines) {
      const own = await (engine === 'node' ? inNode : inChromium)(work, bench, wanted);
      work.say(bench.tableOf(own));
      rows.push(...own);
      measured.push(engine);
      tell();
    }
  } finally {
    removeBuild();
  }
  work.say('\nEvery pair is best / median of interleaved rounds. A goal is met by both, or by the best alone.');
  return true;
}

/** The engines with a named section, and the named sections.
 * @param {Work} work */
function asked({ names, say }) {
  const { engine = [], section: wanted = [] } = names;
  const sectionsOf = (/** @type {string} */ name) => [
    ...(SECTIONS[name] ?? []),
    ...(name === 'chromium' ? [LARGE] : []),
  ];
  const has = (/** @type {string} */ name) => sectionsOf(name).some((section) => wanted.includes(section));
  const engines = (engine.length > 0 ? engine : Object.keys(SECTIONS)).filter(
    (name) => wanted.length === 0 || has(name),
  );
  if (engines.length === 0) throw new Error(`${engine.join(' and ')} measures no ${wanted.join(', ')}.`);
  if (!engines.includes('chromium') || findBrowser('chromium') !== undefined) return { engines, wanted };
  if (engine.length > 0 || engines.length === 1) throw new Error('Chromium was not found.');
  say('Chromium was not found: only Node is measured.');
  return { engines: ['node'], wanted };
}

/** @param {Work} work @param {Bench} bench @param {readonly string[]} wanted */
async function inNode(work, { runSections, SECTIONS: sections }, wanted) {
  work.say(headline(`Node ${process.versions.node}, V8 ${process.versions.v8}`));
  const { WASM } = await import('./bench/serve.mjs');
  /** @type {Row[]} */
  const rows = [];
  const onSection = counter(work, 'node', wanted);
  const running = runSections(sections, wanted, new Uint8Array(readFileSync(WASM)), (section) => {
    rows.push(...section);
    onSection();
  });
  await untilAborted(work.signal, running);
  return rows;
}

/** @param {Work} work @param {Bench} bench @param {readonly string[]} wanted */
async function inChromium(work, bench, wanted) {
  const { measureInChromium } = await import('./bench/chromium.mjs');
  const others = wanted.filter((name) => name !== LARGE);
  const large = wanted.includes(LARGE) ? bench.LARGE : [];
  // The large corpus is opened in several pages in sequence, as by a returning visitor.
  const pages = [...(others.length > 0 || wanted.length === 0 ? [others] : []), ...large.map((part) => [part])];
  const onSection = counter(work, 'chromium', [...others, ...large]);
  return measureInChromium({
    pages,
    large,
    signal: work.signal,
    headline: (engine) => work.say(headline(engine)),
    say: (text) => work.say(`\n${text}`),
    onSection,
  });
}

/** Reports another finished section of an engine. Two tables of Chromium are the section `durable`.
 * @param {Work} work @param {string} engine @param {readonly string[]} wanted */
function counter({ progress }, engine, wanted) {
  const own = wanted.length === 0 ? (SECTIONS[engine] ?? []) : wanted;
  const total = own.length + (engine === 'chromium' && own.includes('durable') ? 1 : 0);
  let done = 0;
  progress(done, total, engine);
  return () => progress(++done, total, engine);
}

/** Waits for work that cannot be stopped, and no longer than until it is interrupted.
 * @param {AbortSignal} signal @param {Promise<void>} work @returns {Promise<void>} */
function untilAborted(signal, work) {
  const aborted = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  return Promise.race([work, /** @type {Promise<never>} */ (aborted)]);
}

/** @param {string} engine */
function headline(engine) {
  const [core] = cpus();
  return `\n${engine}; ${cpus().length} cores, ${core?.model.trim()}; load ${load()}\n`;
}

/** Load of the machine within the last minute: programs that wanted the processor. */
function load() {
  return Number(loadavg()[0]?.toFixed(1));
}

await start({
  name: 'bench',
  summary: 'Measures Sallyport beside other ways to do the same, in turns in one process, and prints ratios.',
  numbers: {},
  names: {
    engine: { help: 'Where to measure:', names: Object.keys(SECTIONS) },
    section: {
      help: 'What to measure:',
      names: [...new Set(Object.values(SECTIONS).flat()), LARGE],
      default: `all but ${LARGE}`,
    },
  },
  words: { usage: '[SECTION ...]', optionOf: () => 'section' },
  time: '3 minutes in Node, 8 in Chromium; the section large takes 10 more, and runs by name only.',
  members: {
    engine: 'Engines that were measured.',
    rows: 'Rows of the tables.',
    goals: 'Rows with a goal.',
    met: 'Goals that the best and the median round met.',
    best: 'Goals that the best round alone met.',
    missed: 'Goals that no round met. They do not fail the test: a time depends on the machine.',
    load: 'Load of the machine at the end.',
  },
  run,
});
