import type { McpHttpServer, McpOptions, McpSource, McpTransport } from '../workers/mcp/client/api.ts';
import { httpWay } from '../workers/mcp/client/http.ts';
import { openSource } from '../workers/mcp/client/source.ts';
import { transportWay } from '../workers/mcp/client/transport.ts';
import type { Door } from './door.ts';

export function throughFetch(server: McpHttpServer, fetch: Door['fetch'], options: McpOptions): Promise<McpSource> {
  return openSource((parts) => httpWay(server, { fetch, ...parts }), options);
}

export function throughTransport(transport: McpTransport, options: McpOptions): Promise<McpSource> {
  return openSource(() => transportWay(transport), options);
}
