import type { ToolContext, ToolDefinition } from '../../../core/capability/author.ts';
import type { Effect, Held, Label } from '../../../core/capability/guard.ts';
import type { JsonObject, JsonValue } from '../../../core/json/value.ts';
import { ANY, LIST, type OptionType, type OptionTypes, optionsOf, POSITIVE, TEXT } from '../../../core/option.ts';
import { SallyportError } from '../../../core/sallyport-error.ts';
import type { ToolSource } from '../../api.ts';
import { makeChanges, visibleDeclaration } from '../mcp/client/declarations.ts';
import { fromFunctions, HELD_OPTION, type RefusedFunction } from '../models/functions.ts';
import {
  contextOf,
  providedIn,
  WEB_MCP,
  type WebMcpContext,
  type WebMcpRegistration,
  type WebMcpTool,
} from './context.ts';
import { valueOf } from './result.ts';

/** A value for all tools of a document, or for each tool. */
export type ForWebMcpTool<T> = T | ((tool: WebMcpTool) => T);

export interface WebMcpOptions {
  /** Word before each name, with a point; default `page`. The host stands behind it for a tool of another origin. */
  readonly prefix?: string;
  /** Default `egress`, the strictest effect. Hints of a tool never make it less strict. */
  readonly effect?: ForWebMcpTool<Effect>;
  /** Default `private` and `untrusted`. */
  readonly labels?: ForWebMcpTool<readonly Label[]>;
  /** Which results are held, so that no model reads them: `true`, or those whose labels have this one. */
  readonly held?: Held | ((tool: WebMcpTool) => Held | undefined);
  /** Further origins whose frames' tools are taken; the polyfill has none. */
  readonly origins?: readonly string[];
  /** ms of a call. */
  readonly timeoutMs?: number;
  /** Default: `document.modelContext`. */
  readonly context?: WebMcpContext;
}

/** The tools of a document, for `openRuntime({ tools })`. */
export interface WebMcpSource extends ToolSource {
  /** Tools of the newest list that were not taken, with their reasons. */
  readonly refused: readonly RefusedFunction[];
}

const CONTEXT: OptionType = ['the model context of a document', (value) => Object(value) === value];

const OPTIONS: OptionTypes = {
  prefix: TEXT,
  effect: ANY,
  labels: ANY,
  held: HELD_OPTION,
  origins: LIST,
  timeoutMs: POSITIVE,
  context: CONTEXT,
};

const LABELS: readonly Label[] = ['private', 'untrusted'];

/**
 * The WebMCP tools of this document, and of frames of the given origins. Each tool needs a grant, and each call passes
 * every gate and has a receipt. The list follows `toolchange`. Tools of `provideWebMcp` are left out. Rejects with
 * `mcp_unavailable` where the browser does not let a page call tools, and with `option_invalid`, also where it has no
 * `document.modelContext`.
 *
 * @example const page = await fromWebMcp({ effect: 'read' });
 *   const runtime = await openRuntime({ tools: [page], grants: [{ capability: 'page.search', mode: 'allow' }] });
 *
 * @experimental
 */
export async function fromWebMcp(options: WebMcpOptions = {}): Promise<WebMcpSource> {
  const given = optionsOf(options, OPTIONS);
  const context = contextOf(given.context);
  const form = await inputFormOf(context);
  return sourceOf(new PageTools(context, form, given), context);
}

function sourceOf(tools: PageTools, context: WebMcpContext): WebMcpSource {
  const changes = makeChanges();
  context.addEventListener('toolchange', changes.note);
  return {
    id: `webmcp (${String(globalThis.location?.origin)})`,
    get refused() {
      return tools.refused;
    },
    list: async () => {
      changes.taken();
      return tools.list();
    },
    changed: changes.listen,
    close: async () => context.removeEventListener('toolchange', changes.note),
  };
}

class PageTools {
  refused: readonly RefusedFunction[] = [];
  readonly #context: WebMcpContext;
  readonly #form: InputForm;
  readonly #options: WebMcpOptions;

  constructor(context: WebMcpContext, form: InputForm, options: WebMcpOptions) {
    this.#context = context;
    this.#form = form;
    this.#options = options;
  }

  async list(): Promise<readonly ToolDefinition[]> {
    const found = await this.#strangers();
    const origins = [...new Set(found.map(({ origin }) => origin))].sort();
    const listed = origins.map((origin) =>
      this.#toolsOf(
        origin,
        found.filter((tool) => tool.origin === origin),
      ),
    );
    this.refused = listed.flatMap(({ refused }) => refused);
    return listed.flatMap(({ tools }) => tools);
  }

  /** The tools of the wanted origins, without the tools of Sallyport's own. */
  async #strangers(): Promise<readonly WebMcpTool[]> {
    const { origins = [] } = this.#options;
    const wanted = new Set([ownOrigin(), ...origins]);
    const own = providedIn(this.#context);
    const { window } = globalThis as { readonly window?: unknown };
    const all = await this.#context.getTools?.(origins.length > 0 ? { fromOrigins: [...origins] } : {});
    const isOwn = (tool: WebMcpTool): boolean => tool.window === window && own.has(tool.name);
    return (all ?? []).filter((tool) => wanted.has(tool.origin) && !isOwn(tool));
  }

  #toolsOf(origin: string, found: readonly WebMcpTool[]): ReturnType<typeof fromFunctions> {
    const { prefix = 'page', effect = 'egress', labels = LABELS, held, timeoutMs } = this.#options;
    const named = (name: string): WebMcpTool => found.find((tool) => tool.name === name) as WebMcpTool;
    return fromFunctions(found.map(declarationOf), (name, args, io) => this.#call(named(name), args, io), {
      prefix: origin === ownOrigin() ? prefix : `${prefix}.${hostWord(origin)}`.slice(0, 32).replace(/\.+$/, ''),
      origin: `${WEB_MCP}${origin}`,
      effect: (name) => (typeof effect === 'function' ? effect(named(name)) : effect),
      labels: (name) => (typeof labels === 'function' ? labels(named(name)) : labels),
      held: (name) => (typeof held === 'function' ? held(named(name)) : held),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
  }

  async #call(tool: WebMcpTool, args: JsonValue, { signal }: ToolContext): Promise<JsonValue> {
    const input = inputIn(this.#form, args);
    return valueOf(await this.#context.executeTool?.(tool as never, input as never, { signal }));
  }
}

function ownOrigin(): string {
  return String(globalThis.location?.origin);
}

/** A host as part of a name: `https://shop.example:8443` becomes `shop.example_8443`. */
function hostWord(origin: string): string {
  return origin.replace(/^[a-z]+:\/\//, '').replaceAll(/[^A-Za-z0-9._-]/g, '_');
}

/** The declaration of a tool, with invisible characters made visible. */
function declarationOf({ name, title = '', description, inputSchema }: WebMcpTool): JsonObject {
  const schema = typeof inputSchema === 'string' ? schemaIn(inputSchema) : inputSchema;
  const declared = { name, description: description || title, ...(schema !== undefined && { inputSchema: schema }) };
  return visibleDeclaration(declared as unknown as JsonObject) as JsonObject;
}

/** A schema in its text. Empty text is no schema, and text that is not JSON stays text, which is refused as a schema. */
function schemaIn(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Form in which `executeTool` takes arguments: Chromium takes an object, and the polyfill takes text of JSON. */
type InputForm = 'object' | 'text';

const NAME = 'sallyport_probe';

const forms = new WeakMap<WebMcpContext, Promise<InputForm>>();

/**
 * Finds the form out by one call of a tool of Sallyport's own. A stranger's tool is never called twice for that: its
 * first call may have had an effect. Rejects with `mcp_unavailable`.
 */
function inputFormOf(context: WebMcpContext): Promise<InputForm> {
  const known = forms.get(context);
  if (known !== undefined) return known;
  const found = probe(context);
  forms.set(context, found);
  found.catch(() => forms.delete(context));
  return found;
}

/** The arguments in the form that the context takes. */
function inputIn(form: InputForm, args: JsonValue): JsonValue {
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
