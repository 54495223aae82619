import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { headersFor, type Role } from '../workers/lock/headers.ts';
import { EXITS_WORKER } from './exits.ts';

/** A server that remembers every request for `/leak`. */
export interface Probe {
  readonly origin: string;
  /** The exits through which requests with this tag arrived. */
  leaks(tag: string): string[];
  close(): void;
}

type Answer = { readonly type: string; readonly body: string; readonly role?: Role };

const script = (body: string, role?: Role): Answer => ({
  type: 'text/javascript',
  body,
  ...(role === undefined ? {} : { role }),
});

/** The built file of a worker with the exits at its end: they run in the global that the worker has prepared. */
function builtWorker(name: string): string {
  const file = readdirSync('dist/assets').find((each) => each.startsWith(`worker-${name}-`) && each.endsWith('.js'));
  if (file === undefined) throw new Error(`dist has no ${name} worker: run npm run build.`);
  return `${readFileSync(`dist/assets/${file}`, 'utf8')}\n${EXITS_WORKER}`;
}

function answers(): { readonly [path: string]: Answer } {
  return {
    '/': { type: 'text/html', body: '<!doctype html><title>Exits</title>', role: 'page' },
    '/open-exits.js': script(EXITS_WORKER),
    '/worker-exits.js': script(EXITS_WORKER, 'worker'),
    '/worker-auditor.js': script(builtWorker('auditor'), 'worker'),
    '/worker-endpoint.js': script(builtWorker('endpoint'), 'endpoint-worker'),
    '/worker-kernel.js': script(builtWorker('kernel'), 'worker'),
    '/worker-model-gguf.js': script(builtWorker('model-gguf'), 'gguf-worker'),
    '/worker-sandbox.js': script(builtWorker('sandbox'), 'worker'),
    '/worker-small.js': script(builtWorker('small'), 'worker'),
  };
}

export async function startProbe(): Promise<Probe> {
  const seen: string[] = [];
  const known = answers();
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    if (url.startsWith('/leak')) seen.push(url);
    const { type, body, role } = known[url] ?? script('postMessage(1)');
    response.writeHead(200, { 'Content-Type': type, ...(role === undefined ? {} : headersFor(role)) });
    response.end(body);
  });
  // A WebSocket's handshake is a request too; Node reports it as an upgrade.
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
