import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { OtlpTraces } from '../core/index.ts';
import type * as sallyport from '../web/index.ts';
import type * as otlp from '../web/otlp.ts';
import { headersFor, roleOf } from '../workers/lock/headers.ts';
import { expect, test } from './fixtures.ts';
import { serveFolders } from './serve.ts';
import { ONCE } from './tags.ts';

const KEY = 'otlp-key-4711';
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'accept, content-type, x-key',
};

// The browser reports the request that the policy refuses.
test.use({ complaining: true });

test('a page under the strict policy pushes telemetry through a door alone', ONCE, async ({ page }) => {
  const asked: { readonly path: string; readonly key: string | undefined; readonly body: string }[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '', method, headers } = request;
    if (method === 'POST') asked.push({ path: url, key: headers['x-key'] as string, body: await text(request) });
    response.writeHead(200, { ...CORS, 'content-type': 'application/json' }).end('{}');
  };
  const collector = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-otlp-'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Telemetry</title>');
  const host = await serveFolders({
    folders: { '/sallyport/': 'dist', '/': folder },
    headers: (path) => headersFor(roleOf({ path })),
  });
  await page.goto(`${host.origin}/`);

  const found = await page.evaluate(
    async ({ endpoint, key }) => {
      const [index, module] = ['/sallyport/index.js', '/sallyport/otlp-page.js'];
      const { openRuntime, fromScript } = (await import(index)) as typeof sallyport;
      const { pushTelemetry } = (await import(module)) as typeof otlp;
      const blocked = await fetch(`${endpoint}/v1/traces`, { method: 'POST' }).then(
        () => 'open',
        () => 'blocked',
      );
      const assets = '/sallyport/';
      const runtime = await openRuntime({ store: 'memory', assets });
      const model = fromScript([{ done: true, message: 'Hello.' }]);
      const run = runtime.start({ dialect: 'xct', task: 'Say hello.', model });
      const pushed = await pushTelemetry(run, { endpoint, headers: { 'x-key': key }, assets, service: 'page' });
      const wrong = await pushTelemetry(run, { endpoint: 'x', assets }).catch(
        (error: unknown) => (error as { readonly code?: string }).code,
      );
      await runtime.close();
      return { blocked, pushed, wrong };
    },
    { endpoint, key: KEY },
  );
  expect(found).toMatchObject({ blocked: 'blocked', pushed: { spans: 3, lost: 0 }, wrong: 'endpoint_invalid' });
  expect(asked.map(({ path, key }) => [path, key])).toEqual([
    ['/v1/traces', KEY],
    ['/v1/logs', KEY],
  ]);
  const traces = JSON.parse(asked[0]?.body ?? '') as OtlpTraces;
  expect(traces.resourceSpans[0].scopeSpans[0].spans.map(({ name }) => name).sort()).toEqual([
    'chat script',
    'invoke_agent sallyport',
    'sallyport.step',
  ]);
  await host.close();
  collector.close();
  await rm(folder, { recursive: true, force: true });
});
