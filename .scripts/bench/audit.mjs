// Audit in a page: how long each action takes on runs of several lengths, and the longest task of the page's thread.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The dialog is there when its part is loaded. */
const SEND = `document.querySelector('sp-app').renderRoot.querySelector('sp-send')?.renderRoot`;
const AUDIT = `document.querySelector('sp-app').store.audit`;
const IDLE = `${AUDIT}.under.value === undefined && ${AUDIT}.report.value !== undefined`;

/** ms that an action may take. */
const WAIT_MS = 300_000;

/** Measures every action on a file. `say` gets a line for each.
 * @param {import('playwright').Page} page @param {{steps: number, text: string}} run @param {(line: string) => void} say */
export async function auditTimes(page, { steps, text }, say) {
  await page.evaluate(() => {
    const { store } = /** @type {any} */ (document.querySelector('sp-app'));
    store.view.value = 'audit';
    Object.assign(globalThis, { auditTasks: [] });
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) /** @type {any} */ (globalThis).auditTasks.push(duration);
    });
    observer.observe({ type: 'longtask' });
  });
  /** @param {string} what @param {() => Promise<unknown>} act @param {string} seen */
  const time = async (what, act, seen) => {
    await page.evaluate('auditTasks = []');
    const began = performance.now();
    await act();
    while (!(await page.evaluate(seen)) && performance.now() - began < WAIT_MS) await page.waitForTimeout(25);
    const ms = performance.now() - began;
    await page.waitForTimeout(200);
    const longest = Number(await page.evaluate('Math.max(0, ...auditTasks)'));
    say(
      `${steps.toLocaleString('en').padStart(6)} steps  ${what.padEnd(24)} ${ms.toFixed(0).padStart(7)} ms, longest task ${longest.toFixed(0).padStart(5)} ms`,
    );
  };
  const press = (/** @type {string} */ name) => page.getByRole('button', { name, exact: true }).click();
  // a file of the disk, as a person gives it: bytes that a test hands over are decoded on the page's thread
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const name = `${steps}.run.jsonl`;
  writeFileSync(join(folder, name), text);
  const open = () => page.locator('sp-audit input[type=file]').setInputFiles(join(folder, name));
  await time('open and check', open, `${AUDIT}.name.value === '${name}' && ${AUDIT}.report.value !== undefined`);
  await time('decisions', async () => undefined, `${AUDIT}.working.value === undefined`);
  await time('find a word', () => page.locator('sp-audit #find').fill('flour'), `${AUDIT}.found.value !== undefined`);
  await page.locator('sp-audit #find').fill('');
  for (const way of ['Change a decision', 'Cut the end']) {
    await time(way.toLowerCase(), () => press(way), `${AUDIT}.edits.value === 1 && ${IDLE}`);
    await time('undo', () => press('Undo'), `${AUDIT}.edits.value === 0 && ${IDLE}`);
  }
  await time('send: sizes', () => page.locator('sp-audit #send').click(), `Boolean(${SEND}?.querySelector('#size'))`);
  for (const [what, id] of /** @type {const} */ ([
    ['save as a page', 'page'],
    ['save a report', 'report'],
  ])) {
    const isSaved = page.waitForEvent('download', { timeout: WAIT_MS });
    const save = async () => {
      await page.locator(`sp-send #${id}`).click();
      await isSaved;
    };
    await time(what, save, 'true');
  }
  await page.keyboard.press('Escape');
  rmSync(folder, { recursive: true });
}
