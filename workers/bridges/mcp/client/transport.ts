import type { Transport } from '@modelcontextprotocol/client';
import type { McpTransport } from './api.ts';
import type { McpWay } from './connection.ts';

/** The way through a transport of the program, which parses the server's bytes by itself. */
export function transportWay(transport: McpTransport): McpWay {
  return {
    origin: 'mcp:transport',
    isChild: false,
    isRepeatable: false,
    open: () => transport as unknown as Transport,
  };
}
