import { chromium, type LaunchOptions } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as adapter from '../../../../workers/bridges/models/openai.ts';
import { bundled } from '../../../bundled.ts';
import { type Behaviour, DONE, delta, JSON_TYPE, SSE, STOP, sendPieces, serve, type TestServer } from './server.ts';

const KEY = 'sk-quince-4711';
const SAID = '{"done":true,"message":"é€😀"}';
const MODELS = '{"data":[{"id":"tiny"}]}';
const ALLOW = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };

/** Behaviour that also answers the preflight request of a page. */
const allowing =
  (behave: Behaviour): Behaviour =>
  (response, request) => {
    for (const [name, value] of Object.entries(ALLOW)) response.setHeader(name, value);
    return request.method === 'OPTIONS' ? void response.writeHead(204).end() : behave(response, request);
  };

const scripts = new URL('../../../../.scripts/browsers.mjs', import.meta.url).href;
const { findHeadless } = (await import(scripts)) as { findHeadless(name: 'chromium'): LaunchOptions | undefined };
const launch = findHeadless('chromium');
let browser: Awaited<ReturnType<typeof chromium.launch>>;
let page: Awaited<ReturnType<typeof browser.newPage>>;
let server: TestServer;
let elsewhere: TestServer;
let site: TestServer;

beforeAll(async () => {
  const script = await bundled('workers/bridges/models/openai.ts');
  site = await serve({
    '': (response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Page</title>'),
    'openai.js': (response) => void response.writeHead(200, { 'content-type': 'text/javascript' }).end(script),
  });
  elsewhere = await serve({ stolen: allowing((response) => void response.writeHead(200, JSON_TYPE).end(MODELS)) });
  server = await serve({
    good: allowing(async (response, { path }) => {
      if (path.endsWith('/models')) return void response.writeHead(200, JSON_TYPE).end(MODELS);
      response.writeHead(200, SSE);
      const bytes = new TextEncoder().encode(delta(SAID) + STOP + DONE);
      await sendPieces(
        response,
        Array.from({ length: Math.ceil(bytes.length / 3) }, (_, at) => bytes.subarray(at * 3, at * 3 + 3)),
      );
      response.end();
    }),
    reset: allowing(async (response) => {
      response.writeHead(200, SSE);
      await sendPieces(response, [delta(SAID), STOP]);
      response.destroy();
    }),
    hang: allowing(async (response) => {
      response.writeHead(200, SSE);
      await sendPieces(response, [delta('{')]);
    }),
    redirect: allowing((response) => void response.writeHead(307, { location: `${elsewhere.origin}/stolen` }).end()),
    closed: (response) => void response.writeHead(200, JSON_TYPE).end(MODELS),
  });
  if (launch === undefined)
    throw new Error('There is no Chromium. Set SALLYPORT_CHROMIUM to the command that starts one.');
  browser = await chromium.launch(launch);
  page = await browser.newPage();
  await page.goto(site.origin);
  await page.addScriptTag({
    type: 'module',
    content: "import * as adapter from '/openai.js'; globalThis.adapter = adapter;",
  });
  await page.waitForFunction('globalThis.adapter !== undefined');
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await Promise.all([site, server, elsewhere].map((one) => one?.close()));
});

/** Runs in the page, and returns the outcome of a proposal or of a test of the connection. */
async function inPage(baseUrl: string, act: 'propose' | 'test', abortMs = 10_000): Promise<unknown> {
  return page.evaluate(
    async ({ baseUrl: url, apiKey, act: what, abortMs: ms }) => {
      const { fromOpenAI } = (globalThis as unknown as { adapter: typeof adapter }).adapter;
      const port = fromOpenAI({ baseUrl: url, model: 'tiny', apiKey });
      if (what === 'test') return port.testEndpoint();
      const request = { messages: [], dialect: 'xct', tools: [], proposalSchema: {}, maxTokens: 9 } as const;
      return port
        .propose(request, { signal: AbortSignal.any([AbortSignal.timeout(ms)]) })
        .catch((error: unknown) => String(error));
    },
    { baseUrl, apiKey: KEY, act, abortMs },
  );
}

test('a page reads an answer that comes three bytes at a time', async () => {
  expect(await inPage(`${server.origin}/good`, 'propose')).toEqual({ text: SAID, finish: 'stop' });
});

test('a page refuses an answer whose connection broke', async () => {
  expect(await inPage(`${server.origin}/reset`, 'propose')).toContain('ended before the model had finished');
});

test('a page gives up a server that hangs when its signal aborts', async () => {
  expect(await inPage(`${server.origin}/hang`, 'propose', 200)).toMatch(/AbortError|TimeoutError|ended before/);
});

test('a page follows no redirect with its key, and its connection test reports the redirect', async () => {
  expect(await inPage(`${server.origin}/redirect`, 'propose')).toContain('cannot be reached');
  expect(await inPage(`${server.origin}/redirect`, 'test')).toEqual({ status: 'redirected' });
  expect(JSON.stringify(elsewhere.seen)).not.toContain(KEY);
});

test('the connection test of a page tells an absent server from a server without CORS', async () => {
  expect(await inPage(`${server.origin}/good`, 'test')).toEqual({ status: 'ok', models: ['tiny'] });
  expect(await inPage(`${server.origin}/closed`, 'test')).toEqual({ status: 'cors' });
  const gone = await serve({});
  await gone.close();
  expect(await inPage(gone.origin, 'test')).toEqual({ status: 'unreachable' });
});

test('a page sends the key only to its own endpoint, and not while it diagnoses a failure', () => {
  expect(JSON.stringify(server.seen.filter(({ path }) => path.startsWith('/closed')))).not.toContain(KEY);
  expect(JSON.stringify([...elsewhere.seen, ...site.seen])).not.toContain(KEY);
  expect(JSON.stringify(server.seen)).toContain(KEY);
});
