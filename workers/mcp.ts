/** `sallyport/mcp`: tools of MCP servers behind the gate, and the gate as an MCP server. */

import { ANY, demand, LIST, OBJECT, type OptionTypes, optionsOf, TEXT } from '../core/option.ts';
import type { McpOptions, McpServer, McpSource } from './bridges/mcp/client/api.ts';
import { openServer } from './bridges/mcp/client/open.ts';

export type * from '../core/index.ts';
export type * from './api.ts';
export type * from './bridges/mcp/client/api.ts';
export type { HttpPlace, McpServing, ServedSource, ServeOptions, TokenAuth } from './bridges/mcp/server/options.ts';
export { serveMcp } from './bridges/mcp/server/serve.ts';
export type { RefusedFunction } from './bridges/models/functions.ts';

/**
 * The tools of an MCP server, for `openRuntime({ tools: [source] })`. Each tool needs a grant, each call passes every
 * gate and has a receipt, and a replay needs no server. The server's texts, hints and schemas are a stranger's word.
 * Rejects with `mcp_unavailable` where the server cannot be used, and with `option_invalid`.
 *
 * @example const files = await fromMcp({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/notes'] },
 *   { prefix: 'files', effect: ({ annotations }) => (annotations?.readOnlyHint ? 'read' : 'write') });
 *   const runtime = await openRuntime({ tools: [files], grants: [{ capability: 'files.read_text_file', mode: 'allow' }] });
 */
export async function fromMcp(given: McpServer, options: McpOptions): Promise<McpSource> {
  return openServer(checkedServer(given), options);
}

const WAYS: readonly OptionTypes[] = [
  { url: TEXT, headers: OBJECT, authorization: ANY, alsoAsk: LIST, assets: TEXT },
  { command: TEXT, args: LIST, env: OBJECT, cwd: TEXT },
  { transport: OBJECT },
];

/** Throws `option_invalid`. */
function checkedServer(given: McpServer): McpServer {
  demand('server', given, OBJECT);
  const kinds = WAYS.find((each) => Object.keys(each).some((name) => name in given)) ?? { url: TEXT };
  return optionsOf(given, kinds, Object.keys(kinds).slice(0, 1));
}
