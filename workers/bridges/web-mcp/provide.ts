import type { JsonValue } from '../../../core/json/value.ts';
import {
  demand,
  LIST,
  OBJECT,
  type OptionType,
  type OptionTypes,
  oneOf,
  optionsOf,
  SIGNAL,
} from '../../../core/option.ts';
import { SallyportError } from '../../../core/sallyport-error.ts';
import type { Session, ToolRow } from '../../api.ts';
import { heldTool } from '../models/held-tool.ts';
import { type ToolNames, toolNames } from '../models/tool-names.ts';
import { contextOf, providedIn, WEB_MCP, type WebMcpContext, type WebMcpRegistration } from './context.ts';
import { failed, resultOf, type WebMcpResult } from './result.ts';

export interface ProvideWebMcpOptions {
  /** Names of the capabilities that become tools; absent: all that the session offers and that no document has registered. */
  readonly names?: readonly string[];
  /** Further origins whose documents may see the tools; the polyfill has none. */
  readonly exposedTo?: readonly string[];
  /** Takes the tools away. */
  readonly signal?: AbortSignal;
  /** Default: `document.modelContext`. */
  readonly context?: WebMcpContext;
}

/** The tools of a session in a document. */
export interface ProvidedTools {
  /** Names of the tools as agents see them, and the capabilities behind them. */
  readonly names: ToolNames;
  /** Takes the tools away. The session stays open. */
  close(): void;
}

const CONTEXT: OptionType = ['the model context of a document', (value) => Object(value) === value];

const OPTIONS: OptionTypes = { names: LIST, exposedTo: LIST, signal: SIGNAL, context: CONTEXT };

/**
 * Registers the capabilities of a session as WebMCP tools of this document. Each call of an agent passes every gate to
 * its receipt: wrong types and unknown members are refused, which browsers do not check. Where the browser tells that an
 * agent has given up (Chromium), the call is aborted. Tools that a document has registered are left out. Rejects with `option_invalid`, also
 * where the browser has no `document.modelContext`, and with the browser's error for a name that is taken.
 *
 * @example const tools = await provideWebMcp(runtime.openSession({ label: 'webmcp' }));
 *
 * @experimental
 */
export async function provideWebMcp(session: Session, options: ProvideWebMcpOptions = {}): Promise<ProvidedTools> {
  demand('session', session, OBJECT);
  const given = optionsOf(options, OPTIONS);
  const context = contextOf(given.context);
  const listed = rowsOf(await session.tools(), given.names);
  const rows = (await isHolding(session)) ? listed.map((row) => heldTool(row, row.origin?.startsWith('mcp:'))) : listed;
  const names = toolNames(rows.map(({ name }) => name));
  const controller = new AbortController();
  const close = (): void => controller.abort();
  given.signal?.addEventListener('abort', close, { once: true });
  if (given.signal?.aborted === true) close();
  try {
    for (const row of rows)
      await register(context, toolOf(session, row, names.theirs(row.name)), given, controller.signal);
  } catch (error) {
    close();
    throw error;
  }
  return { names, close };
}

/** True for a session that can hold results: its first record says so. */
async function isHolding({ run }: Session): Promise<boolean> {
  for await (const { kind, body } of run.records()) return kind === 'configuration' && body.holding === true;
  return false;
}

function rowsOf(rows: readonly ToolRow[], wanted: readonly string[] | undefined): readonly ToolRow[] {
  // an imported tool that is registered again would call itself
  const own = rows.filter(({ origin }) => origin?.startsWith(WEB_MCP) !== true);
  const offered = oneOf(...own.map(({ name }) => name));
  for (const name of wanted ?? []) demand('names', name, offered);
  return wanted === undefined ? own : own.filter(({ name }) => wanted.includes(name));
}

async function register(
  context: WebMcpContext,
  tool: WebMcpRegistration,
  { exposedTo }: ProvideWebMcpOptions,
  signal: AbortSignal,
): Promise<void> {
  const names = providedIn(context);
  const isNew = !names.has(tool.name);
  names.add(tool.name);
  signal.addEventListener('abort', () => names.delete(tool.name), { once: true });
  try {
    await context.registerTool(tool as never, { signal, ...(exposedTo && { exposedTo: [...exposedTo] }) });
  } catch (error) {
    if (isNew) names.delete(tool.name);
    throw error;
  }
}

function toolOf(session: Session, row: ToolRow, name: string): WebMcpRegistration {
  return {
    name,
    title: row.name,
    description: row.description === '' ? row.name : row.description,
    inputSchema: { ...row.args, type: 'object' },
    annotations: {
      readOnlyHint: row.effect === 'pure' || row.effect === 'read',
      untrustedContentHint: row.labels.includes('untrusted'),
    },
    execute: (input, given) => answerOf(session, row.name, input, signalIn(given)),
  };
}

/** The signal by which the browser tells that the agent has given the call up. */
function signalIn(given: unknown): { readonly signal?: AbortSignal } {
  const { signal } = Object(given) as { readonly signal?: unknown };
  return signal instanceof AbortSignal ? { signal } : {};
}

async function answerOf(session: Session, name: string, input: unknown, how: object): Promise<WebMcpResult> {
  try {
    return resultOf(await session.call(name, (input ?? {}) as JsonValue, how));
  } catch (error) {
    // arguments outside of JSON, and a session that has ended
    if (error instanceof SallyportError) return failed(`${error.code}: ${error.message}`);
    throw error;
  }
}
