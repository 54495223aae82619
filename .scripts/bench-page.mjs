// `npm run bench:page`, after a build: what a visitor feels, in Chromium, as a table: the first receipt, a large file, and
// the page while it is attacked. No time fails anything.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright';
import { preview } from 'vite';
import { findBrowser } from './browsers.mjs';
import { ROOT } from './steps.mjs';

const RECORDS = 10_000;
const ROUNDS = 5;
const FILTERS = ['type:verdict', 'type:verdict status:rejected', 'csv', ''];

/** @type {typeof import('../core/index.ts')} */
const core = await import(pathToFileURL(join(ROOT, 'dist/core.js')).href);
const server = await preview({ root: ROOT, logLevel: 'warn', preview: { port: 0, host: '127.0.0.1' } });
const browser = await chromium.launch({ headless: true, ...findBrowser('chromium') });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(String(server.resolvedUrls?.local[0]));
  await page.locator('sp-runbar').waitFor();
  console.log(await firstReceipt(page));
  const text = enlarged(await madeRun(page));
  console.log(
    `A run of ${RECORDS.toLocaleString('en')} records, ${(text.length / 1e6).toFixed(1)} MB, in Chromium ${browser.version()}`,
  );
  /** @type {Map<string, number[]>} */
  const times = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    // another run, so that what is listed is not what was listed before
    await page.evaluate(() => /** @type {any} */ (document.querySelector('sp-app')).store.startRun());
    await page.getByText('2 records').waitFor();
    for (const [what, ms] of await page.evaluate(measure, { text, filters: FILTERS }))
      times.set(what, [...(times.get(what) ?? []), ms]);
  }
  for (const [what, all] of times) {
    const sorted = all.toSorted((a, b) => a - b);
    const ms = (/** @type {number | undefined} */ n) => `${(n ?? 0).toFixed(0).padStart(5)} ms`;
    console.log(`${what.padEnd(44)} best ${ms(sorted[0])}  median ${ms(sorted[ROUNDS >> 1])}`);
  }
  console.log(await underAttack(page));
} finally {
  await browser.close();
  await server.close();
}

/** In a profile that has never been here: what is in focus is pressed until a receipt is listed.
 * @param {import('playwright').Page} page */
async function firstReceipt(page) {
  const start = performance.now();
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
  const ms = (performance.now() - start).toFixed(0);
  return `first receipt in a fresh profile: ${presses} key press${presses === 1 ? '' : 'es'}, ${ms} ms`;
}

/** Every attack, one after the other; the page itself measures how long it did not answer.
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

/** The same steps over and over, in one chain: a well-formed file of any length.
 * @param {string} text */
function enlarged(text) {
  const file = core.parseExport(text);
  const records = file.records.flatMap((line) => (line === undefined ? [] : [line.record]));
  const steps = records.slice(2);
  let head = core.NO_RECORDS;
  const lines = [];
  for (let i = 0; i < RECORDS; i++) {
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
    const start = performance.now();
    act();
    do await painted();
    while (!seen() && performance.now() - start < 20_000);
    return seen() ? performance.now() - start : Number.NaN;
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
