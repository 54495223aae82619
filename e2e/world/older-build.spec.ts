import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import { type Tree, treeOf } from '../../.scripts/bench/trees.mjs';
import { findBrowser } from '../../.scripts/browsers.mjs';
import type { Playground } from '../../web/playground/playground.ts';
import { approve, badge, open, receipts, runToQuestion } from '../open.ts';
import { hasCommit, type Origin, openOrigin } from './older-build.ts';

/** A commit from before the private file: IndexedDB was the truth of the ledger, and the file its copy. */
const OLDER = '55509dc79aa19a98a189e3ecacc38163ac5ed8cf';
const NOW: Tree = { name: 'this build', home: resolve('.') };

test.skip(!hasCommit(OLDER), 'This checkout has no older commit to build: it is a shallow clone, or has no history.');

/** The ledger as a page tells it: hashes of the records and verdicts of each run, and the sections. */
interface Told {
  readonly runs: Readonly<Record<string, { readonly hashes: readonly string[]; readonly verdicts: readonly string[] }>>;
  readonly heads: Readonly<Record<string, string>>;
  readonly failed: readonly string[];
  readonly sections: readonly string[];
}

let older: Tree;
let origin: Origin;
let profile: string;

test.beforeAll(async () => {
  test.setTimeout(900_000);
  older = await treeOf(OLDER);
});

test.beforeEach(async () => {
  origin = await openOrigin();
  profile = await mkdtemp(join(tmpdir(), 'sallyport-older-'));
});

test.afterEach(async () => {
  await origin.close();
  await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

test('a ledger of an older build is carried over with its hashes, and its next run goes on', async ({ playwright }) => {
  const launch = () =>
    playwright.chromium.launchPersistentContext(profile, { ...findBrowser('chromium'), serviceWorkers: 'block' });
  await origin.show(older);
  const before = await launch();
  const page = await olderPage(before);
  await runToQuestion(page);
  await approve(page);
  await page.keyboard.press('r');
  await expect(badge(page)).toHaveText('Completed');
  await page.evaluate(addSections);
  await page.evaluate(() => (document.querySelector('sp-app') as unknown as { store: Playground }).store.startRun());
  await expect(receipts(page)).toHaveCount(0);
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  const left = await page.evaluate(tell);
  expect(Object.keys(left.runs).length).toBeGreaterThanOrEqual(2);
  expect(left.sections.length).toBeGreaterThan(0);
  await before.close();

  await origin.show(NOW);
  const context = await launch();
  const now = await context.newPage();
  await open(now, origin.url);
  const found = await now.evaluate(tell);
  expect(found.runs).toMatchObject(left.runs);
  expect(found.heads).toMatchObject(left.heads);
  expect(found.failed).toEqual([]);
  expect(found.sections).toEqual(expect.arrayContaining([...left.sections]));
  // the unfinished run of the older build, or a new run: it takes a step, and the whole log holds
  const count = await receipts(now).count();
  await now.keyboard.press('s');
  await expect(receipts(now)).toHaveCount(count + 1);
  expect((await now.evaluate(tell)).failed).toEqual([]);
  await context.close();
});

test('a tab of an older build beside this build adds no record of its own', async ({ playwright }) => {
  await origin.show(older);
  const context = await playwright.chromium.launchPersistentContext(profile, {
    ...findBrowser('chromium'),
    serviceWorkers: 'block',
  });
  const page = await olderPage(context);
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  const left = await page.evaluate(tell);

  await origin.show(NOW);
  const now = await context.newPage();
  await open(now, origin.url);
  await expect.poll(async () => (await now.evaluate(tell)).runs, { timeout: 30_000 }).toMatchObject(left.runs);
  await page.bringToFront();
  await page.keyboard.press('s');
  // the older tab was asked to close its database, and cannot open it again
  expect(await page.evaluate(refusalOf)).toBe('store_newer');
  await expect(receipts(page)).toHaveCount(1);
  await now.bringToFront();
  // the run of the older tab has no further record; this build has a run of its own
  const found = await now.evaluate(tell);
  expect(found.runs).toMatchObject(left.runs);
  expect(found.heads).toMatchObject(left.heads);
  expect(found.failed).toEqual([]);
  await context.close();
});

async function olderPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(origin.url);
  await expect(page.locator('sp-runbar')).toBeVisible();
  await expect(badge(page)).toHaveText('Ready');
  return page;
}

/** In a page of either build. */
async function addSections(): Promise<void> {
  const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
  const text = '# Bread\n\nRye and water.\n\n## Oven\n\nHot.\n';
  await store.runtime.content.add([{ path: 'notes/bread.md', bytes: new TextEncoder().encode(text) }]);
}

/** Code with which the ledger of a page refuses to be read. */
function refusalOf(): Promise<string> {
  const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
  return store.runtime.runs().then(
    () => 'none',
    (error: unknown) => (error as { readonly code?: string }).code ?? String(error),
  );
}

/** In a page of either build: both have these members. */
async function tell(): Promise<Told> {
  const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
  const { runtime } = store;
  const [runs, heads]: [Record<string, Told['runs'][string]>, Record<string, string>] = [{}, {}];
  const failed: string[] = [];
  for (const { run_id, head } of await runtime.runs()) {
    const text = await runtime.ledger.export(run_id);
    const lines = text
      .split('\n')
      .filter((line) => line.includes('"kind":'))
      .map((line) => JSON.parse(line) as { readonly kind: string; readonly hash: string; readonly body: unknown });
    const verdicts = lines.filter(({ kind }) => kind === 'verdict').map(({ body }) => JSON.stringify(body));
    runs[run_id] = { hashes: lines.map(({ hash }) => hash), verdicts };
    heads[run_id] = head;
    const { checks } = await runtime.ledger.verify(run_id);
    failed.push(...checks.filter(({ status }) => status === 'fail').map(({ id }) => `${run_id} ${id}`));
  }
  const sections = (await runtime.content.sections()).map(
    ({ section_id, content_hash }) => `${section_id} ${content_hash}`,
  );
  return { runs, heads, failed, sections };
}
