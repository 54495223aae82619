// Other ways to run a model's calls and to isolate a guest, in one process of Node beside Sallyport.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RESULT, SANDBOX_PEERS } from '../../test/bench/peers/sandboxes.mjs';
import { expected, STEP_PEERS } from '../../test/bench/peers/steps.mjs';
import { contender, installPinned, rowsBeside } from './contenders.mjs';
import { openPlayer } from './player.mjs';

/** @typedef {import('./outside.mjs').Outside} Outside */
/** @typedef {import('../../test/bench/table.ts').Row} Row */
/** @typedef {import('../../test/bench/race.ts').Side} Side */
/**
 * @typedef {{load: import('../../test/bench/peers/steps.mjs').Load, versions: Record<string, string>,
 *   read: import('../../test/bench/peers/sandboxes.mjs').Read}} Peers
 */

/** Steps of a run, and turns. */
const RUNS = /** @type {const} */ ([
  [100, 5],
  [1_000, 2],
]);
/** Calls of a sample in a sandbox, and turns. */
const [CALLS, TURNS] = [20, 9];

/** @param {Outside} outside @returns {Promise<Row[]>} */
export async function peersInNode({ bench, trees, wasm }) {
  const { loader, versions } = installPinned('peers', { native: 'isolated-vm' });
  /** @type {Peers} */
  const peers = { .../** @type {any} */ (await import(loader)), versions };
  const { load } = peers;
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
