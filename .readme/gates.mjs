// `node .readme/gates.mjs`, after a build: plays the demonstration in the built page and draws `gates.svg`, a moving
// picture of five of its proposals on their way through the gates. States, texts and codes are read from the page.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { preview } from 'vite';
import { findHeadless } from '../.scripts/browsers.mjs';
import { ROOT } from '../.scripts/steps.mjs';
import { moving } from './draw.mjs';

/** Steps of the demonstration that the picture shows; the last waits for a person. */
const SHOWN = [2, 3, 10, 6, 15];

/** Waits until the step has its receipt or asks its question, and reads it.
 * @param {import('playwright').Page} page
 * @param {number} step
 * @returns {Promise<import('./draw.mjs').Scene>} */
async function play(page, step) {
  await page.keyboard.press('s');
  await page.waitForFunction((count) => {
    const { session } = /** @type {any} */ (document.querySelector('sp-app')).store;
    const { mode, pending } = session.value?.view.value ?? {};
    const receipts = session.value?.records.value.filter((/** @type {any} */ { kind }) => kind === 'receipt') ?? [];
    return pending !== undefined || (mode === 'paused' && receipts.length >= count);
  }, step);
  const settled = step === SHOWN.at(-1) ? 'waits for a person' : 'receipt: passed';
  await page.locator(`sp-strip li[title*="${settled}"]`).waitFor();
  const gates = await page
    .locator('sp-strip li')
    .evaluateAll((items) => items.map((item) => (item.getAttribute('title') ?? '').split(': ')));
  const told = await page.evaluate(async () => {
    const { runtime, session } = /** @type {any} */ (document.querySelector('sp-app')).store;
    const of = (/** @type {string} */ kind) =>
      session.value.records.value.findLast((/** @type {any} */ record) => record.kind === kind)?.body;
    const bytes = await runtime.ledger.payload(session.value.id, of('proposal').payload.sha256);
    return { text: new TextDecoder().decode(bytes), code: of('receipt')?.evidence.reason?.code };
  });
  return { gates: gates.map(([name = '', state = '']) => ({ name, state })), ...told };
}

const server = await preview({ root: ROOT, logLevel: 'warn', preview: { port: 0, host: '127.0.0.1' } });
const browser = await chromium.launch({ headless: true, ...findHeadless('chromium') });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(String(server.resolvedUrls?.local[0]));
  await page.locator('sp-runbar').waitFor();
  /** @type {import('./draw.mjs').Scene[]} */
  const scenes = [];
  for (let step = 1; step <= Math.max(...SHOWN); step++) scenes[step] = await play(page, step);
  writeFileSync(join(ROOT, '.readme/gates.svg'), moving(SHOWN.flatMap((step) => scenes[step] ?? [])));
} finally {
  await browser.close();
  await server.close();
}
