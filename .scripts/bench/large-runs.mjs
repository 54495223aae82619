// Rows of `npm run bench -- page` about large runs and long lists: the playground with runs of 1,000 and 10,000 steps,
// looked at while they run, from the device and from a file, and in Audit; and with 2,000 runs on the device. Each row is
// printed when it is measured.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from '../browsers.mjs';
import { auditTimes } from './audit.mjs';

const STEPS = [1_000, 10_000];
const RUNS = 2_000;

/**
 * @param {import('playwright').Browser} browser
 * @param {string} url
 * @param {(line: string) => void} say
 * @param {{ readonly steps?: readonly number[], readonly runs?: number }} [sizes]
 */
export async function largeRuns(browser, url, say, { steps = STEPS, runs = RUNS } = {}) {
  for (const count of steps) {
    await inProfile(browser, async (context) => {
      const page = await openPage(context, url, `${count.toLocaleString('en')} steps`, say);
      await page.evaluate(measureRun, { count });
      await auditTimes(page, { steps: count, text: String(await page.evaluate('largeRun')) }, say);
    });
  }
  if (runs === 0) return;
  const name = `${runs.toLocaleString('en')} runs`;
  await inProfile(browser, async (context) => {
    const page = await openPage(context, url, name, say);
    await page.evaluate(makeRuns, { count: runs });
    await page.close();
    const began = performance.now();
    const again = await openPage(context, url, name, say);
    say(lineOf(`${name}: start`, { ms: performance.now() - began, ...(await again.evaluate(longest)) }));
    await again.evaluate(measureLists, { count: runs });
  });
}

/** Acts in a profile on the disk, as a person has one: the default profile of Playwright keeps what a page stores in memory.
 * @param {import('playwright').Browser} browser
 * @param {(context: import('playwright').BrowserContext) => Promise<void>} act */
async function inProfile(browser, act) {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-profile-'));
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  const view = { headless: true, viewport: { width: 1280, height: 800 } };
  const options = { ...view, ...signals, ...findBrowser('chromium') };
  const context = await browser.browserType().launchPersistentContext(folder, options);
  const close = () => void context.close().catch(() => undefined);
  browser.once('disconnected', close);
  try {
    await act(context);
  } finally {
    browser.off('disconnected', close);
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} what @param {{ ms: number, task: number, note?: string }} row */
function lineOf(what, { ms, task, note = '' }) {
  const number = (/** @type {number} */ n) => `${n.toFixed(0).padStart(6)} ms`;
  return `${what.padEnd(58)} ${number(ms)}  longest task ${number(task)}  ${note}`.trimEnd();
}

/** Opens the playground, whose measurements are told under this name.
 * @param {import('playwright').BrowserContext} context @param {string} url @param {string} name
 * @param {(line: string) => void} say */
async function openPage(context, url, name, say) {
  const page = await context.newPage();
  await page.exposeFunction('measured', (/** @type {Row} */ row) => say(lineOf(`${name}: ${row.what}`, row)));
  await page.addInitScript(prepare);
  await page.goto(url);
  await page.locator('sp-runbar [aria-busy="false"]').waitFor();
  return page;
}

/** What a measurement in the page is made with.
 * @typedef {{ what: string, ms: number, task: number, note?: string }} Row
 * @typedef {object} Timer
 * @property {(what: string, act: () => Promise<string | void>) => Promise<number>} row tells a row, and gives its ms
 * @property {() => Promise<void>} painted
 * @property {(ms?: number) => Promise<void>} pause
 */

/** In each page, before its own scripts: notes the long tasks, and makes the timer of a measurement. */
function prepare() {
  /** @type {[number, number][]} */
  const tasks = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) tasks.push([startTime, duration]);
  }).observe({ type: 'longtask', buffered: true });
  /** @returns {Timer} */
  const timer = () => {
    const pause = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));
    const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return {
      painted,
      pause,
      row: async (what, act) => {
        await pause(100);
        const began = performance.now();
        const note = await act();
        const ms = performance.now() - began;
        await pause(100);
        const task = Math.max(0, ...tasks.flatMap(([at, length]) => (at >= began - 5 ? length : [])));
        await /** @type {any} */ (globalThis).measured({ what, ms, task, ...(note && { note }) });
        return ms;
      },
    };
  };
  Object.assign(globalThis, { tasks, timer });
}

/** In the page: the longest task since the page was opened. */
function longest() {
  return { task: Math.max(0, .../** @type {any} */ (globalThis).tasks.map((/** @type {number[]} */ [, ms]) => ms)) };
}

/** In the page: a run of `count` steps, not shown and shown; then opened and searched, from the device and a file.
 * @param {{ count: number }} sizes */
async function measureRun({ count }) {
  const { store, renderRoot } = /** @type {any} */ (document.querySelector('sp-app'));
  const { row, painted, pause } = /** @type {import('./large-runs.mjs').Timer} */ (
    /** @type {any} */ (globalThis).timer()
  );
  const timeline = renderRoot.querySelector('sp-timeline');
  await store.catalogue.add({
    name: 'own.echo',
    version: '1.0.0',
    description: 'Echoes.',
    effect: 'pure',
    args: {
      type: 'object',
      additionalProperties: false,
      required: ['n', 'text'],
      properties: { n: { type: 'integer' }, text: { type: 'string' } },
    },
    source: 'export default ({ n, text }) => ({ n, text });',
  });
  await store.catalogue.grant({ capability: 'own.echo', mode: 'allow' });
  const script = Array.from({ length: count }, (_, n) =>
    JSON.stringify({
      next_step: { tool: 'own.echo', arguments: { n, text: `Step ${n}: flour, zebra ${n}` }, goal: 'echo' },
    }),
  );
  script.push(JSON.stringify({ done: true, message: 'Done.' }));
  const limits = { steps: count + 10 };
  const task = `Echo ${count} times.`;
  const hidden = await row('run, not shown', async () => {
    const texts = script.values();
    const model = {
      id: 'bench',
      locality: { kind: 'local' },
      propose: async () => ({ text: texts.next().value ?? '' }),
    };
    await store.runtime.start({ dialect: 'xct', task, model, limits }).result;
  });
  store.arrange({ limits });
  await row('run, shown', async () => {
    const began = performance.now();
    store.startRun({ task, script, origin: 'bench' });
    let drawings = 0;
    const stop = store.session.value.records.subscribe(() => (drawings += 1));
    store.run();
    while (store.session.value.view.value?.end === undefined) await pause(50);
    stop();
    return `${drawings} drawings, ${((performance.now() - began) / hidden).toFixed(2)} of not shown`;
  });
  const { id } = store.session.value;
  const text = await store.runtime.ledger.export(id);
  Object.assign(globalThis, { largeRun: text });
  const listed = () => timeline.renderRoot.querySelector('header .soft')?.textContent ?? '';
  const all = store.session.value.records.value.length;
  const whole = all.toLocaleString('en');
  const input = () => timeline.renderRoot.querySelector('#filter');
  const type = async (/** @type {string} */ typed) => {
    const field = input();
    field.value = typed;
    field.dispatchEvent(new InputEvent('input'));
    await painted();
  };
  const file = new File([text], 'large.run.jsonl');
  for (const [place, open] of /** @type {[string, () => void][]} */ ([
    ['device', () => store.openRun(id)],
    ['file', () => store.openFile(file)],
  ])) {
    store.startRun();
    await pause(300);
    await row(`${place}: open`, async () => {
      open();
      do await painted();
      while (!listed().includes(whole));
    });
    await row(`${place}: first key`, () => type('z'));
    await row(`${place}: until all is read`, async () => {
      while (store.selection.reading.value !== undefined) await painted();
      return `${store.selection.shown.value.length.toLocaleString('en')} records found`;
    });
    await row(`${place}: second key`, () => type('ze'));
    await row(`${place}: a field`, () => type('type:receipt'));
    await row(`${place}: time`, async () => {
      timeline.renderRoot.querySelector('#time').click();
      do await painted();
      while (!timeline.renderRoot.querySelector('sp-waterfall')?.renderRoot?.querySelector('.step'));
    });
    timeline.renderRoot.querySelector('#time').click();
    await type('');
  }
}

/** In the page: finished runs of one step each.
 * @param {{ count: number }} sizes */
async function makeRuns({ count }) {
  const { store } = /** @type {any} */ (document.querySelector('sp-app'));
  const one = async (/** @type {number} */ n) => {
    const texts = [JSON.stringify({ done: true, message: `Run ${n}.` })];
    const model = { id: 'bench', locality: { kind: 'local' }, propose: async () => ({ text: texts.shift() ?? '' }) };
    await store.runtime.start({ dialect: 'xct', task: `Task ${n} of the bench.`, model, limits: { steps: 3 } }).result;
  };
  for (let at = 0; at < count; at += 10) await Promise.all(Array.from({ length: 10 }, (_, n) => one(at + n)));
}

/** In the page: the list of earlier runs, the storage dialog and a filter in each.
 * @param {{ count: number }} sizes */
async function measureLists({ count }) {
  const { store, renderRoot } = /** @type {any} */ (document.querySelector('sp-app'));
  const { row, painted } = /** @type {import('./large-runs.mjs').Timer} */ (/** @type {any} */ (globalThis).timer());
  const nth = (/** @type {number} */ n) => `Task ${n} of the bench.`;
  const list = renderRoot.querySelector('sp-setup').renderRoot.querySelector('sp-runs').renderRoot;
  const dialog = () => renderRoot.querySelector('sp-keep')?.renderRoot ?? document.createDocumentFragment();
  const drawn = (/** @type {ParentNode} */ root) => `${root.querySelectorAll('li').length} rows drawn`;
  /** The page's own run may stand before those of the bench.
   * @param {() => ParentNode} root @param {string} text */
  const listed = async (root, text) => {
    const isListed = () => [...root().querySelectorAll('li .task')].some((task) => task.textContent?.includes(text));
    do await painted();
    while (!isListed());
  };
  /** @param {() => ParentNode} root @param {string} typed */
  const filter = async (root, typed) => {
    const field = /** @type {HTMLInputElement} */ (root().querySelector('input[type="search"]'));
    field.value = typed;
    field.dispatchEvent(new InputEvent('input'));
    await listed(root, typed);
  };
  await row('list of earlier runs, with their tasks', async () => {
    list.querySelector('summary').click();
    await listed(() => list, 'of the bench');
    return drawn(list);
  });
  await row('list, filtered', () => filter(() => list, nth(count >> 1)));
  await row('storage', async () => {
    list.querySelector('#keep').click();
    await listed(dialog, 'of the bench');
    return drawn(dialog());
  });
  await row('storage, filtered', () => filter(dialog, nth(count >> 1)));
  await row('rows of all runs, from the ledger', async () => void (await store.runtime.runs()));
}
