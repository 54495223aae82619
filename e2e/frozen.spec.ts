import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { findBrowser } from '../.scripts/browsers.mjs';
import type { Playground } from '../web/playground/playground.ts';
import { expect, test } from './fixtures.ts';
import { open } from './open.ts';

/** Calls of a session that its page has been told the receipts of. */
interface Acknowledged {
  run: string;
  calls: number;
  error?: string;
}

const FREEZES = 6;

test('a tab whose process is stopped at any moment holds up no other tab, and loses no record', async ({
  playwright,
  app,
}) => {
  const profile = await mkdtemp(join(tmpdir(), 'sallyport-'));
  const context = await playwright.chromium.launchPersistentContext(profile, findBrowser('chromium') ?? {});
  const frozen = await context.newPage();
  const other = await context.newPage();
  await open(frozen, app.url);
  await open(other, app.url);
  const pid = await processOf(context.browser(), frozen);
  expect(await processOf(context.browser(), other), 'each tab has a process of its own').not.toBe(pid);
  await frozen.evaluate(beginCalls);
  await other.evaluate(beginCalls);
  for (let freeze = 0; freeze < FREEZES; freeze++) {
    // The moments differ by a few milliseconds within a call and its write.
    await expect.poll(async () => (await acknowledged(frozen)).calls).toBeGreaterThan(freeze * 5);
    await frozen.waitForTimeout(freeze * 7);
    process.kill(pid, 'SIGSTOP');
    const { calls } = await acknowledged(other);
    await expect.poll(async () => (await acknowledged(other)).calls, { timeout: 15_000 }).toBeGreaterThan(calls + 5);
    process.kill(pid, 'SIGCONT');
  }
  for (const page of [frozen, other]) {
    const { run, calls, error } = await page.evaluate(endCalls);
    expect(error).toBeUndefined();
    const { receipts, failed } = await other.evaluate(readRun, run);
    expect(receipts, 'one receipt for each call').toBe(calls);
    expect(failed).toEqual([]);
  }
  const roots = await Promise.all([frozen, other].map((page) => page.evaluate(rootOf)));
  expect(roots[0]).toEqual(roots[1]);
  await context.close();
  await rm(profile, { recursive: true, force: true });
});

/** The process of a tab: the renderer that computes while the tab does. */
async function processOf(browser: Browser | null, page: Page): Promise<number> {
  const session = await browser?.newBrowserCDPSession();
  const times = async (): Promise<Map<number, number>> => {
    const { processInfo = [] } = (await session?.send('SystemInfo.getProcessInfo')) ?? {};
    return new Map(processInfo.filter(({ type }) => type === 'renderer').map(({ id, cpuTime }) => [id, cpuTime]));
  };
  const before = await times();
  await page.evaluate(() => {
    const end = performance.now() + 1_000;
    while (performance.now() < end);
  });
  const used = [...(await times())].map(([id, time]) => [id, time - (before.get(id) ?? time)] as const);
  const [most] = used.sort(([, one], [, two]) => two - one);
  await session?.detach();
  if (most === undefined) throw new Error('Chromium names no renderer.');
  return most[0];
}

type Scope = typeof globalThis & { acknowledged: Acknowledged; isOver: boolean; ended: Promise<unknown> };

/** In the page: calls a capability through a session, one call behind the other, until `endCalls`. */
function beginCalls(): void {
  const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
  const scope = globalThis as Scope;
  const session = store.runtime.openSession({ label: 'caller' });
  scope.acknowledged = { run: session.run.id, calls: 0 };
  scope.isOver = false;
  const call = async (): Promise<void> => {
    while (!scope.isOver) {
      await session.call('calc.eval', { expression: `${scope.acknowledged.calls}+1` });
      scope.acknowledged.calls++;
    }
    await session.close();
  };
  scope.ended = call().catch((error: unknown) => {
    scope.acknowledged.error = String(error);
  });
}

const acknowledged = (page: Page): Promise<Acknowledged> => page.evaluate(() => (globalThis as Scope).acknowledged);

/** In the page: ends the session of `beginCalls`. */
async function endCalls(): Promise<Acknowledged> {
  const scope = globalThis as Scope;
  scope.isOver = true;
  await scope.ended;
  return scope.acknowledged;
}

/** In the page: counts the receipts of a run, and names the checks that fail. */
async function readRun(run: string): Promise<{ receipts: number; failed: string[] }> {
  const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
  const records = await store.runtime.ledger.records(run);
  const { checks } = await store.runtime.ledger.verify(run);
  return {
    receipts: records.filter(({ kind }) => kind === 'receipt').length,
    failed: checks.filter(({ status }) => status === 'fail').map(({ id }) => id),
  };
}

/** In the page: the size and root of the log. */
async function rootOf(): Promise<unknown> {
  const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
  return store.runtime.ledger.checkpoint();
}
