import { join } from 'node:path';
import { minify } from 'rolldown/experimental';
import type { Plugin } from 'vite';

const SHIMS = join(import.meta.dirname, '../../workers/bridges/mcp/sdk-shims.ts');

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

/** The chunks of these packages: the server's needs the client's, and a page loads the client's alone. */
export const MCP_CHUNKS = [
  { name: 'mcp-client-sdk', test: /[\\/]@modelcontextprotocol[\\/]client[\\/]/, priority: 1 },
  { name: 'mcp-server-sdk', test: /[\\/]@modelcontextprotocol[\\/]server[\\/]/ },
];

/**
 * Minifies the chunks of the SDK: as they are written they would be half of the package. The SDK's warnings on the
 * console are left out: they repeat texts of servers, which may hold keys.
 */
export const minifiedSdk: Plugin = {
  name: 'sallyport:minified-sdk',
  async renderChunk(code, { name, fileName }) {
    if (MCP_CHUNKS.every((chunk) => chunk.name !== name)) return null;
    const made = await minify(fileName, code, {
      module: true,
      compress: { dropConsole: true },
      codegen: { removeWhitespace: true },
    });
    return { code: made.code, map: null };
  },
};
