// `npm run bench -- page`, after a build: the waiting times of a visitor in Chromium, as a table: the first receipt, a
// large file, large runs with their Audit, long lists, and the page under attack. No time fails the command.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { largeRuns } from './bench/large-runs.mjs';
import { findBrowser } from './browsers.mjs';
import { start } from './long/command.mjs';
import { ROOT } from './steps.mjs';

const RECORDS = 10_000;
const FILTERS = ['type:verdict', 'type:verdict status:rejected', 'csv', ''];

/** @param {import('./long/types.ts').Work} work */
async function run({ numbers, signal, report, progress, say }) {
  const { rounds = 0 } = numbers;
  report({ rounds: 0 });
  const entry = join(ROOT, 'dist/core.js');
  if (!existsSync(entry)) throw new Error('There is no build: npm run build makes one.');
  /** @type {typeof import('../core/index.ts')} */
  const core = await import(pathToFileURL(entry).href);
  const { chromium } = await import('playwright');
  const { preview } = await import('vite');
  const server = await preview({ root: ROOT, logLevel: 'warn', preview: { port: 0, host: '127.0.0.1' } });
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  const browser = await chromium.launch({ headless: true, ...signals, ...findBrowser('chromium') });
  const close = () => void browser.close().catch(() => undefined);
  signal.addEventListener('abort', close);
  try {
    signal.throwIfAborted();
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(String(server.resolvedUrls?.local[0]));
    await page.locator('sp-runbar [aria-busy="false"]').waitFor();
    const { presses, ms: firstReceiptMs } = await firstReceipt(page);
    say(`first receipt in a fresh profile: ${presses} key press${presses === 1 ? '' : 'es'}, ${firstReceiptMs} ms`);
    const made = await madeRun(page);
    const text = enlarged(core, made, RECORDS);
    say(
      `A run of ${RECORDS.toLocaleString('en')} records, ${(text.length / 1e6).toFixed(1)} MB, in Chromium ${browser.version()}`,
    );
    /** @type {Map<string, number[]>} */
    const times = new Map();
    for (let round = 0; round < rounds; round++) {
      progress(round, rounds);
      // starts another run, so that the list does not show the old records
      await page.evaluate(() => /** @type {any} */ (document.querySelector('sp-app')).store.startRun());
      await page.getByText('2 records').waitFor();
      for (const [what, ms] of await page.evaluate(measure, { text, filters: FILTERS }))
        times.set(what, [...(times.get(what) ?? []), ms]);
      report({ rounds: round + 1, firstReceiptMs, openedMs: medianOf(times, 'file opened and listed') });
    }
    for (const [what, all] of times) {
      const ms = (/** @type {number | undefined} */ n) => `${(n ?? 0).toFixed(0).padStart(5)} ms`;
      say(`${what.padEnd(44)} best ${ms(Math.min(...all))}  median ${ms(medianOf(times, what))}`);
    }
    await largeRuns(browser, String(server.resolvedUrls?.local[0]), say);
    progress(rounds, rounds, 'attacks follow');
    say(await underAttack(page));
  } finally {
    signal.removeEventListener('abort', close);
    await browser.close();
    await server.close();
  }
  return true;
}

/** @param {ReadonlyMap<string, readonly number[]>} times @param {string} what */
function medianOf(times, what) {
  const sorted = (times.get(what) ?? []).toSorted((a, b) => a - b);
  return Math.round(sorted[sorted.length >> 1] ?? Number.NaN);
}

/** In a new profile: presses the focused control until a receipt is listed.
 * @param {import('playwright').Page} page */
async function firstReceipt(page) {
  const began = performance.now();
  const receipt = page.locator('sp-timeline .row', { hasText: /^\s*\d+\s*receipt/ }).first();
  let presses = 0;
  do {
    await page.keyboard.press('Enter');
    presses += 1;
  } while (
    !(await receipt.waitFor({ timeout: 5000 }).then(
      () => true,
      () => false,
    ))
  );
  return { presses, ms: Math.round(performance.now() - began) };
}

/** Every attack in sequence; the page itself measures how long it did not answer.
 * @param {import('playwright').Page} page */
async function underAttack(page) {
  await page.getByRole('button', { name: 'Capabilities' }).click();
  await page.getByRole('button', { name: 'Break out' }).click();
  await page.locator('#all').click();
  await page.locator('#cancel').waitFor();
  await page.locator('#all').waitFor({ timeout: 300_000 });
  return `attacks: ${(await page.locator('sp-breakout .score').innerText()).replace(/\s+/g, ' ')}`;
}

/** The demo up to the question it raises, as a file.
 * @param {import('playwright').Page} page */
async function madeRun(page) {
  await page.keyboard.press('r');
  await page.locator('sp-approval h2').waitFor();
  return page.evaluate(() => {
    const { store } = /** @type {any} */ (document.querySelector('sp-app'));
    return store.runtime.ledger.export(store.session.value.id);
  });
}

/** Repeats the same steps in a single chain: a well-formed file of any length.
 * @param {typeof import('../core/index.ts')} core @param {string} text @param {number} length */
function enlarged(core, text, length) {
  const file = core.parseExport(text);
  const records = file.records.flatMap((line) => (line === undefined ? [] : [line.record]));
  const steps = records.slice(2);
  let head = core.NO_RECORDS;
  const lines = [];
  for (let i = 0; i < length; i++) {
    const source = records[i] ?? steps[(i - 2) % steps.length];
    if (source === undefined) throw new Error('The demo made no step.');
    const link = core.extend(head, source, { run_id: source.run_id, epoch: 1, at: source.at + i });
    head = core.headAfter(link.record);
    lines.push(link.text);
  }
  const payloads = [...file.payloads].map(([sha256, bytes]) => ({ sha256, bytes }));
  return core.formatExport(String(file.run_id), lines, payloads);
}

/** In the page: from the act to the frame in which it is seen.
 * @param {{text: string, filters: string[]}} work */
async function measure({ text, filters }) {
  const { store, renderRoot } = /** @type {any} */ (document.querySelector('sp-app'));
  const timeline = renderRoot.querySelector('sp-timeline');
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  /** @param {() => void} act @param {() => boolean} seen */
  const time = async (act, seen) => {
    const began = performance.now();
    act();
    do await painted();
    while (!seen() && performance.now() - began < 20_000);
    return seen() ? performance.now() - began : Number.NaN;
  };
  const listed = () => timeline.renderRoot.querySelector('header .soft').textContent;
  /** @type {[string, number][]} */
  const rows = [];
  const file = new File([text], 'large.run.jsonl');
  rows.push([
    'file opened and listed',
    await time(
      () => store.openFile(file),
      () => listed().includes('10,000'),
    ),
  ]);
  for (const filter of filters) {
    const input = timeline.renderRoot.querySelector('#filter');
    const before = listed();
    input.value = filter;
    const act = () => input.dispatchEvent(new InputEvent('input'));
    rows.push([`filtered by "${filter}"`, await time(act, () => listed() !== before)]);
  }
  const goTo = (/** @type {number} */ seq) =>
    time(
      () => store.selection.select(seq),
      () => timeline.renderRoot.querySelector(`#r${seq}`) !== null,
    );
  rows.push(['to the first record', await goTo(0)]);
  rows.push(['to the last', await goTo(store.session.value.records.value.length - 1)]);
  return rows;
}

await start({
  name: 'bench:page',
  command: 'npm run bench -- page',
  summary: 'Measures what a visitor of the built playground feels, in Chromium.',
  numbers: { rounds: { help: 'How often a large file is opened and searched.', min: 1, max: 1000, default: 5 } },
  names: {},
  time: '1 minute, and as long for the attacks.',
  members: {
    rounds: 'How often the large file was opened.',
    firstReceiptMs: 'Time to the first receipt in a fresh profile.',
    openedMs: `Time until a file of ${RECORDS.toLocaleString('en')} records is listed, median.`,
  },
  run,
});
