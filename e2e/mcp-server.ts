import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler, Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Authority } from '../test/workers/bridges/mcp/client/authority.ts';

export const KEY = 'sk-door-4711';

/** Bytes that `/endless` sends if its reader takes them all. */
export const ENDLESS = 256 * 1024 * 1024;

/** A server of the official SDK with CORS, for both versions of the protocol. Every path wants `KEY`. */
export interface McpTestServer {
  readonly origin: string;
  /** Paths of the requests with the key, and of the requests without it. */
  readonly asked: string[];
  readonly refused: string[];
  /** Number of calls of `wait` that the client has cancelled. */
  readonly cancelled: () => number;
  /** Bytes that `/endless` has sent, and whether its connection is closed. */
  readonly endless: { sent: number; isClosed: boolean };
  close(): void;
}

const NO_ARGS = { type: 'object' as const };
const NUMBERS = {
  type: 'object' as const,
  required: ['a', 'b'],
  properties: { a: { type: 'number' }, b: { type: 'number' } },
};
const LENGTH = { type: 'object' as const, required: ['length'], properties: { length: { type: 'number' } } };

const TOOLS = [
  { name: 'add', description: 'Adds two numbers.', inputSchema: NUMBERS },
  { name: 'long', description: 'A text of a length.', inputSchema: LENGTH },
  { name: 'learn', description: 'Adds a tool.', inputSchema: NO_ARGS },
  { name: 'wait', description: 'Tells its progress, and waits.', inputSchema: NO_ARGS },
];

const LEARNED = { name: 'learned', description: 'Adds two numbers.', inputSchema: NUMBERS };

/** Whether the tool `learn` was called. `changed` tells it to streams of other requests. */
interface Lesson {
  isTaught: boolean;
  changed?: () => void;
}

/** `guard` takes the place of the key. */
export async function startMcp(elsewhere: string, guard?: Authority['guard']): Promise<McpTestServer> {
  const asked: string[] = [];
  const refused: string[] = [];
  const endless = { sent: 0, isClosed: false };
  let cancelled = 0;

  const makeServer = (lesson: Lesson): Server => {
    const server = new Server({ name: 'e2e', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler('tools/list', async () => ({
      tools: [...TOOLS, ...(lesson.isTaught ? [LEARNED] : [])],
    }));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const args = (params.arguments ?? {}) as { readonly a: number; readonly b: number; readonly length: number };
      const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
      if (params.name === 'add' || params.name === 'learned') return text(String(args.a + args.b));
      if (params.name === 'long') return text('x'.repeat(args.length));
      if (params.name === 'learn') {
        lesson.isTaught = true;
        lesson.changed?.();
        await server.sendToolListChanged().catch(() => undefined);
        return text('learned');
      }
      const { progressToken } = mcpReq._meta ?? {};
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
      await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve));
      cancelled++;
      return text('cancelled');
    });
    return server;
  };

  const lesson: Lesson = { isTaught: false };
  const handler = createMcpHandler(() => makeServer(lesson));
  lesson.changed = () => handler.notify.toolsChanged();
  const oldLesson: Lesson = { isTaught: false };
  const session = openSession(() => makeServer(oldLesson));
  const routes: { readonly [path: string]: (request: Request) => Response | Promise<Response> } = {
    '/mcp': handler.fetch,
    '/old': session,
    '/bytes': () => new Response(new Uint8Array(2_000_000).map((_, index) => index % 251)),
    '/echo': (request) => new Response(`you sent ${request.headers.get('authorization')}`),
    '/endless': () => new Response(pieces(endless)),
    '/moved': () => new Response(null, { status: 307, headers: { Location: `${elsewhere}/mcp` } }),
  };

  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (guard !== undefined) return guard(request, handler.fetch);
    const isKnown = request.headers.get('authorization') === `Bearer ${KEY}`;
    (isKnown ? asked : refused).push(pathname);
    if (!isKnown) return new Response('who are you', { status: 401 });
    return (await routes[pathname]?.(request)) ?? new Response(null, { status: 404 });
  };
  const withCors = cors(answer);
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing, withCors));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    refused,
    cancelled: () => cancelled,
    endless,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A session of the older version: its transport lives from `initialize` to `DELETE`. */
function openSession(makeServer: () => Server): (request: Request) => Promise<Response> {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return async (request) => {
    const known = transports.get(request.headers.get('mcp-session-id') ?? '');
    if (known !== undefined) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    await makeServer().connect(transport);
    return transport.handleRequest(request);
  };
}

function pieces(seen: { sent: number; isClosed: boolean }): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(64 * 1024);
  return new ReadableStream(
    {
      pull(controller) {
        if (seen.sent >= ENDLESS) return controller.close();
        seen.sent += piece.length;
        controller.enqueue(piece.slice());
      },
      cancel() {
        seen.isClosed = true;
      },
    },
    { highWaterMark: 0 },
  );
}

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, DELETE',
  'Access-Control-Allow-Headers':
    'accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id',
  'Access-Control-Expose-Headers': 'mcp-session-id, www-authenticate',
};

/** Allows every origin. */
export function cors(answer: (request: Request) => Promise<Response>): (request: Request) => Promise<Response> {
  return async (request) => {
    const given = request.method === 'OPTIONS' ? new Response(null, { status: 204 }) : await answer(request);
    const headers = new Headers(given.headers);
    for (const [name, value] of Object.entries(CORS)) headers.set(name, value);
    return new Response(given.body, { status: given.status, headers });
  };
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const gone = new AbortController();
  outgoing.on('close', () => gone.abort());
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers: new Headers(incoming.headers as Record<string, string>),
    signal: gone.signal,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  const { status, headers, body } = await answer(request);
  outgoing.writeHead(status, Object.fromEntries(headers));
  outgoing.flushHeaders();
  if (body === null) return void outgoing.end();
  await pipeline(Readable.fromWeb(body as never), outgoing).catch(() => undefined);
}
