// The curves of the page on scale: what grows, in stores and in a page, and where it ends.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright';
import { openPlayer } from '../../.scripts/bench/player.mjs';
import { commit, load, machine } from '../../.scripts/bench/results.mjs';
import { serveTree } from '../../.scripts/bench/serve-tree.mjs';
import { findBrowser } from '../../.scripts/browsers.mjs';
import { bundleForNode, node, ROOT } from '../../.scripts/steps.mjs';

/** @typedef {import('../../.scripts/long/types.ts').Work} Work */
/** @typedef {import('../bench/curves/results.ts').Series} Series */
/** @typedef {import('../bench/curves/results.ts').ScaleResults} ScaleResults */

const MODULES = /** @type {const} */ (['scale', 'scale-backup', 'growth-worker', 'writing-worker', 'measure-worker']);

/** Measures every curve, and writes the file of results. No time fails the test.
 * @param {Work} work @param {Record<string, number>} measured members of the last line */
export async function measureScale(work, measured) {
  const { results } = work.texts;
  const isQuick = work.flags['quick'] === true;
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-curves-'));
  const bundles = [];
  try {
    for (const name of MODULES) bundles.push(await bundleForNode(`test/load/${name}.ts`));
    const [file, backup, growth, writing, throughput] = /** @type {[string, string, string, string, string]} */ (
      bundles.map((bundle) => bundle.file)
    );
    /** @type {typeof import('./scale.ts')} */
    const { QUICK, WHOLE, measureLogs, measureStores, nodeWithSqlite } = await import(pathToFileURL(file).href);
    /** @type {typeof import('./scale-backup.ts')} */
    const { writeBackups } = await import(pathToFileURL(backup).href);
    const plan = isQuick ? QUICK : WHOLE;
    /** @type {Series[]} */
    const series = [];
    const first = load();
    const onSeries = (/** @type {readonly Series[]} */ more) => {
      series.push(...more);
      for (const { chart, name, points, end } of more)
        work.say(`${chart}, ${name}: ${points.map(([at, value]) => `${at} ${value}`).join(', ')} (${end.kind})`);
      measured['series'] = series.length;
      measured['points'] = series.reduce((sum, { points }) => sum + points.length, 0);
      work.report({ ...measured });
    };
    const lines = LINES + plan.processes.length;
    const onNote = (/** @type {string} */ note) => work.progress(series.length, lines, note);
    const sqlite = nodeWithSqlite(folder);
    const options = { plan, growth, writing, throughput, sqlite, signal: work.signal, onSeries, onNote };
    const postgres = await measureStores(options);
    await measureLogs(options);
    const chromium = await measurePage({ plan, folder, isQuick, writeBackups, signal: work.signal, onSeries, onNote });
    if (results === undefined) return;
    /** @type {ScaleResults} */
    const all = {
      format: 'sallyport-scale/1',
      isQuick,
      date: new Date().toISOString().slice(0, 10),
      load: [first, load()],
      machine: machine(),
      versions: {
        Sallyport: `${JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version}${commit()}`,
        Node: process.versions.node,
        ...('binary' in sqlite && { 'Node with SQLite': sqlite.version }),
        PostgreSQL: postgres,
        ...(chromium !== undefined && { Chromium: chromium }),
      },
      series,
    };
    writeFileSync(results, formatScale(all));
  } finally {
    for (const bundle of bundles) bundle.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Lines of all curves besides those of the numbers of processes. */
const LINES = 22;

/** Numbers keep four digits. @param {ScaleResults} results */
function formatScale(results) {
  const digits = (/** @type {string} */ _, /** @type {unknown} */ value) =>
    typeof value === 'number' ? Number(value.toPrecision(4)) : value;
  return `${JSON.stringify(results, digits, 1)}\n`;
}

/** @typedef {import('playwright').BrowserContext} Context */
/** @typedef {import('playwright').Page} Page */
/**
 * @typedef {object} PageOptions
 * @property {import('./scale-plan.ts').ScalePlan} plan
 * @property {string} folder for profiles and backups
 * @property {boolean} isQuick takes the last build as it is
 * @property {typeof import('./scale-backup.ts').writeBackups} writeBackups
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
async function measurePage(options) {
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
  return lines(visit, chart, [PAGE], sizes, (size) =>
    // A ledger takes no backup of another ledger, so each size has a profile of its own.
    inProfile(visit, async (context) => {
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

// The functions below go to a page as text: none uses a name from outside. `entry` is the address of the package's entry.

/** Restores the chosen file of the page's input into the ledger.
 * @param {{entry: string}} options */
async function restoreBackup({ entry }) {
  const { openRuntime } = await import(entry);
  const input = /** @type {HTMLInputElement} */ (document.querySelector('#backup'));
  const runtime = await openRuntime();
  await runtime.storage.restore(input.files?.[0]);
  await runtime.close();
}

/** Resolves to the median ms until a runtime is open and has listed its runs. No round begins behind the budget.
 * @param {{entry: string, rounds: number, budgetMs: number}} options */
async function openLedger({ entry, rounds, budgetMs }) {
  const { openRuntime } = await import(entry);
  /** @type {number[]} */
  const times = [];
  const start = performance.now();
  for (let round = 0; round < rounds && (round === 0 || performance.now() - start < budgetMs); round++) {
    const began = performance.now();
    const runtime = await openRuntime();
    await runtime.runs();
    times.push(performance.now() - began);
    await runtime.close();
  }
  return times.sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}

/** Adds files of about a kilobyte, from one number to another.
 * @param {{entry: string, from: number, to: number}} options */
async function addFiles({ entry, from, to }) {
  const { openRuntime } = await import(entry);
  const words = 'the gate port ledger proof grant slice bread oven flour night lists and of to under receipt'.split(
    ' ',
  );
  const textOf = (/** @type {number} */ number) => {
    const line = (/** @type {number} */ at) =>
      Array.from({ length: 12 }, (_, nth) => words[(number * 7 + at * 5 + nth * (1 + (at % 3))) % words.length]).join(
        ' ',
      );
    const part = (/** @type {number} */ at) => `## Part ${at} of item${number}\n\n${line(at)}\n${line(at + 1)}\n`;
    return `# Document ${number}\n\n${Array.from({ length: 6 }, (_, at) => part(at)).join('\n')}`;
  };
  const runtime = await openRuntime();
  const files = Array.from({ length: to - from }, (_, nth) => ({
    path: `docs/${(from + nth) % 97}/${from + nth}.md`,
    bytes: new TextEncoder().encode(textOf(from + nth)),
  }));
  await runtime.content.add(files);
  await runtime.close();
}

/** Resolves to the ms of the first search of a page, and to the median of the searches behind it.
 * @param {{entry: string, files: number, rounds: number}} options */
async function searchFiles({ entry, files, rounds }) {
  const { openRuntime } = await import(entry);
  const runtime = await openRuntime();
  const times = [];
  for (let round = 0; round <= rounds; round++) {
    const item = `item${Math.floor((round * files) / (rounds + 1))}`;
    const began = performance.now();
    const { sections } = await runtime.content.search(`${item} ledger`);
    times.push(performance.now() - began);
    if (sections.length === 0) throw new Error(`The search for ${item} found no section.`);
  }
  await runtime.close();
  const [first, ...others] = times;
  return [others.sort((a, b) => a - b)[rounds >> 1] ?? Number.NaN, first ?? Number.NaN];
}

/** Resolves to the median ms until a runtime with so many tools is open, and to the median ms of a step beside them.
 * @param {{entry: string, count: number, rounds: number, steps: number}} options */
async function openTools({ entry, count, rounds, steps }) {
  const { defineTool, openRuntime } = await import(entry);
  const tools = Array.from({ length: count }, (_, nth) =>
    defineTool({
      name: `stock.count${nth}`,
      version: '1.0.0',
      description: `Counts the pieces of an item in store ${nth}.`,
      effect: 'read',
      labels: [],
      args: {
        type: 'object',
        required: ['item'],
        additionalProperties: false,
        properties: { item: { type: 'string', maxLength: 100 + nth } },
      },
      run: async (/** @type {{item: string}} */ { item }) => item.length,
    }),
  );
  const grants = tools.map(({ name }) => ({ capability: name, mode: 'allow' }));
  const middle = (/** @type {number[]} */ times) => times.sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
  const opened = [];
  /** @type {number[]} */
  let stepped = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    const runtime = await openRuntime({ tools, grants });
    opened.push(performance.now() - began);
    if (round === rounds - 1) stepped = await play(runtime);
    await runtime.close();
  }
  return [middle(opened), middle(stepped)];

  /** Resolves to the ms of each step of a run. @param {any} runtime */
  async function play(runtime) {
    /** @type {number[]} */
    const asked = [];
    const call = (/** @type {number} */ at) => ({
      next_step: { tool: `stock.count${at % count}`, arguments: { item: 'rye' }, goal: 'count' },
    });
    const propose = async () => {
      const at = asked.push(performance.now()) - 1;
      return { text: JSON.stringify(at < steps ? call(at) : { done: true, message: 'counted' }) };
    };
    const model = { id: 'script', locality: { kind: 'local' }, propose };
    const run = runtime.start({ dialect: 'xct', task: 'Count.', model, limits: { steps: steps + 1 } });
    const { state, message } = await run.result;
    if (state !== 'completed') throw new Error(`The run ended ${state}: ${message}`);
    return asked.slice(1).map((at, step) => at - (asked[step] ?? 0));
  }
}
