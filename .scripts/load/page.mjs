// The curves of a page: the built package in Chromium, with its workers and a profile on disk.
import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { openPlayer } from '../bench/player.mjs';
import { serveTree } from '../bench/serve-tree.mjs';
import { findBrowser } from '../browsers.mjs';
import { node, ROOT } from '../steps.mjs';
import { addFiles, openLedger, openTools, restoreBackup, searchFiles } from './in-page.mjs';

/** @typedef {import('../../test/bench/curves/results.ts').Series} Series */
/** @typedef {import('playwright').BrowserContext} Context */
/** @typedef {import('playwright').Page} Page */
/**
 * @typedef {object} PageOptions
 * @property {import('../../test/load/scale-plan.ts').ScalePlan} plan
 * @property {string} folder for profiles and backups
 * @property {boolean} isQuick takes the last build as it is
 * @property {typeof import('../../test/load/scale-backup.ts').writeBackups} writeBackups
 * @property {AbortSignal} signal
 * @property {(series: readonly Series[]) => void} onSeries
 * @property {(note: string) => void} onNote
 */
/** @typedef {PageOptions & {address: string}} Visit a served page */

const PAGE = 'a page in Chromium';
const ENTRY = '/index.js';
/** Times of which the median counts. */
const ROUNDS = 5;
/** A large ledger is opened less often. */
const OPENING = { entry: ENTRY, rounds: ROUNDS, budgetMs: 10_000 };

/** Measures the curves of a page. Resolves to the version of Chromium, or undefined where there is none.
 * @param {PageOptions} options @returns {Promise<string | undefined>} */
export async function measurePage(options) {
  if (findBrowser('chromium') === undefined) {
    options.onSeries(absent('Chromium was not found'));
    return undefined;
  }
  await build(options.isQuick);
  const server = await serveTree({ name: 'sallyport', home: ROOT });
  const visit = { ...options, address: server.address };
  try {
    for (const measure of [runs, opened, files, tools, tabs]) options.onSeries(await measure(visit));
    return await inProfile(visit, async (context) => context.browser()?.version());
  } finally {
    await server.close();
  }
}

/** @param {string} reason @returns {Series[]} */
function absent(reason) {
  const charts = /** @type {const} */ (['runs', 'opened', 'files', 'tools', 'tabs']);
  return charts.map((chart) => ({ chart, name: PAGE, points: [], end: { kind: 'absent', reason } }));
}

/** @param {boolean} isQuick */
async function build(isQuick) {
  if (isQuick && existsSync(join(ROOT, 'dist/index.js'))) return;
  if ((await node([join(ROOT, '.scripts/build.mjs')])) !== 0) throw new Error('The package was not built.');
}

/** @param {Visit} visit */
const runs = (visit) => openings(visit, 'runs', 'runs');
/** @param {Visit} visit */
const opened = (visit) => openings(visit, 'opened', 'records');

/** The time until a ledger of each size is open: a backup fills it, and a new page opens it.
 * @param {Visit} visit @param {Series['chart']} chart @param {'runs' | 'records'} unit */
async function openings(visit, chart, unit) {
  const { plan, folder, writeBackups } = visit;
  const sizes = plan[unit].page;
  const backups = await writeBackups(folder, unit, sizes);
  return inProfile(visit, (context) =>
    lines(visit, chart, [PAGE], sizes, async (size) => {
      await inPage(visit, context, async (page) => {
        await page.evaluate(() => {
          const input = Object.assign(document.createElement('input'), { type: 'file', id: 'backup' });
          document.body.append(input);
        });
        await page.setInputFiles('#backup', backups[sizes.indexOf(size)] ?? '');
        await page.evaluate(restoreBackup, { entry: ENTRY });
      });
      return [await inPage(visit, context, (page) => page.evaluate(openLedger, OPENING))];
    }),
  );
}

/** The time of a search beside so many files.
 * @param {Visit} visit */
function files(visit) {
  let added = 0;
  return inProfile(visit, (context) =>
    lines(visit, 'files', ['a search', 'the first search of a page'], visit.plan.files, async (count) => {
      const order = { entry: ENTRY, from: added, to: count };
      await inPage(visit, context, (page) => page.evaluate(addFiles, order));
      added = count;
      const search = { entry: ENTRY, files: count, rounds: 2 * ROUNDS };
      return inPage(visit, context, (page) => page.evaluate(searchFiles, search));
    }),
  );
}

/** The time to open a runtime with so many tools, and of a step beside them.
 * @param {Visit} visit */
function tools(visit) {
  const steps = visit.plan.timed;
  return inProfile(visit, (context) =>
    lines(visit, 'tools', ['opening of a runtime', 'a step'], visit.plan.tools, (count) =>
      inPage(visit, context, (page) => page.evaluate(openTools, { entry: ENTRY, count, rounds: ROUNDS, steps })),
    ),
  );
}

/** Steps a second of so many tabs, which write one ledger.
 * @param {Visit} visit */
function tabs(visit) {
  const steps = 4 * visit.plan.timed;
  return inProfile(visit, (context) =>
    lines(visit, 'tabs', [PAGE], visit.plan.tabs, async (count) => {
      const pages = await Promise.all(Array.from({ length: count }, () => openPage(visit, context)));
      const players = await Promise.all(pages.map((page) => page.evaluateHandle(openPlayer, ENTRY)));
      const play = (/** @type {number} */ wanted) =>
        Promise.all(players.map((player) => player.evaluate((inner, n) => inner.play(n), wanted)));
      // The first steps make the images of the sandboxes.
      await play(5);
      const began = performance.now();
      await play(steps);
      const ms = performance.now() - began;
      for (const page of pages) await page.close();
      return [(count * steps * 1_000) / ms];
    }),
  );
}

/** Lines of a chart that are measured at the same points, until the time for a page is over.
 * @param {Visit} visit @param {Series['chart']} chart @param {readonly string[]} names @param {readonly number[]} ats
 * @param {(at: number) => Promise<readonly number[]>} measure the value of each line
 * @returns {Promise<Series[]>} */
async function lines({ plan, signal, onNote }, chart, names, ats, measure) {
  /** @type {[number, number][][]} */
  const points = names.map(() => []);
  const began = performance.now();
  let kind = /** @type {'planned' | 'time'} */ ('planned');
  for (const at of ats) {
    signal.throwIfAborted();
    if (performance.now() - began > plan.ms.page) kind = 'time';
    if (kind === 'time') break;
    onNote(`Chromium, ${chart}: ${at}`);
    for (const [nth, value] of (await measure(at)).entries()) points[nth]?.push([at, value]);
  }
  return names.map((name, nth) => ({ chart, name, points: points[nth] ?? [], end: { kind } }));
}

/** Opens a browser with a profile of its own, and closes it behind its use.
 * @template T @param {Visit} visit @param {(context: Context) => Promise<T>} use @returns {Promise<T>} */
async function inProfile({ folder, signal }, use) {
  // An interruption ends the test, which then closes the browser.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  // An off-the-record context would keep its storage in memory.
  const options = { headless: true, ...signals, ...findBrowser('chromium') };
  const context = await chromium.launchPersistentContext(mkdtempSync(join(folder, 'profile-')), options);
  const close = () => void context.close().catch(() => undefined);
  signal.addEventListener('abort', close);
  try {
    signal.throwIfAborted();
    return await use(context);
  } finally {
    signal.removeEventListener('abort', close);
    await context.close();
  }
}

/** A page of the documentation: it opens no runtime by itself.
 * @param {Visit} visit @param {Context} context */
async function openPage({ address }, context) {
  const page = await context.newPage();
  // A large ledger takes longer than the usual half minute.
  page.setDefaultTimeout(600_000);
  await page.goto(`${address}docs/index.html`);
  return page;
}

/** @template T @param {Visit} visit @param {Context} context @param {(page: Page) => Promise<T>} use
 * @returns {Promise<T>} */
async function inPage(visit, context, use) {
  const page = await openPage(visit, context);
  try {
    return await use(page);
  } finally {
    await page.close();
  }
}
