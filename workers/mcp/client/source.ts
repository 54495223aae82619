import type { ToolContext, ToolDefinition } from '../../../core/capability/author-tool.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../core/json/value.ts';
import {
  ANY,
  CALLBACK,
  FLAG,
  LIST,
  type OptionTypes,
  optionsOf,
  POSITIVE,
  SIGNAL,
  TEXT,
} from '../../../core/option.ts';
import type { Refusal } from '../../../core/outcome.ts';
import { fromFunctions, type RefusedFunction } from '../../models/functions.ts';
import type { McpOptions, McpServerInfo, McpSource, McpTool } from './api.ts';
import { makeChanges } from './changes.ts';
import { type McpWay, ServerConnection } from './connection.ts';
import { toolOf, visibleDeclaration } from './declarations.ts';
import { effectOf } from './effect.ts';
import { failureOf, unavailable } from './failure.ts';
import { makeNotify, type Notify, shownText } from './notices.ts';
import { valueOf } from './result.ts';
import type { Secrets } from './secrets.ts';

/** Tools of a server. A model cannot choose among more. */
const TOOLS_MAX = 1000;

const TIMEOUT_MS = 300_000;

const OPTIONS: OptionTypes = {
  prefix: TEXT,
  effect: ANY,
  labels: ANY,
  trustHints: FLAG,
  names: LIST,
  timeoutMs: POSITIVE,
  resources: FLAG,
  prompts: FLAG,
  signal: SIGNAL,
  onNotice: CALLBACK,
};

/** What a way to a server is made with. */
export interface WayParts {
  readonly refused: (refusal: Refusal) => void;
  readonly notify: Notify;
  readonly secrets: Secrets;
}

/**
 * Connects to a server, and makes a source of its tools. Rejects with `mcp_unavailable` where the server cannot be
 * reached or lists no tools that can be read.
 */
export async function openSource(
  makeWay: (parts: WayParts) => McpWay,
  secrets: Secrets,
  given: McpOptions,
): Promise<McpSource> {
  const options = optionsOf(given, OPTIONS, ['prefix']);
  const notify = makeNotify(options.onNotice);
  const refused = ({ code, message }: Refusal): void =>
    notify({ kind: 'message_refused', code, text: secrets.hide(shownText(message)) });
  const way = makeWay({ refused, notify, secrets });
  const changes = makeChanges();
  const connection = new ServerConnection(way, { notify, changed: changes.note });
  try {
    const server = await connection.open(options.signal);
    const source = new Source({ options, way, connection, secrets, notify, changes, server });
    await source.prepare();
    return source.shown();
  } catch (error) {
    await connection.close().catch(() => undefined);
    if (options.signal?.aborted === true) throw options.signal.reason;
    throw unavailable(way.origin, error, secrets);
  }
}

interface SourceParts {
  readonly options: McpOptions;
  readonly way: McpWay;
  readonly connection: ServerConnection;
  readonly secrets: Secrets;
  readonly notify: Notify;
  readonly changes: ReturnType<typeof makeChanges>;
  readonly server: McpServerInfo;
}

/** The newest list of a server, as tools. */
interface Listed {
  readonly tools: readonly ToolDefinition[];
  readonly refused: readonly RefusedFunction[];
  readonly declarations: ReadonlyMap<string, McpTool>;
}

class Source {
  readonly #parts: SourceParts;
  #listed: Listed = { tools: [], refused: [], declarations: new Map() };
  /** True while the first list, made before the source was handed out, is the newest. */
  #isFresh = false;

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  async prepare(): Promise<void> {
    await this.#list();
    this.#isFresh = true;
  }

  shown(): McpSource {
    const { way, connection, changes, server, secrets } = this.#parts;
    const listed = (): Listed => this.#listed;
    return {
      id: `mcp ${this.#parts.options.prefix} (${shownText(way.origin)})`,
      origin: way.origin,
      server,
      get status() {
        return connection.status;
      },
      get refused() {
        return listed().refused;
      },
      declaration: (name) => listed().declarations.get(name),
      list: async () => {
        if (this.#isFresh && !changes.isNoted()) this.#isFresh = false;
        else await this.#list().catch((error: unknown) => Promise.reject(failureOf(error, secrets)));
        return this.#listed.tools;
      },
      changed: changes.listen,
      close: () => connection.close(),
    };
  }

  async #list(): Promise<void> {
    const { connection, changes, notify } = this.#parts;
    changes.taken();
    const offered = await connection.offers('tools');
    const found = offered ? await connection.list('tools/list', 'tools', TOOLS_MAX) : [];
    const wanted = found.map((each) => visibleDeclaration(each) ?? each).filter((each) => this.#isWanted(each));
    this.#listed = this.#toolsOf(wanted.sort(byName));
    for (const { name, refusal } of this.#listed.refused)
      notify({
        kind: 'tool_refused',
        code: refusal.code,
        text: shownText(refusal.message),
        ...(name !== undefined && { name: shownText(name) }),
      });
  }

  #isWanted(declaration: JsonValue): boolean {
    const { names } = this.#parts.options;
    return names === undefined || names.includes(nameIn(declaration));
  }

  #toolsOf(declared: readonly JsonValue[]): Listed {
    const { options, way, server } = this.#parts;
    const { prefix, trustHints = false, timeoutMs } = options;
    const byServer = new Map<string, McpTool>();
    for (const each of declared)
      if (isObject(each) && !byServer.has(nameIn(each))) byServer.set(nameIn(each), toolOf(each));
    const forTool = <T>(value: T | ((tool: McpTool) => T), name: string): T =>
      typeof value === 'function' ? (value as (tool: McpTool) => T)(byServer.get(name) as McpTool) : value;
    const { tools, refused, names } = fromFunctions(
      declared.map((each) => described(each) as object),
      (name, args, io) => this.#call(byServer.get(name) as McpTool, args as JsonObject, io),
      {
        prefix,
        origin: way.origin,
        version: /^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(server.version) ? server.version : '0.0.0',
        effect: (name) =>
          effectOf(byServer.get(name) as McpTool, forTool(options.effect ?? 'egress', name), trustHints),
        labels: (name) => forTool(options.labels ?? (['private', 'untrusted'] as const), name),
        ...(timeoutMs !== undefined && { timeoutMs }),
      },
    );
    const declarations = new Map([...names].map(([theirs, ours]) => [ours, byServer.get(theirs) as McpTool]));
    return { tools, refused, declarations };
  }

  async #call(tool: McpTool, args: JsonObject, { signal, step_id }: ToolContext): Promise<JsonValue> {
    const { connection, notify, secrets, options } = this.#parts;
    try {
      const answer = await connection.call(tool, args, {
        signal,
        // the run ends the call first, and its signal tells the server
        timeoutMs: (options.timeoutMs ?? TIMEOUT_MS) + 60_000,
        progress: ({ progress, total, message }) =>
          notify({
            kind: 'progress',
            tool: tool.name,
            step_id,
            progress,
            ...(total !== undefined && { total }),
            ...(message !== undefined && { text: secrets.hide(shownText(message)) }),
          }),
      });
      connection.answered();
      return secrets.hideIn(valueOf(answer, tool.outputSchema !== undefined));
    } catch (error) {
      throw failureOf(error, secrets);
    }
  }
}

/** A tool without a description is described by its title. */
function described(declaration: JsonValue): JsonValue {
  if (!isObject(declaration) || Object.hasOwn(declaration, 'description')) return declaration;
  const title = member(declaration, 'title');
  return typeof title === 'string' ? { ...declaration, description: title } : declaration;
}

function nameIn(declaration: JsonValue): string {
  const name = isObject(declaration) ? member(declaration, 'name') : undefined;
  return typeof name === 'string' ? name : '';
}

/** Names that are spelled alike here get their numbers by their own order, in whatever order the server lists them. */
function byName(left: JsonValue, right: JsonValue): number {
  const [one, two] = [nameIn(left), nameIn(right)];
  return one < two ? -1 : one > two ? 1 : 0;
}
