import { type ToolContext, type ToolDefinition, toolCapability } from '../../../../core/capability/author.ts';
import { define } from '../../../../core/capability/define.ts';
import { type Effect, joined, type Label } from '../../../../core/capability/guard.ts';
import { refuse } from '../../../../core/errors.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { utf8Length } from '../../../../core/json/utf8.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../../core/json/value.ts';
import { ANSWER_KEPT_BYTES } from '../../../../core/limits.ts';
import {
  ANY,
  CALLBACK,
  FLAG,
  LIST,
  type OptionTypes,
  oneOf,
  optionsOf,
  POSITIVE,
  SIGNAL,
  TEXT,
} from '../../../../core/option.ts';
import type { Refusal } from '../../../../core/outcome.ts';
import { places } from '../../../../core/schema/import/places.ts';
import { type FunctionTools, fromFunctions, HELD_OPTION, type RefusedFunction } from '../../models/functions.ts';
import { Secrets } from '../../models/secrets.ts';
import { type NumbersAs, REFUSED_PART } from '../wire/message.ts';
import type { McpNotice, McpOptions, McpProgress, McpServerInfo, McpSource, McpTool } from './api.ts';
import {
  type AskOptions,
  failureOf,
  type ListRead,
  McpFailure,
  type McpWay,
  ServerConnection,
  unavailable,
} from './connection.ts';
import { answerLabels, effectOf, makeChanges, toolOf, visibleDeclaration } from './declarations.ts';
import { makeNotify, type Notify, shownText } from './notices.ts';
import {
  isOwnList,
  localName,
  PROMPT_TOOLS,
  picked,
  RESOURCE_TOOLS,
  type ReadingTool,
  valueOf,
  wholeOf,
} from './reading.ts';

/** Tools of a server. No model chooses well among more. */
const TOOLS_MAX = 1000;

const TIMEOUT_MS = 300_000;

const OPTIONS: OptionTypes = {
  prefix: TEXT,
  effect: ANY,
  labels: ANY,
  held: HELD_OPTION,
  trustHints: FLAG,
  names: LIST,
  timeoutMs: POSITIVE,
  resources: FLAG,
  prompts: FLAG,
  numbers: oneOf('text'),
  signal: SIGNAL,
  onNotice: CALLBACK,
};

/** Parts of a source that the way to its server needs. */
export interface WayParts {
  readonly refused: (refusal: Refusal) => void;
  readonly notify: Notify;
  readonly secrets: Secrets;
  readonly numbers: NumbersAs;
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
  const way = makeWay({ refused, notify, secrets, numbers: options.numbers });
  const changes = makeChanges();
  const connection = new ServerConnection(way, { notify, changed: changes.note });
  let ended: Promise<void> | undefined;
  // also while the list is read
  const end = (): void => void (ended = connection.close());
  options.signal?.addEventListener('abort', end, { once: true });
  try {
    const server = await connection.open(options.signal);
    const source = new Source({ options, way, connection, secrets, notify, changes, server });
    await source.prepare();
    return source.shown();
  } catch (error) {
    await (ended ?? connection.close()).catch(() => undefined);
    if (options.signal?.aborted === true) throw options.signal.reason;
    throw unavailable(way.origin, error, secrets);
  } finally {
    options.signal?.removeEventListener('abort', end);
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
  #listed: ListedTools = {
    tools: [],
    refused: [],
    unchecked: [],
    structured: new Set(),
    declarations: new Map(),
  };
  readonly #hear = new Set<(progress: McpProgress) => void>();
  /** Labels of the answers of each call: a list has several pages. */
  readonly #raised = new WeakMap<NonNullable<ToolContext['record']>, readonly Label[]>();
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
      onProgress: (listener) => {
        this.#hear.add(listener);
        return () => void this.#hear.delete(listener);
      },
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
    const read = connection.offers('tools') ? await connection.list('tools/list', 'tools', TOOLS_MAX) : NO_TOOLS;
    this.#listed = listTools(
      read.found.map((each) => secrets.hideIn(each)),
      {
        origin: way.origin,
        version: server.version,
        options,
        reading: [...this.#reading.values()],
        call: (tool, args, io) => this.#call(tool, args, io),
      },
    );
    const tell = (kind: 'tool_refused' | 'part_refused', { name, refusal }: RefusedFunction): void => {
      const named = name === undefined ? {} : { name: shownText(name) };
      notify({ kind, code: refusal.code, text: shownText(refusal.message), ...named });
    };
    for (const each of this.#listed.refused) tell('tool_refused', each);
    for (const each of this.#listed.unchecked) tell('part_refused', each);
    if (read.cut !== undefined) tell('part_refused', { refusal: invalid(`${read.cut}: the others are left out`) });
  }

  async #call(tool: McpTool, args: JsonObject, io: ToolContext): Promise<JsonValue> {
    const { connection, secrets } = this.#parts;
    try {
      const reading = this.#reading.get(tool.name);
      const how = { ...askedBy(io), answered: (answer: JsonObject) => this.#raise(tool, answer, io) };
      const value = reading ? await reading.read(connection, args, how) : await this.#send(tool, args, io);
      connection.answered();
      return secrets.hideIn(value);
    } catch (error) {
      throw failureOf(error, secrets);
    }
  }

  async #send(tool: McpTool, args: JsonObject, io: ToolContext): Promise<JsonValue> {
    const { step_id } = io;
    const { connection, options } = this.#parts;
    const effect = effectFor(tool, options);
    const isStructured = this.#listed.structured.has(tool.name);
    const { outputSchema: _, ...unchecked } = tool;
    const answer = await connection.call(isStructured ? tool : unchecked, args, {
      ...askedBy(io),
      isHarmless: effect === 'read' || effect === 'pure',
      // the run ends the call first, and its signal tells the server
      timeoutMs: (options.timeoutMs ?? TIMEOUT_MS) + 60_000,
      ...((options.onNotice || this.#hear.size > 0) && {
        progress: (progress) => this.#tellProgress(tool, step_id, progress),
      }),
    });
    this.#raise(tool, answer, io);
    this.#tellAnswer(tool, wholeOf(answer), io);
    return valueOf(answer, isStructured);
  }

  /**
   * Has the answer carry the labels that its server says of it. The labels of what a program reads are those of the
   * definitions of its tools: there an answer with more is refused.
   */
  #raise(tool: McpTool, answer: { readonly _meta?: unknown }, { record }: ToolContext): void {
    const known = valueFor(this.#parts.options.labels, tool) ?? LABELS;
    const more = answerLabels(answer).filter((label) => !known.includes(label));
    if (more.length === 0) return;
    if (record === undefined)
      throw new McpFailure('labels_raised', `The server says that this answer is ${more.join(' and ')}. ${RAISED}`);
    this.#raised.set(record, joined(this.#raised.get(record) ?? [], more));
    record({ labels: this.#raised.get(record) ?? more });
  }

  /** Has the receipt name the whole answer, without keys. */
  #tellAnswer(tool: McpTool, whole: JsonObject, { step_id, record }: ToolContext): void {
    const { notify, secrets } = this.#parts;
    const answer = secrets.hideIn(whole);
    record?.({ answer });
    const used = record === undefined ? 0 : utf8Length(canonicalText(answer));
    if (used <= ANSWER_KEPT_BYTES) return;
    const { code, message } = refuse('limit_size', { limit: ANSWER_KEPT_BYTES, used }).refusal;
    notify({ kind: 'answer_left_out', tool: shownText(tool.name), step_id, code, text: message });
  }

  #tellProgress(tool: McpTool, step_id: string, { progress, total, message }: CallProgress): void {
    const { notify, secrets } = this.#parts;
    const details = {
      ...(total !== undefined && { total }),
      ...(message !== undefined && { text: shownText(secrets.hide(message)) }),
    };
    notify({ kind: 'progress', tool: shownText(tool.name), step_id, progress, ...details });
    for (const listener of this.#hear) listener({ step_id, progress, ...details });
  }
}

function askedBy({ signal, record }: ToolContext): AskOptions {
  return { signal, repeated: (why) => record?.({ repeated: why }) };
}

/** Progress of a call, as a server tells it. */
interface CallProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

const RAISED = 'A program reads it once the labels of the tool say so, too.';

/** A list of a server as tools. */
interface ListedTools {
  readonly tools: readonly ToolDefinition[];
  /** Declarations that became no tool. */
  readonly refused: readonly RefusedFunction[];
  /** Tools without the check of their output schema, which could not be taken. */
  readonly unchecked: readonly RefusedFunction[];
  /** The server's names of the tools whose values are structured content alone. */
  readonly structured: ReadonlySet<string>;
  /** The server's declaration of each tool. */
  readonly declarations: ReadonlyMap<string, McpTool>;
}

interface ListedFrom {
  readonly origin: string;
  /** Version that the server gives. */
  readonly version: string;
  readonly options: McpOptions;
  /** Tools of ours that read from the server. */
  readonly reading: readonly ReadingTool[];
  readonly call: (tool: McpTool, args: JsonObject, io: ToolContext) => Promise<JsonValue>;
}

/** Members of a declaration that become a definition. */
const DECLARED = ['name', 'description', 'inputSchema', 'outputSchema'];

const LABELS: readonly Label[] = ['private', 'untrusted'];

/** UTF-8 bytes of a declaration. A person compares all of it with the declaration that it replaces. */
const DECLARATION_BYTES: number = 64 << 10;

/**
 * The tools of a server's list, by names that depend on nothing but the server's own names (`localName`). A declaration
 * that cannot be taken is in `refused`.
 */
function listTools(found: readonly JsonValue[], from: ListedFrom): ListedTools {
  const { options, origin, version, reading, call } = from;
  const { names: wanted, prefix, timeoutMs } = options;
  const offered = found
    .map((each) => visibleDeclaration(each) ?? each)
    .filter((each) => wanted === undefined || wanted.includes(nameIn(each)))
    .sort(byName);
  const declared = new Declared(prefix, reading);
  const tooLong = offered.flatMap((each) => declared.add(each) ?? []);
  const toolNamed = (name: string): McpTool => declared.tools.get(name) as McpTool;
  const { names, refused, tools, unchecked } = functionsOf(
    declared.list.map((each) => described(each) as JsonObject),
    (name, args, io) => call(toolNamed(name), args as JsonObject, io),
    {
      prefix,
      origin,
      version: /^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(version) ? version : '0.0.0',
      effect: (name) => effectFor(toolNamed(name), options),
      labels: (name) => valueFor(options.labels, toolNamed(name)) ?? LABELS,
      held: (name) => valueFor(options.held, toolNamed(name)),
      ...(timeoutMs !== undefined && { timeoutMs }),
    },
  );
  const results = new Map(tools.map(({ name, result }) => [name, result]));
  const structured = [...names].filter(([, name]) => results.get(name) !== undefined);
  return {
    tools: options.numbers === 'text' ? tools.map(withTexts) : tools,
    refused: [...tooLong, ...refused.map((each) => declared.withServerName(each))],
    unchecked: unchecked.map((each) => declared.withServerName(each)),
    structured: new Set(structured.map(([local]) => toolNamed(local).name)),
    declarations: new Map([...names].map(([local, name]) => [name, toolNamed(local)])),
  };
}

/** As `fromFunctions`. A declaration whose output schema alone cannot be taken becomes a tool without it. */
function functionsOf(
  list: readonly JsonObject[],
  ...how: [Parameters<typeof fromFunctions>[1], Parameters<typeof fromFunctions>[2]]
): FunctionTools & { readonly unchecked: readonly RefusedFunction[] } {
  const first = fromFunctions(list, ...how);
  const bad = new Map(first.refused.map((each) => [Number(/^\/(\d+)/.exec(each.refusal.pointer ?? '')?.[1]), each]));
  if (![...bad.keys()].some((nth) => list[nth] && Object.hasOwn(list[nth], 'outputSchema')))
    return { ...first, unchecked: [] };
  const second = fromFunctions(
    list.map((each, nth) => (bad.has(nth) ? withoutOutput(each) : each)),
    ...how,
  );
  const left = new Set(second.refused.map(({ name }) => name));
  return { ...second, unchecked: first.refused.filter(({ name }) => !left.has(name)) };
}

function withoutOutput({ outputSchema: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** The text of a number, as `numbers: 'text'` takes it. */
const NUMBER_TEXT = '^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$';

/** A tool whose result may have a text of digits wherever its schema has a number. */
function withTexts(tool: ToolDefinition): ToolDefinition {
  if (!isObject(tool.result)) return tool;
  const result = structuredClone(tool.result) as JsonObject;
  for (const { schema } of places(result)) if (isObject(schema)) permitText(schema as Record<string, JsonValue>);
  const { run, ...terms } = { ...tool, result };
  return define(toolCapability(terms)).ok ? { ...terms, run } : tool;
}

function permitText(schema: Record<string, JsonValue>): void {
  const { type = null } = schema;
  const types = Array.isArray(type) ? (type as readonly JsonValue[]) : [type];
  if (!types.some((each) => each === 'integer' || each === 'number') || types.includes('string')) return;
  schema['type'] = [...types, 'string'];
  schema['pattern'] ??= NUMBER_TEXT;
}

/** Declarations by the names that their tools have here. */
class Declared {
  readonly #prefix: string;
  readonly list: JsonValue[];
  readonly tools: Map<string, McpTool>;

  /** Begins with the tools of ours: no tool of the server has their names. */
  constructor(prefix: string, reading: readonly ReadingTool[]) {
    this.#prefix = prefix;
    this.list = reading.map(({ declaration }) => declaration as unknown as JsonObject);
    this.tools = new Map(reading.map(({ declaration }) => [declaration.name, declaration]));
  }

  /** Adds a declaration of the server. Returns its refusal if it is too long. */
  add(given: JsonValue): RefusedFunction | undefined {
    if (!isObject(given) || nameIn(given) === '') return void this.list.push(given);
    const tool = toolOf(given);
    const fault = member(given, REFUSED_PART);
    if (typeof fault === 'string') return { name: tool.name.slice(0, NAME_SHOWN), refusal: invalid(fault) };
    const used = utf8Length(canonicalText(tool as never));
    if (used > DECLARATION_BYTES) {
      const reason = `the declaration has ${used} bytes, and a tool of a server has at most ${DECLARATION_BYTES}`;
      return { name: tool.name.slice(0, NAME_SHOWN), refusal: invalid(reason) };
    }
    const name = localName(this.#prefix, tool);
    this.list.push({ ...given, name });
    if (!this.tools.has(name)) this.tools.set(name, tool);
    return undefined;
  }

  withServerName(refused: RefusedFunction): RefusedFunction {
    const tool = refused.name === undefined ? undefined : this.tools.get(refused.name);
    return tool === undefined ? refused : { ...refused, name: tool.name };
  }
}

const NO_TOOLS: ListRead = { found: [] };

function invalid(reason: string): Refusal {
  return refuse('definition_invalid', { reason: shownText(reason) }).refusal;
}

/** Characters of a name that a refusal shows. */
const NAME_SHOWN = 200;

/** An effect that is given for all tools of a server is that of its exits: a list of ours is none. */
function effectFor(tool: McpTool, { effect, trustHints = false }: McpOptions): Effect {
  if (isOwnList(tool) && typeof effect !== 'function') return 'read';
  return effectOf(tool, valueFor(effect, tool) ?? 'egress', trustHints);
}

function valueFor<T>(given: T | ((tool: McpTool) => T | undefined) | undefined, tool: McpTool): T | undefined {
  return typeof given === 'function' ? (given as (tool: McpTool) => T | undefined)(tool) : given;
}

/** The members that count. A tool without a description is described by its title. */
function described(declaration: JsonValue): JsonValue {
  if (!isObject(declaration)) return declaration;
  const description = member(declaration, 'description') ?? member(declaration, 'title') ?? '';
  return { ...picked(declaration, DECLARED), description };
}

function nameIn(declaration: JsonValue): string {
  const name = isObject(declaration) ? member(declaration, 'name') : undefined;
  return typeof name === 'string' ? name : '';
}

function byName(left: JsonValue, right: JsonValue): number {
  const [one, two] = [nameIn(left), nameIn(right)];
  if (one === two) return 0;
  return one < two ? -1 : 1;
}
