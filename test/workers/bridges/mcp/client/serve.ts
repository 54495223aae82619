import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { McpCommand } from '../../../../../workers/mcp.ts';

export interface TestServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a handler of web requests on a free port of this machine. */
export async function serveFetch(handle: (request: Request) => Promise<Response>): Promise<TestServer> {
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing, handle));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const aborted = new AbortController();
  outgoing.on('close', () => aborted.abort());
  const response = await handle(await requestOf(incoming, aborted.signal));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  try {
    for await (const chunk of response.body ?? []) outgoing.write(chunk);
    outgoing.end();
  } catch {
    outgoing.destroy();
  }
}

async function requestOf(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
  const headers = new Headers(incoming.headers as Record<string, string>);
  return new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers,
    signal,
    ...body,
  });
}

/** A script beside this file as a server over stdio. */
export function script(name: string, ...args: readonly string[]): McpCommand {
  return { command: process.execPath, args: [fileURLToPath(new URL(name, import.meta.url)), ...args] };
}
