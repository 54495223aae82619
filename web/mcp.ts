/** `sallyport/mcp` in a page: tools of MCP servers behind the gate, each server behind a door of its own. */

import { SallyportError } from '../core/index.ts';
import type { McpHttpServer, McpOptions, McpServer, McpSource } from '../workers/bridges/mcp/client/api.ts';
import { loadPart } from '../workers/load-part.ts';
import { type DoorOptions, openDoor } from './door.ts';
import type * as McpClient from './mcp-client.ts';

export type * from '../core/index.ts';
export type * from '../workers/api.ts';
export type * from '../workers/bridges/mcp/client/api.ts';
export type { RefusedFunction } from '../workers/bridges/models/functions.ts';

/**
 * The tools of an MCP server, for `openRuntime({ tools: [source] })`. A door asks the server at `url`, and the page keeps
 * `connect-src 'self'`: the server must allow this page's origin (CORS). The worker of the door keeps `headers` and an
 * `authorization` that is a text. `command` needs a process: a page refuses it with `option_invalid`, as it does other
 * options that could never work; the codes of `openDoor` are `endpoint_invalid` and `worker_blocked`. Rejects with
 * `mcp_unavailable` where the server cannot be used.
 */
export async function fromMcp(server: McpServer, options: McpOptions): Promise<McpSource> {
  if ('transport' in server) return (await client()).throughTransport(server.transport, options);
  if ('url' in server) return throughDoor(server, options);
  const isCommand = 'command' in server;
  const wants = '{url} or {transport}';
  const todo = isCommand ? 'A page starts no command: it needs Node, or the address of a server.' : 'Correct it.';
  throw new SallyportError('option_invalid', `The option server has to be ${wants}. ${todo}`, {
    name: isCommand ? 'command' : 'server',
    wants,
  });
}

async function throughDoor(server: McpHttpServer, options: McpOptions): Promise<McpSource> {
  const { throughFetch } = await client();
  const { url, authorization } = server;
  const door = await openDoor(doorOptionsOf(server));
  try {
    const access = typeof authorization === 'string' || authorization === undefined ? {} : { authorization };
    const source = await throughFetch({ url, ...access }, door.fetch, options);
    const { close } = source;
    return Object.assign(source, { close: async () => (await close(), door.close()) });
  } catch (error) {
    door.close();
    throw error;
  }
}

/** The keys of a program go into the worker; a token that a function or a sign-in gives is set for each request. */
function doorOptionsOf({ url, headers = {}, authorization, alsoAsk, assets }: McpHttpServer): DoorOptions {
  const token = typeof authorization === 'string' ? { authorization: `Bearer ${authorization}` } : {};
  return {
    kind: 'mcp',
    url,
    headers: { ...headers, ...token },
    ...(alsoAsk !== undefined && { alsoAsk }),
    ...(assets !== undefined && { assets }),
  };
}

/**
 * The client of the protocol is loaded with the first server. Its schemas are made by zod while it loads. They would try
 * `new Function`, which a strict page reports, unless zod finds this setting in the global.
 */
function client(): Promise<typeof McpClient> {
  const scope = globalThis as { __zod_globalConfig?: object };
  scope.__zod_globalConfig = { ...scope.__zod_globalConfig, jitless: true };
  return loadPart(() => import('./mcp-client.ts'));
}
