import type { JsonValue } from '../../../core/json/value.ts';
import { SallyportError } from '../../../core/sallyport-error.ts';
import { providedIn, WEB_MCP, type WebMcpContext, type WebMcpRegistration, type WebMcpTool } from './context.ts';

/** Form in which `executeTool` takes arguments: Chromium takes an object, and the polyfill takes text of JSON. */
export type InputForm = 'object' | 'text';

const NAME = 'sallyport_probe';

const forms = new WeakMap<WebMcpContext, Promise<InputForm>>();

/**
 * Finds the form out by one call of a tool of Sallyport's own. A stranger's tool is never called twice for that: its
 * first call may have had an effect. Rejects with `mcp_unavailable`.
 */
export function inputFormOf(context: WebMcpContext): Promise<InputForm> {
  const known = forms.get(context);
  if (known !== undefined) return known;
  const found = probe(context);
  forms.set(context, found);
  found.catch(() => forms.delete(context));
  return found;
}

/** The arguments in the form that the context takes. */
export function inputIn(form: InputForm, args: JsonValue): JsonValue {
  return form === 'text' ? JSON.stringify(args) : args;
}

async function probe(context: WebMcpContext): Promise<InputForm> {
  const controller = new AbortController();
  let heard: unknown;
  const tool: WebMcpRegistration = {
    name: NAME,
    description: 'Finds out how this browser hands arguments to a tool. It has no effect.',
    inputSchema: { type: 'object', properties: { probe: { type: 'boolean' } }, additionalProperties: false },
    annotations: { readOnlyHint: true },
    execute: async (input) => {
      heard = input;
      return {};
    },
  };
  providedIn(context).add(NAME);
  try {
    await context.registerTool(tool as never, { signal: controller.signal });
    return await formTaken(context, () => heard);
  } catch (error) {
    throw unavailable(error instanceof Error ? error.message : String(error));
  } finally {
    controller.abort();
  }
}

async function formTaken(context: WebMcpContext, heard: () => unknown): Promise<InputForm> {
  const own = (await context.getTools?.())?.find(isOwn);
  if (own === undefined || context.executeTool === undefined)
    throw new Error('this browser does not let a page call the tools of its document');
  try {
    await context.executeTool(own as never, JSON.stringify({ probe: true }) as never);
  } catch (error) {
    // the type of the argument is checked before the call
    if (error instanceof TypeError && heard() === undefined) return 'object';
    throw error;
  }
  return (Object(heard()) as { readonly probe?: unknown }).probe === true ? 'text' : 'object';
}

function isOwn({ name, window }: WebMcpTool): boolean {
  return name === NAME && window === (globalThis as { readonly window?: unknown }).window;
}

/** The error of a document whose tools cannot be used. */
function unavailable(reason: string): SallyportError {
  const origin = `${WEB_MCP}${String(globalThis.location?.origin)}`;
  return new SallyportError('mcp_unavailable', `The tools of ${origin} cannot be used: ${reason}`, { origin, reason });
}
