// `node .scripts/bench-start.mjs`, after a build: the starts of the playground in Chromium with a profile on disk, as
// lines. A warm start is a later visit: the service worker has the files, and the browser has compiled them. A cold
// start is a first visit with a slow processor and network. No time fails the command; measure on a quiet machine.
// `--phases` also prints the parts of each start: its files, its workers and its calls of the kernel.
// `--results FILE` writes a file, from which `npm run bench:tables` makes the table of the documentation.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { preview } from 'vite';
import { commit, load, machine } from './bench/results.mjs';
import { median, ms, phaseLines, phasesOf, watchStart } from './bench/start-phases.mjs';
import { findBrowser } from './browsers.mjs';
import { ROOT } from './steps.mjs';

const ROUNDS = 7;
const COLD_ROUNDS = 3;
/** Chromium compiles a script into its cache at a later visit, not at the first. */
const VISITS_BEFORE = 3;
const GOALS = { warm: 500, cold: 4000 };
const TITLES = { warm: 'a later visit, nothing slowed', cold: 'a first visit, 4 times slower CPU, Fast 3G' };
/** The preset "Fast 3G" of Chromium's developer tools. */
const FAST_3G = {
  offline: false,
  latency: 562.5,
  downloadThroughput: (1.6e6 * 0.9) / 8,
  uploadThroughput: (750e3 * 0.9) / 8,
};

/** @typedef {import('playwright').BrowserContext} BrowserContext */
/** @typedef {import('playwright').Page} Page */
/** @typedef {import('./bench/start-phases.mjs').Phase} Phase */
/** Ms from the navigation: until the first paint, and until a step can be made; with `--phases`, its parts.
 * @typedef {{painted: number, usable: number, phases: Phase[]}} Start */

const withPhases = process.argv.includes('--phases');
const resultsAt = process.argv.indexOf('--results');
const file = resultsAt < 0 ? undefined : (process.argv[resultsAt + 1] ?? stop('--results takes the path of a file.'));

/** @param {Page} page @param {string} url @returns {Promise<Start>} */
async function startOf(page, url) {
  await page.goto(url, { waitUntil: 'commit' });
  const usable = await page.waitForFunction(timeWhenUsable, undefined, { timeout: 120_000 });
  const painted = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0);
  return { painted, usable: Number(await usable.jsonValue()), phases: withPhases ? await phasesOf(page) : [] };
}

/** The time of the page once a step can be made. Asked with each frame of the page: the driver itself looks for an
 * element at growing intervals, up to half a second, and would make a start late by as much. */
function timeWhenUsable() {
  const bar = document.querySelector('sp-app')?.shadowRoot?.querySelector('sp-runbar')?.shadowRoot;
  return bar?.querySelector('[aria-busy="false"]') ? performance.now() : undefined;
}

/** @template T @param {(context: BrowserContext) => Promise<T>} act @param {string} profile */
async function inProfile(profile, act) {
  const context = await chromium.launchPersistentContext(profile, { headless: true, ...findBrowser('chromium') });
  try {
    if (withPhases) await context.addInitScript(watchStart);
    return await act(context);
  } finally {
    await context.close();
  }
}

/** @template T @param {(profile: string) => Promise<T>} act */
async function withProfile(act) {
  const profile = mkdtempSync(join(tmpdir(), 'sallyport-start-'));
  try {
    return await act(profile);
  } finally {
    rmSync(profile, { recursive: true, force: true });
  }
}

/** Starts of later visits, in a browser that was closed meanwhile.
 * @param {string} url */
function warmStarts(url) {
  return withProfile(async (profile) => {
    await inProfile(profile, async (context) => {
      const [page = await context.newPage()] = context.pages();
      for (let visit = 0; visit < VISITS_BEFORE; visit++) {
        await startOf(page, url);
        await page.waitForFunction(() => navigator.serviceWorker.controller !== null, undefined, { timeout: 120_000 });
      }
    });
    return inProfile(profile, async (context) => {
      const [page = await context.newPage()] = context.pages();
      const starts = [];
      for (let round = 0; round < ROUNDS; round++) starts.push(await startOf(page, url));
      return starts;
    });
  });
}

/** Starts of first visits. The network of the page is slow; that of workers, which the page makes later, may not be.
 * @param {string} url */
async function coldStarts(url) {
  const starts = [];
  for (let round = 0; round < COLD_ROUNDS; round++)
    starts.push(
      await withProfile((profile) =>
        inProfile(profile, async (context) => {
          const [page = await context.newPage()] = context.pages();
          const session = await context.newCDPSession(page);
          await session.send('Network.enable');
          await session.send('Network.emulateNetworkConditions', FAST_3G);
          await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
          return startOf(page, url);
        }),
      ),
    );
  return starts;
}

/** @param {string} what @param {readonly Start[]} starts @param {number} goal */
function tell(what, starts, goal) {
  const usable = median(starts.map((start) => start.usable));
  const painted = median(starts.map((start) => start.painted));
  const best = Math.min(...starts.map((start) => start.usable));
  console.log(
    `${what.padEnd(46)} first paint ${ms(painted)}  usable ${ms(usable)}  best ${ms(best)}  goal ${ms(goal)}${usable > goal ? '  missed' : ''}`,
  );
  if (withPhases) for (const line of phaseLines(starts.map(({ phases }) => phases))) console.log(line);
}

/** @param {string} what @param {readonly Start[]} starts @param {number} goalMs
 * @returns {import('../test/bench/starts.ts').Starts} */
function asRow(what, starts, goalMs) {
  const [paintedMs, usableMs] = /** @type {const} */ (['painted', 'usable']).map((part) =>
    starts.map((start) => Math.round(start[part])),
  );
  return { what, goalMs, paintedMs: paintedMs ?? [], usableMs: usableMs ?? [] };
}

function versionOf() {
  return withProfile((profile) => inProfile(profile, async (context) => context.browser()?.version() ?? ''));
}

/** @param {string} path @param {import('../test/bench/starts.ts').Starts[]} starts @param {string} chromiumVersion */
function write(path, starts, chromiumVersion) {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  /** @type {import('../test/bench/starts.ts').StartResults} */
  const results = {
    format: 'sallyport-start/1',
    date: new Date().toISOString().slice(0, 10),
    load: [before, load()],
    machine: machine(),
    versions: { Sallyport: `${version}${commit()}`, Chromium: chromiumVersion },
    starts,
  };
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
}

/** @param {string} fault
 * @returns {never} */
function stop(fault) {
  console.error(fault);
  process.exit(2);
}

if (!existsSync(join(ROOT, 'dist/index.html'))) throw new Error('There is no build: npm run build makes one.');
const before = load();
const server = await preview({ root: ROOT, logLevel: 'warn', preview: { port: 0, host: '127.0.0.1' } });
try {
  const url = String(server.resolvedUrls?.local[0]);
  const warm = await warmStarts(url);
  const cold = await coldStarts(url);
  tell(TITLES.warm, warm, GOALS.warm);
  tell(TITLES.cold, cold, GOALS.cold);
  if (file !== undefined) {
    const rows = [asRow(TITLES.warm, warm, GOALS.warm), asRow(TITLES.cold, cold, GOALS.cold)];
    write(file, rows, await versionOf());
  }
} finally {
  await server.close();
}
