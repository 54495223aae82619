import type { McpHttpServer, McpOptions, McpSource, McpTransport } from '../workers/mcp/client/api.ts';
import { httpWay } from '../workers/mcp/client/http.ts';
import { openSource } from '../workers/mcp/client/source.ts';
import { transportWay } from '../workers/mcp/client/transport.ts';
import type { Door } from './door.ts';

/** `keys` are known to the worker of the door alone, and hidden where the server sends one back. */
export function throughFetch(
  server: McpHttpServer,
  keys: readonly string[],
  fetch: Door['fetch'],
  options: McpOptions,
): Promise<McpSource> {
  return openSource((parts) => {
    for (const key of keys) parts.secrets.add(key);
    return httpWay(server, { fetch, ...parts });
  }, options);
}

export function throughTransport(transport: McpTransport, options: McpOptions): Promise<McpSource> {
  return openSource(() => transportWay(transport), options);
}
