import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page, test } from '@playwright/test';
import { headersFor, type Role } from '../workers/lock.ts';
import { EXIT_NAMES, EXITS_WORKER } from './exits.ts';

/** Serves one worker under the lock and without it, and remembers every request that asks for anything else. */
interface Probe {
  readonly origin: string;
  leaks(tag: string): string[];
  close(): void;
}

async function startProbe(): Promise<Probe> {
  const seen: string[] = [];
  const server: Server = createServer((request, response) => {
    const url = request.url ?? '';
    if (url.startsWith('/leak')) seen.push(url);
    const role: Role | undefined = url === '/' ? 'page' : url === '/worker-exits.js' ? 'worker' : undefined;
    const type = url === '/' ? 'text/html' : 'text/javascript';
    response.writeHead(200, { 'Content-Type': type, ...(role && headersFor(role)) });
    response.end(
      url === '/' ? '<!doctype html><title>Exits</title>' : url.startsWith('/leak') ? 'postMessage(1)' : EXITS_WORKER,
    );
  });
  // A WebSocket's handshake is a request too, though Node tells of it apart.
  server.on('upgrade', (request, socket) => {
    seen.push(request.url ?? '');
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leaks: (tag) => seen.filter((url) => url.includes(`?${tag}&`)).map((url) => url.split('&')[1] ?? ''),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

let probe: Probe;
test.beforeAll(async () => {
  probe = await startProbe();
});
test.afterAll(() => probe.close());

/** Tries every exit in a worker of its own and tells what each came to; a worker that hangs has not got out. */
async function tryExits(page: Page, file: string, tag: string, origin: string): Promise<Record<string, string>> {
  await page.goto(`${probe.origin}/`);
  const outcomes = await page.evaluate(tryInPage, { file, origin, tag, names: EXIT_NAMES });
  // A request that set out late still counts.
  await page.waitForTimeout(300);
  return outcomes;
}

interface Trial {
  readonly file: string;
  readonly origin: string;
  readonly tag: string;
  readonly names: readonly string[];
}

async function tryInPage({ file, origin, tag, names }: Trial): Promise<Record<string, string>> {
  const policy = (self as unknown as TrustedTypesHost).trustedTypes?.createPolicy('sallyport', {
    createScriptURL: (url) => url,
  });
  // Firefox collects a worker that nobody holds, though its answer is still awaited.
  const held: Worker[] = [];
  const tryOne = (name: string) =>
    new Promise<string>((resolve) => {
      const worker = new Worker(policy?.createScriptURL(file) ?? file, { type: 'module' });
      held.push(worker);
      // What a worker imported speaks with its voice: only its own answer is an object.
      worker.onmessage = ({ data }: MessageEvent<{ outcome: string } | number>) => {
        if (typeof data === 'object') resolve(data.outcome);
      };
      worker.onerror = (event) => resolve(`closed: ${event.message}`);
      setTimeout(resolve, 3000, 'closed: no answer');
      worker.postMessage({ origin, tag, name });
    });
  const outcomes = await Promise.all(names.map(async (name) => [name, await tryOne(name)] as const));
  for (const worker of held) worker.terminate();
  return Object.fromEntries(outcomes);
}

interface TrustedTypesHost {
  readonly trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(url: string): string },
    ): {
      createScriptURL(url: string): string;
    };
  };
}

/** What an unlocked worker must reach, or this test would prove nothing. */
const REACHES = [
  'fetch',
  'fetch-keepalive',
  'xhr',
  'websocket',
  'eventsource',
  'import',
  'worker',
  'worker-classic',
  'worker-blob',
  'cache-add',
];

test('an unlocked worker reaches the server by every exit', async ({ page }) => {
  const outcomes = await tryExits(page, '/open-exits.js', 'open', probe.origin);
  expect(probe.leaks('open'), JSON.stringify(outcomes)).toEqual(expect.arrayContaining(REACHES));
});

test('a locked worker reaches nothing by any exit', async ({ page }) => {
  const outcomes = await tryExits(page, '/worker-exits.js', 'locked', probe.origin);
  expect(Object.entries(outcomes).filter(([, outcome]) => outcome === 'open')).toEqual([]);
  expect(probe.leaks('locked')).toEqual([]);
});

test('a locked worker reaches no other origin', async ({ page }) => {
  const other = await startProbe();
  await tryExits(page, '/open-exits.js', 'open', other.origin);
  expect(other.leaks('open')).toContain('fetch');
  await tryExits(page, '/worker-exits.js', 'locked', other.origin);
  expect(other.leaks('locked')).toEqual([]);
  other.close();
});
