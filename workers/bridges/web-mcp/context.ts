import { demand, type OptionType } from '../../../core/option.ts';

/** A tool that a document has registered. All of it is a stranger's word. */
export interface WebMcpTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  /** JSON Schema as an object or as text. */
  readonly inputSchema?: object | string | undefined;
  readonly annotations?: WebMcpHints | undefined;
  readonly origin: string;
  readonly window: unknown;
}

export interface WebMcpHints {
  readonly readOnlyHint?: boolean;
  readonly untrustedContentHint?: boolean;
}

/** A tool on its way into a document. */
export interface WebMcpRegistration {
  name: string;
  title?: string;
  description: string;
  inputSchema?: { [keyword: string]: unknown };
  annotations?: { readOnlyHint?: boolean; untrustedContentHint?: boolean };
  /** Chromium hands over a signal, which aborts when the caller gives up; the specification and the polyfill do not. */
  execute(input: unknown, given?: { readonly signal?: unknown }): Promise<unknown>;
}

/** `document.modelContext`, as far as it is used. `getTools` and `executeTool` are Chromium's and the polyfill's. */
export interface WebMcpContext {
  registerTool(tool: never, options?: { signal?: AbortSignal; exposedTo?: string[] }): Promise<unknown>;
  getTools?(options?: { fromOrigins?: string[] }): Promise<readonly WebMcpTool[]>;
  executeTool?(tool: never, input: never, options?: { signal?: AbortSignal }): Promise<unknown>;
  addEventListener(type: 'toolchange', listener: () => void): void;
  removeEventListener(type: 'toolchange', listener: () => void): void;
}

/** Beginning of the origin of a tool that a document has registered. */
export const WEB_MCP = 'webmcp:';

const CONTEXT: OptionType = [
  'the model context of a document; this browser has none, or this is no window',
  (value) => typeof (Object(value) as Partial<WebMcpContext>).registerTool === 'function',
];

/** The given context, else that of the document. Throws `option_invalid` where there is none. */
export function contextOf(given: WebMcpContext | undefined): WebMcpContext {
  const { document } = globalThis as { readonly document?: { readonly modelContext?: WebMcpContext } };
  const context = given ?? document?.modelContext;
  demand('context', context, CONTEXT);
  return context as WebMcpContext;
}

const provided = new WeakMap<WebMcpContext, Set<string>>();

/** Names of the tools that Sallyport has registered in a context. They are no strangers' tools, and not imported. */
export function providedIn(context: WebMcpContext): Set<string> {
  const names = provided.get(context) ?? new Set<string>();
  provided.set(context, names);
  return names;
}
