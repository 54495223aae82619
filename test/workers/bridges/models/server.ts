import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Request as the server received it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Behaviour = (response: ServerResponse, request: Seen) => void | Promise<void>;

export interface TestServer {
  readonly origin: string;
  readonly seen: Seen[];
  close(): Promise<void>;
}

/** A real HTTP server whose first path segment says how it behaves: the base URL is `<origin>/<behaviour>`. */
export async function serve(behaviours: Readonly<Record<string, Behaviour>>): Promise<TestServer> {
  const seen: Seen[] = [];
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body: Buffer.concat(pieces).toString() };
      seen.push(one);
      const behave = behaviours[path.split('/')[1] ?? ''];
      if (behave === undefined) response.writeHead(404).end();
      else void behave(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { origin: `http://127.0.0.1:${port}`, seen, close };
}

/** Sends each piece as a packet of its own. */
export async function sendPieces(response: ServerResponse, pieces: readonly (string | Uint8Array)[]): Promise<void> {
  for (const piece of pieces) {
    response.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export const SSE = { 'content-type': 'text/event-stream; charset=utf-8' };
export const JSON_TYPE = { 'content-type': 'application/json' };

/** A chunk of a streamed chat completion. */
export function delta(content: string): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
}

export const STOP: string = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`;
export const DONE = 'data: [DONE]\n\n';
