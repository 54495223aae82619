import type { ToolContext } from '../../../../core/capability/author.ts';
import type { JsonObject, JsonValue } from '../../../../core/json/value.ts';
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
} from '../../../../core/option.ts';
import type { Refusal } from '../../../../core/outcome.ts';
import { Secrets } from '../../models/secrets.ts';
import type { McpNotice, McpOptions, McpServerInfo, McpSource, McpTool } from './api.ts';
import { makeChanges } from './changes.ts';
import { type McpWay, ServerConnection } from './connection.ts';
import { failureOf, unavailable } from './failure.ts';
import { type ListedTools, listTools } from './listing.ts';
import { makeNotify, type Notify, shownText } from './notices.ts';
import { PROMPT_TOOLS, RESOURCE_TOOLS, type ReadingTool } from './reading.ts';
import { valueOf } from './result.ts';

/** Tools of a server. No model chooses well among more. */
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
  wholeAnswers: FLAG,
  signal: SIGNAL,
  onNotice: CALLBACK,
};

/** Parts of a source that the way to its server needs. */
export interface WayParts {
  readonly refused: (refusal: Refusal) => void;
  readonly notify: Notify;
  readonly secrets: Secrets;
}

/**
 * Connects to a server, and makes a source of its tools. Rejects with `mcp_unavailable` where the server cannot be
 * reached or its list cannot be read.
 */
export async function openSource(makeWay: (parts: WayParts) => McpWay, given: McpOptions): Promise<McpSource> {
  const options = optionsOf(given, OPTIONS, ['prefix']);
  const secrets = new Secrets();
  const { onNotice } = options;
  const withoutKeys = (notice: McpNotice): McpNotice =>
    secrets.hideIn(notice as unknown as JsonValue) as unknown as McpNotice;
  const notify = makeNotify(onNotice && ((notice) => onNotice(withoutKeys(notice))));
  const refused = ({ code, message }: Refusal): void =>
    notify({ kind: 'message_refused', code, text: shownText(secrets.hide(message)) });
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

class Source {
  readonly #parts: SourceParts;
  readonly #reading: ReadonlyMap<McpTool['name'], ReadingTool>;
  #listed: ListedTools = { tools: [], refused: [], structured: new Set(), declarations: new Map() };
  /** True while the first list, made before the source was handed out, is the newest. */
  #isFresh = false;

  constructor(parts: SourceParts) {
    const { resources = false, prompts = false } = parts.options;
    this.#parts = parts;
    const reading = [
      ...(resources && parts.connection.offers('resources') ? RESOURCE_TOOLS : []),
      ...(prompts && parts.connection.offers('prompts') ? PROMPT_TOOLS : []),
    ];
    this.#reading = new Map(reading.map((each) => [each.declaration.name, each]));
  }

  async prepare(): Promise<void> {
    await this.#list();
    this.#isFresh = true;
  }

  shown(): McpSource {
    const { way, connection, changes, server, secrets, options } = this.#parts;
    const listed = (): ListedTools => this.#listed;
    return {
      id: `mcp ${options.prefix} (${shownText(way.origin)})`,
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
    const { connection, changes, notify, options, way, server, secrets } = this.#parts;
    changes.taken();
    const found = connection.offers('tools') ? await connection.list('tools/list', 'tools', TOOLS_MAX) : [];
    this.#listed = listTools(
      found.map((each) => secrets.hideIn(each)),
      {
        origin: way.origin,
        version: server.version,
        options,
        reading: [...this.#reading.values()],
        call: (tool, args, io) => this.#call(tool, args, io),
      },
    );
    for (const { name, refusal } of this.#listed.refused) {
      const named = name === undefined ? {} : { name: shownText(name) };
      notify({ kind: 'tool_refused', code: refusal.code, text: shownText(refusal.message), ...named });
    }
  }

  async #call(tool: McpTool, args: JsonObject, io: ToolContext): Promise<JsonValue> {
    const { connection, secrets } = this.#parts;
    try {
      const reading = this.#reading.get(tool.name);
      const value = reading ? await reading.read(connection, args, io.signal) : await this.#send(tool, args, io);
      connection.answered();
      return secrets.hideIn(value);
    } catch (error) {
      throw failureOf(error, secrets);
    }
  }

  async #send(tool: McpTool, args: JsonObject, { signal, step_id }: ToolContext): Promise<JsonValue> {
    const { connection, options } = this.#parts;
    const answer = await connection.call(tool, args, {
      signal,
      // the run ends the call first, and its signal tells the server
      timeoutMs: (options.timeoutMs ?? TIMEOUT_MS) + 60_000,
      ...(options.onNotice && { progress: (progress) => this.#tellProgress(tool, step_id, progress) }),
    });
    return valueOf(answer, this.#listed.structured.has(tool.name) ? 'structured' : 'whole');
  }

  #tellProgress(tool: McpTool, step_id: string, { progress, total, message }: CallProgress): void {
    const { notify, secrets } = this.#parts;
    const details = {
      ...(total !== undefined && { total }),
      ...(message !== undefined && { text: shownText(secrets.hide(message)) }),
    };
    notify({ kind: 'progress', tool: shownText(tool.name), step_id, progress, ...details });
  }
}

/** Progress of a call, as a server tells it. */
interface CallProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}
