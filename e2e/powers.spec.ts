import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import type * as pages from '../web/index.ts';
import type * as node from '../workers/node.ts';
import { expect, test } from './fixtures.ts';
import { type StaticHost, serveFolders } from './serve.ts';
import { CORE_ENGINES, ONCE } from './tags.ts';

/** An empty page of another author, with the package beside it. */
async function blank(page: Page): Promise<StaticHost> {
  const host = await serveFolders({ folders: { '/sallyport/': 'dist' } });
  const body = '<!doctype html><title>Somebody’s page</title>';
  await page.route(`${host.origin}/`, (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }));
  await page.goto(`${host.origin}/`);
  return host;
}

const CASES = [
  {
    source: 'export default ({ n }) => Array.from({ length: n }, (_, i) => i * i).reduce((a, b) => a + b)',
    args: { n: 500 },
  },
  {
    source: `export default (args) => { console.warn(new Date().toString(), Math.random());
      return [new Intl_().text, [3, 1, 2].sort(), 'ß'.toUpperCase(), (0.1 + 0.2) ** 7.3]; }
      class Intl_ { text = new Date(0).toLocaleString() }`,
    args: {},
  },
  {
    source: `export default async (args, powers) => {
      const said = await Promise.all([powers.slow('a'), powers.quick('b'), powers.fails().catch((e) => e.name)]);
      for (let i = 0; i < 5; i++) said.push(await powers.quick({ i, said: said.length }));
      globalThis.dirt = said; return said }`,
    args: {},
  },
  { source: 'export default async (args, powers) => { await powers.quick(1); throw new RangeError("no") }', args: {} },
  { source: 'export default async (args, powers) => { for (;;) await powers.quick(1) }', args: {} },
  { source: 'export default () => { for (;;); }', args: {} },
] as const;

/** Outcomes and image hashes of these calls. The text of this function runs in Node and in the page. */
async function callAll(createSandbox: typeof pages.createSandbox, cases: typeof CASES): Promise<unknown> {
  const sandbox = await createSandbox();
  const powers = {
    quick: async (value: unknown) => value,
    slow: (value: unknown) => new Promise((answer) => setTimeout(answer, 20, [value])),
    fails: async () => {
      throw new TypeError('fails');
    },
  };
  const ends: unknown[] = [];
  for (const { source, args } of cases) {
    const loaded = await sandbox.load({ name: 'case', source, powers: Object.keys(powers), limits: { fuel: 100_000 } });
    const how = { powers, seed: 7, now: 1_700_000_000_000, heapHash: true };
    ends.push([loaded.imageHash, await loaded.call(args, how)]);
  }
  await sandbox.close();
  return ends;
}

test(
  'a call has the same outcome, fuel, power calls and heap in the browser and in Node',
  CORE_ENGINES,
  async ({ page }) => {
    const host = await blank(page);
    const { createSandbox } = (await import(pathToFileURL(resolve('dist/node.js')).href)) as typeof node;
    const inNode = await callAll(createSandbox as typeof pages.createSandbox, CASES);
    const here = await page.evaluate(
      async ({ cases, text }) => {
        const entry = '/sallyport/index.js';
        const { createSandbox: create } = (await import(entry)) as typeof pages;
        const url = URL.createObjectURL(new Blob([`export default ${text}`], { type: 'text/javascript' }));
        const { default: run } = (await import(url)) as { default: typeof callAll };
        return run(create, cases);
      },
      { cases: CASES, text: callAll.toString() },
    );
    expect(here).toEqual(inNode);
    expect(inNode).toMatchObject([
      [expect.any(String), { ok: true, value: 41541750, heapHash: expect.any(String) }],
      [expect.any(String), { ok: true, console: [{ level: 'warn' }] }],
      [expect.any(String), { ok: true, powerCalls: { length: 8 } }],
      [expect.any(String), { ok: false, kind: 'threw' }],
      [expect.any(String), { ok: false, kind: 'power_calls' }],
      [expect.any(String), { ok: false, kind: 'fuel' }],
    ]);
    await host.close();
  },
);

/** Opens a runtime with a power of the page, starts or resumes a run, and returns the id of the run. */
async function visit(page: Page, id: string | undefined): Promise<string> {
  return page.evaluate(async (resumed) => {
    const entry = '/sallyport/index.js';
    const { defineCapability, definePower, fromScript, openRuntime } = (await import(entry)) as typeof pages;
    const common = { version: '1.0.0', description: 'For a test.', args: {} } as const;
    const sent: unknown[] = [];
    const send = definePower({
      ...common,
      name: 'mail.send',
      effect: 'egress',
      run: (args) => `sent ${sent.push(args)}`,
    });
    const use = defineCapability({
      ...common,
      name: 'use',
      effect: 'egress',
      powers: ['mail.send'],
      source: 'export default async (_, powers) => { const n = 41; return [await powers.mail.send("a"), n + 1]; }',
    });
    const grants = [
      { capability: 'use', mode: 'allow' },
      { power: 'mail.send', mode: 'ask' },
    ] as const;
    const first = resumed === undefined ? { capabilities: [use], grants } : {};
    const runtime = await openRuntime({ powers: [send], ...first });
    const done = { done: true, message: 'done' };
    const run =
      resumed === undefined
        ? runtime.start({
            dialect: 'xct',
            task: 'Use it.',
            heapHash: true,
            model: fromScript([{ next_step: { tool: 'use', arguments: {}, goal: 'use' } }, done]),
          })
        : await runtime.resume(resumed, fromScript([done]));
    Object.assign(window, { runtime, run, sent });
    return run.id;
  }, id);
}

interface Visit {
  readonly runtime: pages.Runtime;
  readonly run: pages.Run;
  readonly sent: readonly unknown[];
}

test(
  'a call parked for the approval of a power goes on after a reload, and replays to the same heap in Node',
  ONCE,
  async ({ page }) => {
    const host = await blank(page);
    const id = await visit(page, undefined);
    const kinds = () =>
      page.evaluate(async () => {
        const { runtime, run } = window as unknown as Visit;
        return (await runtime.ledger.records(run.id)).map(({ kind }) => kind);
      });
    await expect.poll(kinds, { timeout: 30_000 }).toContain('parked');
    await page.reload();
    await visit(page, id);
    const asked = () => page.evaluate(() => (window as unknown as Visit).run.view.pending?.args);
    await expect.poll(asked, { timeout: 30_000 }).toBe('"a"');
    const [end, sent, told, text] = await page.evaluate(async () => {
      const { runtime, run, sent: done } = window as unknown as Visit;
      await run.answer(run.view.pending?.digest ?? '', { approved: true });
      await run.run();
      const { state } = await run.result;
      const records = await runtime.ledger.records(run.id);
      const observed = records.find(({ kind }) => kind === 'observation')?.body as { payload: { sha256: string } };
      const reply = new TextDecoder().decode(await runtime.ledger.payload(run.id, observed.payload.sha256));
      return [state, done, reply, await runtime.ledger.export(run.id)] as const;
    });
    expect([end, sent]).toEqual(['completed', ['a']]);
    // The page parked the call and went on after a reload; the replay in Node makes it without a break.
    const { replayExport } = (await import(pathToFileURL(resolve('dist/node.js')).href)) as typeof node;
    const { checks } = await replayExport(text);
    expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(checks.find(({ id: check }) => check === 'replay')?.status).toBe('pass');
    expect(text).toMatch(/"heap_hash":"[0-9a-f]{64}"/);
    expect(JSON.parse(told)).toMatchObject({ status: 'success', result: ['sent 1', 42] });
    await host.close();
  },
);
