/** `sallyport/mcp`: tools of MCP servers behind the gate, and the gate as an MCP server. */

import { SallyportError } from '../core/sallyport-error.ts';
import type { McpOptions, McpServer, McpSource } from './mcp/client/api.ts';
import { httpWay } from './mcp/client/http.ts';
import { openSource } from './mcp/client/source.ts';
import { commandWay } from './mcp/client/stdio.ts';
import { transportWay } from './mcp/client/transport.ts';

export type * from '../core/index.ts';
export type * from './api.ts';
export type * from './mcp/client/api.ts';
export type { HttpPlace, McpServing, ServeOptions } from './mcp/server/options.ts';
export { serveMcp } from './mcp/server/serve.ts';
export type { RefusedFunction } from './models/functions.ts';

/**
 * The tools of an MCP server, for `openRuntime({ tools: [source] })`. Each tool needs a grant, each call passes every
 * gate and has a receipt, and a replay needs no server. The server's texts, hints and schemas are a stranger's word.
 * Rejects with `mcp_unavailable` where the server cannot be used, and with `option_invalid`.
 *
 * @example const files = await fromMcp({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/notes'] },
 *   { prefix: 'files', effect: ({ annotations }) => (annotations?.readOnlyHint ? 'read' : 'write') });
 *   const runtime = await openRuntime({ tools: [files], grants: [{ capability: 'files.read_text_file', mode: 'allow' }] });
 */
export async function fromMcp(server: McpServer, options: McpOptions): Promise<McpSource> {
  return openSource((parts) => {
    if ('url' in server) return httpWay(server, { fetch: globalThis.fetch, ...parts });
    if ('command' in server) return commandWay(server, parts);
    if ('transport' in server) return transportWay(server.transport);
    throw new SallyportError(
      'option_invalid',
      'The option server has to be {url}, {command} or {transport}. Correct it.',
      {
        name: 'server',
        wants: '{url}, {command} or {transport}',
      },
    );
  }, options);
}
