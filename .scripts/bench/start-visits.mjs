import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { findBrowser } from '../browsers.mjs';
import { phasesOf, watchStart } from './start-phases.mjs';

/** Chromium compiles a script into its cache at a later visit, not at the first. */
const VISITS_BEFORE = 3;
/** The preset "Fast 3G" of Chromium's developer tools. */
const FAST_3G = {
  offline: false,
  latency: 562.5,
  downloadThroughput: (1.6e6 * 0.9) / 8,
  uploadThroughput: (750e3 * 0.9) / 8,
};

/** @typedef {import('playwright').BrowserContext} BrowserContext */
/** @typedef {import('playwright').Page} Page */
/** @typedef {import('./start-phases.mjs').Phase} Phase */
/** Ms from the navigation: until the first paint, and until a step can be made; the ms that all processes of the browser
 * took of a processor until then; the sum of all shifts of the layout; with `phases`, the parts of the start.
 * @typedef {{painted: number, usable: number, processor: number, shift: number, phases: Phase[]}} Start */

/** A page with a profile of its own, and what starts it.
 * @typedef {{start: () => Promise<Start>, close: () => Promise<void>}} Visitor */

/** A visitor for later visits: its browser was closed after the first visits, and has files and code of them.
 * @param {string} url @param {boolean} withPhases @returns {Promise<Visitor>} */
export async function laterVisitor(url, withPhases) {
  const profile = makeProfile();
  const first = await open(profile.path, withPhases);
  for (let visit = 0; visit < VISITS_BEFORE; visit++) {
    await startOf(first.page, url, withPhases);
    await first.page.waitForFunction(() => navigator.serviceWorker.controller !== null, undefined, {
      timeout: 120_000,
    });
  }
  await first.context.close();
  const { context, page } = await open(profile.path, withPhases);
  const close = async () => {
    await context.close();
    profile.remove();
  };
  return { start: () => startOf(page, url, withPhases), close };
}

/** A first visit with a slow processor and a slow network. The network of the page is slow; that of workers, which the
 * page makes later, may not be.
 * @param {string} url @param {boolean} withPhases @returns {Promise<Start>} */
export async function firstVisit(url, withPhases) {
  const profile = makeProfile();
  const { context, page } = await open(profile.path, withPhases);
  try {
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', FAST_3G);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    return await startOf(page, url, withPhases);
  } finally {
    await context.close();
    profile.remove();
  }
}

/** Version of the browser. */
export async function chromiumVersion() {
  const browser = await chromium.launch({ headless: true, ...findBrowser('chromium') });
  const version = browser.version();
  await browser.close();
  return version;
}

function makeProfile() {
  const path = mkdtempSync(join(tmpdir(), 'sallyport-start-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** @param {string} profile @param {boolean} withPhases */
async function open(profile, withPhases) {
  const context = await chromium.launchPersistentContext(profile, { headless: true, ...findBrowser('chromium') });
  if (withPhases) await context.addInitScript(watchStart);
  const [page = await context.newPage()] = context.pages();
  return { context, page };
}

/** @param {Page} page @param {string} url @param {boolean} withPhases @returns {Promise<Start>} */
async function startOf(page, url, withPhases) {
  const before = await processorOf(page);
  await page.goto(url, { waitUntil: 'commit' });
  const waited = await page.waitForFunction(timeWhenUsable, undefined, { timeout: 120_000 });
  const processor = (await processorOf(page)) - before;
  const usable = Number(await waited.jsonValue());
  const { painted, shift } = await page.evaluate(paintOf);
  return { painted, usable, processor, shift, phases: withPhases ? await phasesOf(page) : [] };
}

/** The time of the page once a step can be made. Asked with each frame of the page: the driver itself looks for an
 * element at growing intervals, up to half a second, and would make a start late by as much. */
function timeWhenUsable() {
  const bar = document.querySelector('sp-app')?.shadowRoot?.querySelector('sp-runbar')?.shadowRoot;
  return bar?.querySelector('[aria-busy="false"]') ? performance.now() : undefined;
}

function paintOf() {
  const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0;
  const observer = new PerformanceObserver(() => undefined);
  observer.observe({ type: 'layout-shift', buffered: true });
  /** @typedef {PerformanceEntry & {value: number}} Shift */
  const shifts = /** @type {Shift[]} */ (observer.takeRecords());
  return { painted, shift: shifts.reduce((sum, { value }) => sum + value, 0) };
}

/** Ms of a processor that all processes of the browser have taken.
 * @param {Page} page */
async function processorOf(page) {
  const browser = page.context().browser();
  if (browser === null) return 0;
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0);
}
