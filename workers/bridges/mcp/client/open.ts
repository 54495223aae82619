import type { McpOptions, McpServer, McpSource } from './api.ts';
import { transportWay } from './connection.ts';
import { httpWay } from './http.ts';
import { openSource } from './source.ts';
import type { ServerProcess } from './stdio.ts';
import { commandWay } from './stdio.ts';

/** Connects to a server. `started` is the process of its command, where that runs already. */
export function openServer(server: McpServer, options: McpOptions, started?: ServerProcess): Promise<McpSource> {
  return openSource((parts) => {
    if ('url' in server) return httpWay(server, { fetch: globalThis.fetch, ...parts });
    if ('command' in server) return commandWay(server, parts, started);
    return transportWay(server.transport, parts);
  }, options);
}
