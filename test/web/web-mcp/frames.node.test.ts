import { chromium, type LaunchOptions } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as webmcp from '../../../web/webmcp.ts';
import { bundled } from '../../bundled.ts';
import { type Behaviour, serve, type TestServer } from '../../workers/bridges/models/server.ts';

// Chromium's own context with a frame of another origin, and with an agent of the browser, which is the protocol of its
// developer tools here. The polyfill has neither.

const scripts = new URL('../../../.scripts/browsers.mjs', import.meta.url).href;
const { findHeadless } = (await import(scripts)) as { findHeadless(name: 'chromium'): LaunchOptions | undefined };

const html =
  (text: string): Behaviour =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Page</title>${text}`);

/** A shop whose tools the page may see, and that hides one of them. */
const shop = (page: string): string => `<script type="module">
  const register = (name, options) => document.modelContext.registerTool(
    { name, description: 'Finds.', inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
      execute: async ({ q }) => ({ found: q }) }, options);
  await register('find', { exposedTo: ['${page}'] });
  await register('hidden', {});
  parent.postMessage('ready', '*');
</script>`;

let browser: Awaited<ReturnType<typeof chromium.launch>> | undefined;
let site: TestServer;
let other: TestServer;

beforeAll(async () => {
  const script = await bundled('web/webmcp.ts');
  site = await serve({
    '': html(
      `<script type="module">import * as entry from '/webmcp.js'; Object.assign(globalThis, { entry })</script>`,
    ),
    'webmcp.js': (response) => void response.writeHead(200, { 'content-type': 'text/javascript' }).end(script),
  });
  const launch = findHeadless('chromium');
  if (launch === undefined)
    throw new Error('There is no Chromium. Set SALLYPORT_CHROMIUM to the command that starts one.');
  other = await serve({ '': html(shop(site.origin)) });
  browser = await chromium.launch({ ...launch, args: [...(launch.args ?? []), '--enable-blink-features=WebMCP'] });
});
afterAll(async () => {
  await browser?.close();
  await site.close();
  await other.close();
});

test('tools of a frame are taken where its origin is named and the frame exposes them, with its host in their names', async () => {
  const page = await browser?.newPage();
  await page?.goto(site.origin);
  const found = await page?.evaluate(async (origin) => {
    const frame = Object.assign(document.createElement('iframe'), { src: origin, allow: 'tools' });
    const ready = new Promise((resolve) => addEventListener('message', resolve, { once: true }));
    document.body.append(frame);
    await ready;
    const { fromWebMcp } = (globalThis as never as { readonly entry: typeof webmcp }).entry;
    const list = async (origins: string[]) => (await fromWebMcp({ prefix: 'page', origins })).list();
    const [tool, ...more] = await list([origin]);
    const value = await tool?.run({ q: 'tea' } as never, { signal: new AbortController().signal, step_id: 'step' });
    return { own: await list([]), name: tool?.name, origin: tool?.origin, more, value };
  }, other.origin);
  const host = new URL(other.origin).host.replace(':', '_');
  const expected = {
    own: [],
    name: `page.${host}.find`,
    origin: `webmcp:${other.origin}`,
    more: [],
    value: { found: 'tea' },
  };
  expect(found).toEqual(expected);
});

test('an agent of the browser calls a tool of a session with what it was given, and its cancelling aborts the call', async () => {
  const page = await browser?.newPage();
  await page?.goto(site.origin);
  const agent = await page?.context().newCDPSession(page);
  const send = (method: string, params: object = {}) => agent?.send(method as never, params as never) as Promise<never>;
  await send('WebMCP.enable');
  await page?.evaluate(async () => {
    const { provideWebMcp } = (globalThis as never as { readonly entry: typeof webmcp }).entry;
    const seen: unknown[] = Object.assign(globalThis, { seen: [] }).seen;
    const session = {
      tools: async () => [{ name: 'math.add', description: 'Adds.', effect: 'pure', labels: [], args: {} }],
      run: { records: async function* () {} },
      call: (name: string, args: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise((_, reject) => {
          seen.push([name, args]);
          signal.addEventListener('abort', () => (seen.push('aborted'), reject(signal.reason)));
        }),
    };
    await provideWebMcp(session as never);
  });
  const { frameTree } = (await send('Page.getFrameTree')) as { readonly frameTree: { readonly frame: { id: string } } };
  // the browser passes on a wrong type and an unknown member: the gate has to refuse them
  const call = { toolName: 'math_add', frameId: frameTree.frame.id, input: { a: '1', more: true } };
  const { invocationId } = (await send('WebMCP.invokeTool', call)) as { readonly invocationId: string };
  const seen = () => page?.evaluate(() => (globalThis as never as { readonly seen: unknown[] }).seen);
  await expect.poll(seen).toEqual([['math.add', { a: '1', more: true }]]);
  await send('WebMCP.cancelInvocation', { invocationId });
  await expect.poll(seen).toEqual([['math.add', { a: '1', more: true }], 'aborted']);
});
