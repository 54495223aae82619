/**
 * `sallyport/webmcp`: tools of a document by WebMCP, both ways. Importing it has no effect.
 *
 * @experimental
 */
export type * from '../core/index.ts';
export type * from '../workers/api.ts';
export type { RefusedFunction } from '../workers/bridges/models/functions.ts';
export type { ToolNames } from '../workers/bridges/models/tool-names.ts';
export type { WebMcpContext, WebMcpHints, WebMcpTool } from '../workers/bridges/web-mcp/context.ts';
export { type ProvidedTools, type ProvideWebMcpOptions, provideWebMcp } from '../workers/bridges/web-mcp/provide.ts';
export {
  type ForWebMcpTool,
  fromWebMcp,
  type WebMcpOptions,
  type WebMcpSource,
} from '../workers/bridges/web-mcp/source.ts';
