import type { McpHttpServer, McpOptions, McpSource, McpTransport } from '../workers/bridges/mcp/client/api.ts';
import { transportWay } from '../workers/bridges/mcp/client/connection.ts';
import { httpWay } from '../workers/bridges/mcp/client/http.ts';
import { openSource } from '../workers/bridges/mcp/client/source.ts';
import type { Door } from './door.ts';

export function throughFetch(server: McpHttpServer, fetch: Door['fetch'], options: McpOptions): Promise<McpSource> {
  return openSource((parts) => httpWay(server, { fetch, ...parts }), options);
}

export function throughTransport(transport: McpTransport, options: McpOptions): Promise<McpSource> {
  return openSource((parts) => transportWay(transport, parts), options);
}
