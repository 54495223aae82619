import { cleanupWebMCPPolyfill, initializeWebMCPPolyfill } from '@mcp-b/webmcp-polyfill';
import type { WebMcpContext, WebMcpRegistration, WebMcpTool } from '../../../workers/bridges/web-mcp/context.ts';

interface Holder {
  readonly modelContext?: WebMcpContext;
}

const own = (document as Holder).modelContext;

/** Opens a context, and gives the function that takes it away. */
type Opening = () => { readonly context: WebMcpContext; readonly close: () => void };

/** The polyfill takes the place of a context of the browser only where that is gone. */
function polyfilled(): ReturnType<Opening> {
  const browsers = Object.getOwnPropertyDescriptor(Document.prototype, 'modelContext');
  Reflect.deleteProperty(Document.prototype, 'modelContext');
  initializeWebMCPPolyfill();
  const { modelContext } = document as Holder;
  const close = (): void => {
    cleanupWebMCPPolyfill();
    if (browsers !== undefined) Object.defineProperty(Document.prototype, 'modelContext', browsers);
  };
  return { context: modelContext as WebMcpContext, close };
}

/** The polyfill, and the browser's own context where it has one. */
export const CONTEXTS: readonly (readonly [name: string, open: Opening])[] = [
  ['the polyfill', polyfilled],
  ...(own === undefined ? [] : ([['the browser', () => ({ context: own, close: () => undefined })]] as const)),
];

export interface PageTool extends Partial<Omit<WebMcpRegistration, 'name' | 'execute'>> {
  readonly name: string;
}

/** Registers a tool of the page. Returns the function that takes it away. */
export async function addTool(
  context: WebMcpContext,
  tool: PageTool,
  execute: (input: never) => unknown = () => null,
): Promise<() => void> {
  const controller = new AbortController();
  const described = { description: 'A tool of the page.', ...tool, execute: async (input: never) => execute(input) };
  await context.registerTool(described as never, { signal: controller.signal });
  return () => controller.abort();
}

/** A call as an agent makes it, in the form that the context takes. */
export async function callAsAgent(context: WebMcpContext, name: string, input: object): Promise<unknown> {
  const tool = (await toolsIn(context)).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  const given = context === own ? input : JSON.stringify(input);
  return JSON.parse(String(await context.executeTool?.(tool as never, given as never))) as unknown;
}

export async function toolsIn(context: WebMcpContext): Promise<readonly WebMcpTool[]> {
  return (await context.getTools?.()) ?? [];
}
