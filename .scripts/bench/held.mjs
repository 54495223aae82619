// Memory that a long run and finished runs hold in the built package, behind a full collection.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright';
import { findBrowser } from '../browsers.mjs';
import { bundleForNode } from '../steps.mjs';
import { openPlayer } from './player.mjs';
import { serveTree } from './serve-tree.mjs';

/** @typedef {import('./outside.mjs').Outside} Outside */
/** @typedef {import('../../test/bench/table.ts').Row} Row */
/** MB that so many steps of a run hold, and so many finished runs. @typedef {{steps: number, runs: number}} Held */

/** Steps and runs that are measured, behind as many as bring compiled code and caches to their size. */
export const COUNTS = { early: { steps: 200, runs: 2_000 }, steps: 10_000, runs: 10_000 };
/** A finished run is to hold nothing: the collector leaves some noise. */
const GOALS = { steps: { mb: 30 }, runs: { mb: 1 } };

const ENTRY = fileURLToPath(new URL('held-entry.mjs', import.meta.url));

/** @param {Outside} outside @returns {Promise<Row[]>} */
export async function heldInNode({ trees: { now }, signal }) {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-held-node-'));
  const bundle = await bundleForNode('test/load/sqlite-node.ts');
  /** @param {string} binary @param {'directory' | 'sqlite'} engine @returns {Promise<Held>} */
  const held = async (binary, engine) => {
    const args = ['--expose-gc', '--disable-warning=ExperimentalWarning', ENTRY, join(now.home, 'dist'), engine];
    const { stdout } = await promisify(execFile)(binary, [...args, JSON.stringify(COUNTS)], { signal });
    return JSON.parse(stdout);
  };
  try {
    const rows = rowsOf(await held(process.execPath, 'directory'), 'in Node, a directory');
    /** @type {typeof import('../../test/load/sqlite-node.ts')} */
    const { nodeWithSqlite } = await import(pathToFileURL(bundle.file).href);
    const node = nodeWithSqlite(folder);
    return 'reason' in node ? rows : [...rows, ...rowsOf(await held(node.binary, 'sqlite'), 'in Node, SQLite')];
  } finally {
    bundle.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {Outside} outside @returns {Promise<Row[]>} */
export async function heldInPage({ trees: { now }, signal }) {
  const profile = mkdtempSync(join(tmpdir(), 'sallyport-held-'));
  const { args = [], ...found } = findBrowser('chromium') ?? {};
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  // Without the feature, the engine waits for a collection of its own.
  const eager = '--enable-blink-features=ForceEagerMeasureMemory';
  const options = { headless: true, ...signals, ...found, args: [...args, eager] };
  const context = await chromium.launchPersistentContext(profile, options);
  const server = await serveTree(now);
  const close = () => void context.close().catch(() => undefined);
  signal.addEventListener('abort', close);
  try {
    await context.route('**/*', isolate);
    const page = await context.newPage();
    await page.goto(`${server.address}docs/index.html`);
    const player = await page.evaluateHandle(openPlayer, '/index.js');
    return rowsOf(await player.evaluate(heldBy, COUNTS), 'in a page with its workers');
  } finally {
    signal.removeEventListener('abort', close);
    await context.close();
    await server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Only an isolated page may measure itself and its workers. @param {import('playwright').Route} route */
async function isolate(route) {
  const response = await route.fetch();
  const headers = {
    ...response.headers(),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  };
  await route.fulfill({ response, headers });
}

/** In the page. @param {import('./shipped.mjs').Player} player @param {typeof COUNTS} counts @returns {Promise<Held>} */
async function heldBy(player, { early, steps, runs }) {
  const measure = async () => (await /** @type {any} */ (performance).measureUserAgentSpecificMemory()).bytes / 1e6;
  const [before, after] = [early.steps, early.steps + steps];
  /** @type {number[]} */
  const sizes = [];
  await player.play(after + 1, async (step) => {
    if (step === before || step === after) sizes.push(await measure());
  });
  const play = async (/** @type {number} */ count) => {
    for (let n = 0; n < count; n++) await player.play(1);
    return measure();
  };
  const [first, last] = [await play(early.runs), await play(runs)];
  return { steps: (sizes[1] ?? Number.NaN) - (sizes[0] ?? Number.NaN), runs: last - first };
}

/** @param {Held} held @param {string} where @returns {Row[]} */
function rowsOf(held, where) {
  return /** @type {const} */ (['steps', 'runs']).map((what) => {
    const mb = held[what];
    const name = what === 'steps' ? 'steps of a run' : 'finished runs';
    const ours = { best: mb, median: mb };
    return { what: `memory of ${COUNTS[what]} ${name}, ${where}`, against: '', ours, unit: 'MB', goal: GOALS[what] };
  });
}
