// `npm run test:long -- kills`: kills a writer from outside at random moments, and counts.
import { pathToFileURL } from 'node:url';
import { findBrowser } from '../../.scripts/browsers.mjs';
import { SEED, start } from '../../.scripts/long/command.mjs';
import { killBrowser } from './kill-browser.mjs';
import { killNode } from './kill-node.mjs';

/** @typedef {import('./tally.mjs').Tally} Tally */
/** @typedef {'node' | 'sqlite' | 'chromium' | 'firefox'} Engine */

const ENGINES = ['node', 'sqlite', 'chromium', 'firefox'];

/** @type {import('../../.scripts/long/types.ts').LongTest} */
const TEST = {
  name: 'kills',
  summary: 'Kills the writer of a ledger from outside at random moments, and compares what it had acknowledged.',
  numbers: {
    count: { help: 'Kills in each engine.', min: 1, max: 1_000_000, default: 100 },
    seed: SEED,
  },
  names: { engine: { help: 'Where the writer runs, sqlite in Node over SQLite:', names: ENGINES } },
  words: {
    usage: '[ENGINE ...] [COUNT]',
    optionOf: (word) => (/^\d+$/.test(word) ? 'count' : /^[a-z]+$/.test(word) ? 'engine' : undefined),
  },
  time: '100 kills take about 5 minutes in Node, 7 in Chromium, 15 in Firefox.',
  members: {
    engine: 'Engines whose writers were killed.',
    count: 'Kills.',
    seed: 'Seed of the moments.',
    acknowledged: 'Records that the writers acknowledged.',
    lost: 'Acknowledged records that a later start did not find.',
    told: 'Checkpoints of the log that were told.',
    contradicted: 'Checkpoints that a later log contradicted.',
    broken: 'Runs that did not verify.',
    twice: 'Steps with more than one intent or receipt.',
    interruptedSteps: 'Steps that a kill cut off and that were closed.',
    openSteps: 'Steps that were still open at the end: at most one for each writer.',
    torn: 'Logs of Chromium that were torn by hand.',
    restored: 'Databases that were filled again from the private files.',
    epochs: 'Ledgers that began anew because of a loss.',
  },
  run,
};

/** @param {import('../../.scripts/long/types.ts').Work} work */
async function run({ numbers, names, signal, report, progress, say }) {
  const { count = 0, seed = 0 } = numbers;
  const { engine: named = [] } = names;
  /** @type {Map<string, Tally>} */
  const tallies = new Map();
  const engines = named.length > 0 ? named : ENGINES.filter(isThere);
  report(membersOf(tallies, seed));
  for (const left of ENGINES.filter((engine) => named.length === 0 && !isThere(engine)))
    say(`${left} was not found: left out.`);
  for (const [at, engine] of engines.entries()) {
    const began = Date.now();
    const keep = (/** @type {Tally} */ tally) => {
      tallies.set(engine, tally);
      report(membersOf(tallies, seed));
    };
    const onKill = (/** @type {Tally} */ tally) => {
      keep(tally);
      progress(at * count + tally.kills, engines.length * count, `${engine}, ${tally.lost} lost`);
    };
    progress(at * count, engines.length * count, engine);
    const options = { seed, signal, onKill };
    const tally = await killIn(engine, count, options);
    keep(tally);
    say(textOf(engine, tally, Math.round((Date.now() - began) / 1000)));
  }
  return [...tallies.values()].every(isGood);
}

/** @param {string} engine @param {number} count @param {import('./tally.mjs').KillOptions} options */
function killIn(engine, count, options) {
  if (engine === 'node') return killNode(count, options);
  return engine === 'sqlite'
    ? killNode(count, { ...options, store: 'sqlite' })
    : killBrowser(browser(engine), count, options);
}

/** @param {string} engine */
function isThere(engine) {
  if (engine === 'sqlite') return process.getBuiltinModule('node:sqlite') !== undefined;
  return engine === 'node' || findBrowser(browser(engine)) !== undefined;
}

/** @param {string} engine */
function browser(engine) {
  return engine === 'firefox' ? 'firefox' : 'chromium';
}

/** @param {Tally} tally */
function isGood({ acknowledged, lost, broken, twice, contradicted, epochs }) {
  return acknowledged > 0 && [lost, broken, twice, contradicted, epochs].every((count) => count === 0);
}

/** @param {ReadonlyMap<string, Tally>} tallies @param {number} seed */
function membersOf(tallies, seed) {
  const sum = (/** @type {keyof Tally} */ name) => [...tallies.values()].reduce((all, tally) => all + tally[name], 0);
  return {
    engine: [...tallies.keys()].join(','),
    count: sum('kills'),
    seed,
    acknowledged: sum('acknowledged'),
    lost: sum('lost'),
    told: sum('told'),
    contradicted: sum('contradicted'),
    broken: sum('broken'),
    twice: sum('twice'),
    interruptedSteps: sum('interrupted'),
    openSteps: sum('openSteps'),
    torn: sum('torn'),
    restored: sum('restored'),
    epochs: sum('epochs'),
  };
}

/** @param {string} where @param {Tally} tally @param {number} seconds */
function textOf(where, tally, seconds) {
  const { kills, acknowledged, told, lost, broken, twice, contradicted, interrupted, openSteps } = tally;
  const { torn, restored, epochs } = tally;
  return [
    `${where}: ${kills} kills in ${seconds} s, ${acknowledged} records acknowledged, ${told} checkpoints told`,
    `  lost ${lost}, broken chains ${broken}, steps that ran twice ${twice}, checkpoints contradicted ${contradicted}`,
    `  steps closed as interrupted ${interrupted}, still open ${openSteps}`,
    ...(['node', 'sqlite'].includes(where)
      ? []
      : [`  logs torn by hand ${torn}, databases restored ${restored}, epochs lost ${epochs}`]),
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await start(TEST);
