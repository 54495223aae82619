import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { findBrowser } from '../.scripts/browsers.mjs';
import type * as pages from '../web/index.ts';
import { expect, test } from './fixtures.ts';
import { approve, badge, open, receipts, runToQuestion } from './open.ts';
import { serveFolders } from './serve.ts';
import { ONCE } from './tags.ts';

/** The end of a LevelDB log after a kill between a record's header and its bytes: the seven bytes of the header. */
const TORN = Uint8Array.of(1, 2, 3, 4, 64, 0, 1);

/** The records of the database, in the order of the log. */
function recordsIn(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const db = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('sallyport');
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error);
    });
    const batches = await new Promise<{ records: string[] }[]>((resolve) => {
      const all = db.transaction('batches').objectStore('batches').getAll();
      all.onsuccess = () => resolve(all.result);
    });
    db.close();
    return batches.flatMap(({ records }) => records);
  });
}

/** Tears the newest log of the origin's databases, as a kill now and then does. */
function tear(profile: string): void {
  const base = join(profile, 'Default/IndexedDB');
  const logs = readdirSync(base, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.log'));
  const newest = logs.toSorted().at(-1);
  if (newest === undefined) throw new Error(`No log in ${base}.`);
  appendFileSync(join(base, newest), TORN);
}

/** A visit with a real profile: a private window would keep its databases in memory. */
async function visit<T>(
  launch: () => Promise<BrowserContext>,
  url: string,
  act: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await launch();
  try {
    const page = await context.newPage();
    await open(page, url);
    return await act(page);
  } finally {
    await context.close();
  }
}

test('records of a database that the browser wiped are restored from the private files, or a new epoch begins', async ({
  playwright,
  app,
}) => {
  test.setTimeout(180_000);
  const profile = await mkdtemp(join(tmpdir(), 'sallyport-'));
  const launch = () => playwright.chromium.launchPersistentContext(profile, findBrowser('chromium') ?? {});
  await visit(launch, app.url, runToQuestion);
  tear(profile);
  const written = await visit(launch, app.url, async (page) => {
    await expect(badge(page)).toHaveText('Waiting for approval', { timeout: 30_000 });
    await approve(page);
    await page.keyboard.press('r');
    await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
    return recordsIn(page);
  });
  const found = await visit(launch, app.url, async (page) => {
    await expect(page.locator('sp-status')).toContainText('every record was restored', { timeout: 30_000 });
    return recordsIn(page);
  });
  expect(written.length).toBeGreaterThan(20);
  expect(found.slice(0, written.length)).toEqual(written);
  expect(found[written.length]).toContain('"event":"restored"');

  // The second loss takes the private files, too.
  tear(profile);
  await visit(launch, app.url, async (page) => {
    await page.keyboard.press('s');
    await expect(receipts(page)).not.toHaveCount(0);
    await page.route(`${app.url}nothing`, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await page.goto(`${app.url}nothing`);
    const removeFiles = (): Promise<void> =>
      page.evaluate(async () => {
        const root = await navigator.storage.getDirectory();
        await root.removeEntry('sallyport.mirror', { recursive: true });
      });
    // the worker of the page before may hold its file a moment longer
    await expect(removeFiles).toPass({ timeout: 30_000 });
  });
  await visit(launch, app.url, async (last) => {
    await expect(last.locator('sp-status')).toContainText('The browser lost the ledger', { timeout: 30_000 });
    const [first] = await recordsIn(last);
    expect(first).toContain('"event":"lost"');
    expect(JSON.parse(first ?? '')).toMatchObject({ run_id: 'system', run_seq: 0, epoch: 2 });
  });
  await rm(profile, { recursive: true, force: true });
});

test('a tab that opens beside a tab that writes without a pause has the same store and mirror', async ({
  playwright,
  app,
}) => {
  test.setTimeout(180_000);
  const profile = await mkdtemp(join(tmpdir(), 'sallyport-'));
  const context = await playwright.chromium.launchPersistentContext(profile, findBrowser('chromium') ?? {});
  const [writing, opening] = [await context.newPage(), await context.newPage()];
  for (const page of [writing, opening]) await page.goto(`${app.url}docs/`);
  await writing.evaluate(async () => {
    const { openRuntime } = (await import(new URL('/index.js', location.href).href)) as typeof pages;
    const runtime = await openRuntime({ assets: '/' });
    const limits = { steps: 100_000, refusalsInRow: 100_000 };
    const propose = async () => {
      await new Promise((next) => setTimeout(next, 2));
      return { text: `no proposal ${'x'.repeat(2_000)}` };
    };
    runtime.start({ dialect: 'xct', task: 'Write.', model: { id: 'writer', propose }, limits });
  });
  const mirrors = await opening.evaluate(async () => {
    const { openRuntime } = (await import(new URL('/index.js', location.href).href)) as typeof pages;
    const found: string[] = [];
    for (let nth = 0; nth < 20; nth++) {
      const runtime = await openRuntime({ assets: '/' });
      const { kind, mirror } = await runtime.storage.status();
      found.push(`${kind} ${mirror}`);
      await runtime.close();
    }
    return found;
  });
  expect(mirrors.filter((each) => each !== 'indexeddb opfs')).toEqual([]);
  await context.close();
  await rm(profile, { recursive: true, force: true });
});

test(
  'a frame of another site runs in the storage that the browser gives it, and says why it has none',
  ONCE,
  async ({ playwright }, info) => {
    test.setTimeout(180_000);
    const folder = info.outputPath();
    const host = await serveFolders({ folders: { '/sallyport/': 'dist', '/': folder } });
    const site = host.origin.replace('127.0.0.1', 'localhost');
    writeFileSync(join(folder, 'frame.html'), '<title>Agent</title>');
    writeFileSync(join(folder, 'index.html'), `<title>Shop</title><iframe src="${site}/frame.html"></iframe>`);
    const browser = await playwright.chromium.launch(findBrowser('chromium') ?? {});
    const page = await browser.newPage();
    await page.goto(`${host.origin}/`);
    const found = await page.frames()[1]?.evaluate(async () => {
      const denied = await new Promise<string | undefined>((resolve) => {
        const opening = indexedDB.open('probe');
        opening.onsuccess = () => resolve(undefined);
        opening.onerror = () => resolve(opening.error?.message);
      });
      const address = new URL('/sallyport/index.js', location.href).href;
      const { fromScript, openRuntime } = (await import(address)) as typeof pages;
      const runtime = await openRuntime({ assets: '/sallyport/' });
      const run = runtime.start({ dialect: 'xct', task: 'Say it.', model: fromScript([{ done: true, message: 'x' }]) });
      const { state } = await run.result;
      return { denied, state, store: runtime.info.store, runs: (await runtime.runs()).length };
    });
    expect(found).toMatchObject({ state: 'completed', runs: 1 });
    // Chromium's settings decide whether such a frame has storage of its own, or none
    if (found?.denied === undefined) expect(found?.store).toMatchObject({ kind: 'indexeddb', state: 'good' });
    else
      expect(found.store).toEqual({ kind: 'memory', reason: expect.stringContaining('denies the page its storage: ') });
    await browser.close();
    await host.close();
  },
);
