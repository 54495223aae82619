// A step as users have it: the built package, Node with threads and a page with workers and disk.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { chromium } from 'playwright';
import { findBrowser } from '../browsers.mjs';
import { openPlayer, pageRoundTrip } from './player.mjs';
import { serveTree } from './serve-tree.mjs';

/** @typedef {import('./outside.mjs').Outside} Outside */
/** @typedef {import('./trees.mjs').Tree} Tree */
/** @typedef {import('../../test/bench/table.ts').Row} Row */
/** @typedef {import('../../test/bench/table.ts').Neighbours} Neighbours */
/** @typedef {{play: (steps: number, before?: (step: number) => Promise<void>) => Promise<{ms: number, steps: number[]}>,
 *   playBeside: (late: number) => Promise<Neighbours[]>, close: () => Promise<void>}} Player */

/** Steps of a run, and turns. */
const RUNS = /** @type {const} */ ([
  [100, 7],
  [1_000, 3],
  [10_000, 1],
]);
/** Our goal beside the older commit that a caller names. */
const GOAL = { ratio: 0.6 };

/** @param {Outside} outside @returns {Promise<Row[]>} */
export async function shippedInNode({ bench, trees }) {
  const players = await Promise.all(
    sidesOf(trees).map(({ home }) => openPlayer(pathToFileURL(join(home, 'dist/node.js')).href)),
  );
  const rows = await stepRows(bench, trees, players, { name: 'a message to a thread and back', sample: nodeRoundTrip });
  for (const player of players) await player.close();
  return named(rows, 'in Node, threads');
}

/** @param {Outside} outside @returns {Promise<Row[]>} */
export async function shippedInPage({ bench, trees, signal }) {
  const profile = mkdtempSync(join(tmpdir(), 'sallyport-shipped-'));
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  const options = { headless: true, ...signals, ...findBrowser('chromium') };
  const context = await chromium.launchPersistentContext(profile, options);
  const servers = await Promise.all(sidesOf(trees).map(serveTree));
  const close = () => void context.close().catch(() => undefined);
  signal.addEventListener('abort', close);
  try {
    const players = [];
    for (const { address } of servers) players.push(await playerInPage(context, `${address}docs/index.html`));
    // An empty page: the playground's policy permits no worker that is made here.
    const bare = await context.newPage();
    const trip = { name: 'a message to a worker and back', sample: () => bare.evaluate(pageRoundTrip) };
    return named(await stepRows(bench, trees, players, trip), 'in a page, workers and disk');
  } finally {
    signal.removeEventListener('abort', close);
    await context.close();
    for (const server of servers) await server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** @param {import('playwright').BrowserContext} context @param {string} address @returns {Promise<Player>} */
async function playerInPage(context, address) {
  const page = await context.newPage();
  await page.goto(address);
  const player = await page.evaluateHandle(openPlayer, '/index.js');
  return {
    play: (steps) => player.evaluate((inner, n) => inner.play(n), steps),
    playBeside: (late) => player.evaluate((inner, n) => inner.playBeside(n), late),
    close: () => page.close(),
  };
}

/** Ours first. @param {Outside['trees']} trees @returns {readonly Tree[]} */
function sidesOf({ now, before }) {
  return before === undefined ? [now] : [now, before];
}

/** @param {Outside['bench']} bench @param {Outside['trees']} trees @param {readonly Player[]} players
 * @param {{name: string, sample: () => Promise<number>}} trip @returns {Promise<Row[]>} */
async function stepRows({ race, rowsOf, flatRow }, trees, players, trip) {
  /** @type {Row[]} */
  const rows = [];
  for (const player of players) await player.play(200);
  for (const [steps, rounds] of RUNS) {
    const sides = sidesOf(trees).map(({ name }, at) => ({
      name,
      sample: async () => {
        const { ms } = await /** @type {Player} */ (players[at]).play(steps);
        return (ms * 1000) / steps;
      },
    }));
    const goals = sides.slice(1).map(() => GOAL);
    rows.push(...rowsOf(`step as shipped, N = ${steps}`, await race([...sides, trip], rounds), ...goals));
  }
  const neighbours = await /** @type {Player} */ (players[0]).playBeside(10_000);
  return [...rows, flatRow('step 10,000 as shipped', neighbours)];
}

/** @param {readonly Row[]} rows @param {string} where @returns {Row[]} */
function named(rows, where) {
  return rows.map((row) => ({ ...row, what: `${row.what}, ${where}` }));
}

/** The µs of a message to a bare thread and back, with a text as long as a proposal. */
async function nodeRoundTrip() {
  const echo =
    "const { parentPort } = require('worker_threads'); parentPort.on('message', (m) => parentPort.postMessage(m));";
  const worker = new Worker(echo, { eval: true });
  const [rounds, text] = [500, 'x'.repeat(100)];
  /** @param {number} round */
  const trip = (round) =>
    new Promise((resolve) => {
      worker.once('message', resolve);
      worker.postMessage({ round, text });
    });
  // The first answer comes when the thread has started.
  await trip(-1);
  const start = performance.now();
  for (let round = 0; round < rounds; round++) await trip(round);
  const us = ((performance.now() - start) * 1000) / rounds;
  await worker.terminate();
  return us;
}
