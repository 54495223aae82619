import { join } from 'node:path';

const SHIMS = join(import.meta.dirname, '../../workers/mcp/sdk-shims.ts');

/** The SDK of MCP without its validators of JSON Schema: the gate checks arguments and results. */
export const MCP_ALIASES: { readonly [name: string]: string } = {
  '@modelcontextprotocol/client/_shims': SHIMS,
  '@modelcontextprotocol/server/_shims': SHIMS,
};

/** The SDK of MCP and the packages that it imports. They are bundled into the entry. */
export const MCP_PACKAGES: readonly RegExp[] = [
  /^@modelcontextprotocol\//,
  /^(eventsource|eventsource-parser|jose|pkce-challenge|zod)(\/|$)/,
];
