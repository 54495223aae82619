import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { findBrowser } from '../browsers.mjs';
import { buildForWorker } from './build.mjs';
import { watchMemory } from './memory.mjs';
import { serve } from './serve.mjs';

/** @typedef {import('../../test/bench/table.ts').Row} Row */

/** @typedef {(rows: Row[], section: string) => void} OnSection */

/** Measures in a worker of Chromium with a profile on disk, and resolves to the rows.
 * @param {{pages: readonly (readonly string[])[], large: readonly string[], signal: AbortSignal,
 *   headline: (engine: string) => void, say: (text: string) => void, onSection: OnSection}} work
 *   `pages` are the sections to measure, page after page; `large` names those whose memory is told
 * @returns {Promise<Row[]>} */
export async function measureInChromium({ pages, large, signal, headline, say, onSection }) {
  await buildForWorker();
  const server = await serve();
  const profile = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  // An interruption ends the test, which then closes the browser.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  // An off-the-record context would keep its storage in memory, and the durable steps would be durable in name only.
  const options = { headless: true, ...signals, ...findBrowser('chromium') };
  const context = await chromium.launchPersistentContext(profile, options);
  const close = () => void context.close().catch(() => undefined);
  signal.addEventListener('abort', close);
  try {
    signal.throwIfAborted();
    headline(`Chromium ${context.browser()?.version() ?? ''}`);
    /** @type {Row[]} */
    const rows = [];
    const memory = await watchMemory(context, large);
    for (const names of pages) {
      memory.enter(names);
      rows.push(...(await rowsOfPage(context, server.address, names, onSection)));
    }
    if (large.length > 0) say(memory.end());
    const peaks = peakRows(large, memory.mostIn);
    if (peaks.length > 0) onSection(peaks, 'large');
    return rows;
  } finally {
    signal.removeEventListener('abort', close);
    await context.close();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Most memory of the page that rebuilds the corpus. @param {readonly string[]} large
 * @param {(part: string) => number} mostIn @returns {Row[]} */
function peakRows(large, mostIn) {
  const part = 'large: rebuilt';
  const mb = mostIn(part);
  if (!large.includes(part) || mb === 0) return [];
  const what = 'rebuild of a corpus of 100 MB, most memory of its page';
  return [{ what, against: '', ours: { best: mb, median: mb }, unit: 'MB', goal: { mb: 600 } }];
}

/** @param {import('playwright').BrowserContext} context @param {string} address @param {readonly string[]} names
 * @param {OnSection} onSection */
async function rowsOfPage(context, address, names, onSection) {
  const page = await context.newPage();
  /** @type {Row[]} */
  const rows = [];
  await page.exposeFunction('report', (/** @type {Row[]} */ own, /** @type {string} */ section) => {
    rows.push(...own);
    onSection(own, section);
  });
  await page.goto(address);
  await page.evaluate(
    (wanted) => /** @type {any} */ (globalThis).measure(wanted, /** @type {any} */ (globalThis).report),
    names,
  );
  await page.close();
  return rows;
}
