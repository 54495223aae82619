import type { Page, Worker } from '@playwright/test';
import type { Device } from './device/page.ts';
import { EXIT_NAMES, ORIGIN_EXIT_NAMES } from './exits.ts';
import { expect, solo as test } from './fixtures.ts';
import { type ModelSite, openModelSite } from './model-site.ts';
import { startNested } from './nested.ts';
import { type Probe, startProbe } from './probe.ts';
import { ONCE } from './tags.ts';

// Workers try their own locks, and an engine writes on the console.
test.use({ complaining: true });

let site: ModelSite;
let elsewhere: Probe;
test.beforeAll(async () => {
  [site, elsewhere] = await Promise.all([openModelSite(), startProbe()]);
});
test.afterAll(async () => {
  elsewhere.close();
  await site.close();
});

interface DeviceWindow {
  readonly device: Device;
}

/** Calls a member of the page's `device` with this argument. */
function call<M extends Exclude<keyof Device, 'exit'>>(page: Page, member: M, given?: Parameters<Device[M]>[0]) {
  return page.evaluate(
    ([name, value]) => {
      const { device } = globalThis as unknown as DeviceWindow;
      return (device[name as 'propose'] as (given: unknown) => Promise<unknown>)(value);
    },
    [member, given] as const,
  ) as Promise<Awaited<ReturnType<Device[M]>>>;
}

/** Opens the model of the page; returns its members. */
function openModel(page: Page) {
  return startNested(
    page,
    () => call(page, 'open'),
    () => page.reload(),
  );
}

/** Origins of the requests that the browser has sent for this page and its workers, beside those of the site. */
function foreignRequests(page: Page): string[] {
  const foreign: string[] = [];
  page.context().on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && `${origin}/` !== site.url) foreign.push(request.url());
  });
  return foreign;
}

test('a GGUF model proposes in a locked worker, and asks no server once it is loaded', ONCE, async ({ page }) => {
  const foreign = foreignRequests(page);
  await page.goto(site.url);
  expect(await openModel(page)).toEqual({
    id: 'tiny, 1 threads',
    locality: { kind: 'local' },
    window: { contextBytes: 384, maxTokens: 256 },
  });
  const loaded = site.requests.length;
  for (const task of ['what is 12 plus 30?', 'read note keys', 'a task that it was never taught']) {
    const { text, pieces, usage, finish } = await call(page, 'propose', task);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(text);
    expect(finish).toBe('stop');
    expect(usage?.output).toBeGreaterThan(10);
    expect(JSON.parse(String(text))).toMatchObject({
      next_step: { tool: expect.any(String), arguments: expect.any(Object), goal: expect.any(String) },
    });
  }
  expect(site.requests.slice(loaded)).toEqual([]);
  expect(foreign).toEqual([]);
});

test('an aborted proposal ends, and the model answers the next one', ONCE, async ({ page }) => {
  await page.goto(site.url);
  await openModel(page);
  expect(await call(page, 'abort', 'what is 12 plus 30?')).toBe('AbortError');
  const { text } = await call(page, 'propose', 'what is 12 plus 30?');
  expect(JSON.parse(String(text))).toMatchObject({ next_step: { tool: 'math.add' } });
});

test('two runs at once on one model are both answered, and verify', ONCE, async ({ page }) => {
  await page.goto(site.url);
  await openModel(page);
  const { outcomes, calls } = await call(page, 'runs', ['what is 12 plus 30?', 'multiply 45 by 2']);
  expect(calls).toEqual(['math.add 12 30', 'math.mul 45 2']);
  expect(outcomes).toEqual([
    { statuses: ['SUCCESS'], ok: true },
    { statuses: ['SUCCESS'], ok: true },
  ]);
});

test('a proposal of a model that is closed fails', ONCE, async ({ page }) => {
  await page.goto(site.url);
  await openModel(page);
  expect(await call(page, 'close', 'what is 12 plus 30?')).toBe('model_failed');
});

test('a file that is cut, too large for an engine, or no GGUF opens no model', ONCE, async ({ page }) => {
  await page.goto(site.url);
  const whole = { used: expect.any(Number), limit: expect.any(Number) };
  expect(await call(page, 'refuse', { bytes: 270_000 })).toMatchObject({
    code: 'model_failed',
    details: { fault: 'cut', used: 270_000, limit: 279_808 },
  });
  expect(await call(page, 'refuse', { bytes: 3000 })).toMatchObject({ details: { fault: 'cut', used: 3000 } });
  expect(await call(page, 'refuse', { contextTokens: 1e8 })).toMatchObject({
    details: { fault: 'too_large', ...whole },
  });
  expect(await call(page, 'refuse', { text: 'a letter' })).toMatchObject({ details: { fault: 'not_gguf' } });
});

test('a model that is open proposes with its server gone', ONCE, async ({ page }) => {
  const own = await openModelSite();
  await page.goto(own.url);
  await openModel(page);
  await own.close();
  const { text } = await call(page, 'propose', 'what is 12 plus 30?');
  expect(JSON.parse(String(text))).toMatchObject({ next_step: { tool: 'math.add' } });
});

test('a page that is isolated from other origins computes in two threads', ONCE, async ({ page }) => {
  site.isolated = true;
  try {
    await page.goto(site.url);
    expect(await openModel(page)).toMatchObject({ id: 'tiny, 2 threads' });
    // Threads wait for each other by computing, so a token takes seconds where the cores have other work.
    expect(await call(page, 'begin', 'what is 12 plus 30?')).toMatch(/^\{"next_step/);
  } finally {
    site.isolated = false;
  }
});

/** Counts the pages by which the engine's memory grows from now on; returns their number so far. */
async function countGrowth(page: Page): Promise<() => Promise<number>> {
  const engine = page.workers().find((worker) => worker.url().startsWith('blob:')) as Worker;
  await engine.evaluate(() => {
    const { prototype } = WebAssembly.Memory;
    const { grow } = prototype;
    const counted = globalThis as unknown as { grownPages: number };
    counted.grownPages = 0;
    prototype.grow = function (this: WebAssembly.Memory, pages) {
      counted.grownPages += Number(pages);
      return grow.call(this, pages);
    };
  });
  return () => engine.evaluate(() => (globalThis as unknown as { grownPages: number }).grownPages);
}

/** Bytes of the page's heap after a collection. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

test('two hundred proposals need no more memory than twenty', ONCE, async ({ page }) => {
  await page.goto(site.url);
  await openModel(page);
  await call(page, 'repeat', 20);
  const heap = await heapOf(page);
  const grown = await countGrowth(page);
  await call(page, 'repeat', 200);
  expect(await grown()).toBe(0);
  expect((await heapOf(page)) - heap).toBeLessThan(200_000);
});

test('a worker without the header of its role gets no model', ONCE, async ({ page }) => {
  site.unlocked = true;
  try {
    await page.goto(site.url);
    await expect(call(page, 'open')).rejects.toThrow(/not locked: .*fetch.*eval/);
  } finally {
    site.unlocked = false;
  }
});

/** Exits that stay open: the origin of the worker, and workers from its own memory, which inherit the header. */
const OPEN: readonly string[] = ['worker-blob'];

/** The outcome of each exit in the global of a worker with a model. */
async function outcomesOf(page: Page, names: readonly string[], origin: string): Promise<[string, string][]> {
  await page.goto(site.url);
  return page.evaluate(
    ([all, target]) => {
      const { device } = globalThis as unknown as DeviceWindow;
      return Promise.all(all.map(async (name): Promise<[string, string]> => [name, await device.exit(name, target)]));
    },
    [names, origin] as const,
  );
}

test('a worker with a model reaches no other origin by any exit', ONCE, async ({ page }) => {
  const outcomes = await outcomesOf(page, EXIT_NAMES, elsewhere.origin);
  const open = outcomes.filter(([, outcome]) => outcome === 'open').map(([name]) => name);
  expect(
    open.filter((name) => !OPEN.includes(name)),
    JSON.stringify(outcomes),
  ).toEqual([]);
  await page.waitForTimeout(300);
  expect(elsewhere.leaks('model')).toEqual([]);
});

test('a worker with a model has removed the ways to the storage and the tabs of its origin', ONCE, async ({ page }) => {
  const outcomes = await outcomesOf(page, ORIGIN_EXIT_NAMES, elsewhere.origin);
  expect(outcomes.filter(([, outcome]) => outcome === 'open')).toEqual([]);
});
