import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Behaviour of a server, named by the first segment of the path. */
type Behaviour = (response: ServerResponse, request: Asked) => void;

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ModelServer {
  /** The base URL for a behaviour. */
  base(behaviour: string): string;
  readonly asked: readonly Asked[];
  /** Streams another piece to the request that `slow` is answering. */
  say(text: string): Promise<void>;
  close(): void;
}

const ALLOWED = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' };
const JSON_TYPE = { ...ALLOWED, 'Content-Type': 'application/json' };
const SSE = { ...ALLOWED, 'Content-Type': 'text/event-stream' };
const MODELS = JSON.stringify({ data: [{ id: 'tiny' }, { id: 'other' }] });

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
const END = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;

/** Proposals of `good`, in order; the probe, which asks for no proposal, gets the answer it needs. */
export const PROPOSALS: readonly string[] = [
  { next_step: { tool: 'corpus.read', arguments: { path: 'notes/leaven.md', slice: 'head(5)' }, goal: 'read' } },
  { next_step: { tool: 'calc.eval', arguments: { expression: '6*7' }, goal: 'reckon' } },
  { done: true, message: 'forty-two' },
].map((value) => JSON.stringify(value));

/** A real server that answers like a model's server, or misbehaves in a way that real servers do. */
export async function startModel(proposals: readonly string[] = PROPOSALS): Promise<ModelServer> {
  const asked: Asked[] = [];
  let slow: ((response: ServerResponse) => void) | undefined;
  let open = new Promise<ServerResponse>((resolve) => (slow = resolve));
  let said = 0;
  const behaviours: { readonly [name: string]: Behaviour } = {
    good: (response, { path, body }) => {
      if (path.endsWith('/models')) return void response.writeHead(200, JSON_TYPE).end(MODELS);
      const text = body.includes('"stream"') ? (proposals[said++ % proposals.length] ?? '') : '{"ok":true}';
      if (!body.includes('"stream"'))
        return void response
          .writeHead(200, JSON_TYPE)
          .end(JSON.stringify({ choices: [{ message: { content: text } }] }));
      response.writeHead(200, SSE);
      for (const piece of text.match(/.{1,7}/gu) ?? []) response.write(chunk(piece));
      response.end(END);
    },
    slow: (response) => {
      response.writeHead(200, SSE);
      slow?.(response);
    },
    html: (response) => void response.writeHead(200, { ...ALLOWED, 'Content-Type': 'text/html' }).end('<p>Welcome</p>'),
    locked: (response) => void response.writeHead(401, JSON_TYPE).end('{}'),
    broken: (response) => void response.writeHead(500, JSON_TYPE).end('{"error":"sk-secret"}'),
    moved: (response) => void response.writeHead(307, { ...ALLOWED, Location: '/good/v1/models' }).end(),
    silent: () => undefined,
    prose: (response, { path }) =>
      path.endsWith('/models')
        ? void response.writeHead(200, JSON_TYPE).end(MODELS)
        : void response.writeHead(200, { ...ALLOWED, 'Content-Type': 'text/plain' }).end('Sure!'),
  };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body: Buffer.concat(pieces).toString() };
      const name = path.split('/')[1] ?? '';
      if (method === 'OPTIONS' && name !== 'closed') return void response.writeHead(204, ALLOWED).end();
      asked.push(one);
      // `closed` is a server without headers for other origins
      if (name === 'closed') return void response.writeHead(200, { 'Content-Type': 'application/json' }).end(MODELS);
      if (path === '/good/models') return void response.writeHead(404, ALLOWED).end();
      behaviours[name]?.(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    base: (behaviour) => `http://127.0.0.1:${port}/${behaviour}/v1`,
    asked,
    async say(text) {
      const response = await open;
      if (text !== '') return void response.write(chunk(text));
      response.end(END);
      open = new Promise<ServerResponse>((resolve) => (slow = resolve));
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
