// Other ways to run a model's calls and to isolate a guest, in one process of Node beside Sallyport.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RESULT, SANDBOX_PEERS } from '../../test/bench/peers/sandboxes.mjs';
import { expected, STEP_PEERS } from '../../test/bench/peers/steps.mjs';
import { ROOT } from '../steps.mjs';
import { openPlayer } from './player.mjs';
import { npm } from './trees.mjs';

/** @typedef {import('./outside.mjs').Outside} Outside */
/** @typedef {import('../../test/bench/table.ts').Row} Row */
/** @typedef {import('../../test/bench/race.ts').Side} Side */
/** @typedef {{name: string, side?: Side, missing?: string}} Contender */
/**
 * @typedef {{load: import('../../test/bench/peers/steps.mjs').Load, versions: Record<string, string>,
 *   read: import('../../test/bench/peers/sandboxes.mjs').Read}} Peers
 */

const PEERS = join(ROOT, 'test/bench/peers');
/** A module beside the peers' packages, so that Node finds them. */
const LOADER = `import { readFileSync } from 'node:fs';
export const load = (name) => import(name);
export const read = (name) => readFileSync(new URL(import.meta.resolve(name)));
`;
/** Steps of a run, and turns. */
const RUNS = /** @type {const} */ ([
  [100, 5],
  [1_000, 2],
]);
/** Calls of a sample in a sandbox, and turns. */
const [CALLS, TURNS] = [20, 9];

/** @param {Outside} outside @returns {Promise<Row[]>} */
export async function peersInNode({ bench, trees, wasm }) {
  const peers = await installed();
  const { load, versions } = peers;
  const player = await openPlayer(pathToFileURL(join(trees.now.home, 'dist/node.js')).href);
  const rows = [];
  for (const [steps, rounds] of RUNS) {
    const ours = { name: 'sallyport', sample: async () => ((await player.play(steps)).ms * 1000) / steps };
    const others = await Promise.all(
      STEP_PEERS.map(({ name, package: id, open }) =>
        contender(`${name} ${versions[id]}`, async () => stepSide(await open(load), steps)),
      ),
    );
    rows.push(...(await rowsBeside(bench, `step as shipped, N = ${steps}, in Node, threads`, ours, others, rounds)));
  }
  await player.close();
  return [...rows, ...(await sandboxRows(bench, wasm, peers))];
}

/** @param {Outside['bench']} bench @param {Uint8Array} wasm @param {Peers} peers */
async function sandboxRows(bench, wasm, { load, read, versions }) {
  const [trivial] = await bench.races(wasm);
  const [fresh] = trivial?.contestants ?? [];
  if (fresh === undefined) throw new Error('There is no call on a fresh heap.');
  const ours = callSide('sallyport', fresh.call);
  const rows = [];
  for (const isLast of [undefined, true]) {
    const others = [];
    for (const { name, package: id, open } of SANDBOX_PEERS.filter((peer) => peer.isLast === isLast))
      others.push(
        await contender(name.replace(/^[^,]+/, `$& ${versions[id]}`), async () =>
          callSide(name, await open(load, read)),
        ),
      );
    rows.push(...(await rowsBeside(bench, 'sandbox call, trivial, in Node', ours, others, TURNS)));
  }
  return rows;
}

/** Makes the first run or call of a side, and says why there is none.
 * @param {string} name @param {() => Promise<{sample: Side['sample']}>} open @returns {Promise<Contender>} */
async function contender(name, open) {
  try {
    const { sample } = await open();
    await sample();
    return { name, side: { name, sample } };
  } catch (error) {
    const [message = ''] = String(error instanceof Error ? error.message : error).split('\n');
    return { name, missing: `not measured: ${message.slice(0, 100)}` };
  }
}

/** @param {Outside['bench']} bench @param {string} what @param {Side} ours @param {readonly Contender[]} others
 * @param {number} rounds @returns {Promise<Row[]>} */
async function rowsBeside({ race, rowsOf }, what, ours, others, rounds) {
  await ours.sample();
  const raced = await race([ours, ...others.flatMap(({ side }) => side ?? [])], rounds);
  const [own] = raced;
  if (own === undefined) return [];
  const missing = others.flatMap(({ name, missing: why }) =>
    why === undefined ? [] : [{ what, against: name, ours: own.times, missing: why }],
  );
  return [...rowsOf(what, raced), ...missing];
}

/** @param {import('../../test/bench/peers/steps.mjs').Play} play @param {number} steps */
function stepSide(play, steps) {
  const wanted = JSON.stringify(expected(steps));
  return {
    sample: async () => {
      const start = performance.now();
      const results = await play(steps);
      const us = ((performance.now() - start) * 1000) / steps;
      if (JSON.stringify(results) !== wanted) throw new Error('it came to other results');
      return us;
    },
  };
}

/** @param {string} name @param {import('../../test/bench/peers/sandboxes.mjs').Call} call @returns {Side} */
function callSide(name, call) {
  return {
    name,
    sample: async () => {
      const start = performance.now();
      for (let at = 0; at < CALLS; at++) {
        const text = call();
        if ((typeof text === 'string' ? text : await text) !== RESULT) throw new Error('it came to another result');
      }
      return ((performance.now() - start) * 1000) / CALLS;
    },
  };
}

/** Installs the peers into the cache, unless they are there, and imports them from there.
 * @returns {Promise<Peers>} */
async function installed() {
  const lock = readFileSync(join(PEERS, 'package-lock.json'));
  const home = join(ROOT, 'node_modules/.cache/sallyport', `peers-${hashOf(lock)}`);
  const loader = join(home, 'load.mjs');
  if (!existsSync(loader)) {
    mkdirSync(home, { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(PEERS, file), join(home, file));
    npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], home);
    buildNative(home);
    // written last: an installation that was interrupted begins anew
    writeFileSync(loader, LOADER);
  }
  return { .../** @type {any} */ (await import(pathToFileURL(loader).href)), versions: versionsIn(home) };
}

/** Builds the only peer with code of its own for a machine. Its row says when that failed.
 * @param {string} home */
function buildNative(home) {
  try {
    npm(['rebuild', 'isolated-vm', '--loglevel=error'], home);
  } catch {
    rmSync(join(home, 'node_modules/isolated-vm'), { recursive: true, force: true });
  }
}

/** @param {string} home @returns {Record<string, string>} */
function versionsIn(home) {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  return { ...dependencies, ...optionalDependencies };
}

/** @param {Buffer} bytes */
function hashOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
