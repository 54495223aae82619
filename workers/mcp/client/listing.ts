import { type ToolContext, type ToolDefinition, toolCapability } from '../../../core/capability/author-tool.ts';
import { define } from '../../../core/capability/define.ts';
import type { Effect, Label } from '../../../core/capability/guard.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../core/json/value.ts';
import { fromFunctions, type RefusedFunction } from '../../models/functions.ts';
import { answerSchema, isAnswerSchema } from '../answer.ts';
import type { McpOptions, McpTool } from './api.ts';
import { toolOf, visibleDeclaration } from './declarations.ts';
import { effectOf } from './effect.ts';
import { isOwnList, type ReadingTool } from './reading.ts';
import { picked } from './result.ts';

/** A list of a server as tools. */
export interface ListedTools {
  readonly tools: readonly ToolDefinition[];
  /** Declarations that became no tool. */
  readonly refused: readonly RefusedFunction[];
  /** The server's names of the tools whose values are structured content alone. */
  readonly structured: ReadonlySet<string>;
  /** The server's declaration of each tool. */
  readonly declarations: ReadonlyMap<string, McpTool>;
}

export interface ListedFrom {
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

/**
 * The tools of a server's list. Names that are spelled alike here get their numbers by their own order, in whatever
 * order the server lists them. A declaration that cannot be taken is in `refused`.
 */
export function listTools(found: readonly JsonValue[], from: ListedFrom): ListedTools {
  const { options, origin, version, reading, call } = from;
  const { names: wanted, prefix, timeoutMs } = options;
  const offered = found
    .map((each) => visibleDeclaration(each) ?? each)
    .filter((each) => wanted === undefined || wanted.includes(nameIn(each)))
    .sort(byName);
  const declared = [...reading.map(({ declaration }) => declaration as unknown as JsonObject), ...offered];
  const byServer = new Map(reading.map(({ declaration }) => [declaration.name, declaration]));
  for (const each of offered)
    if (isObject(each) && !byServer.has(nameIn(each))) byServer.set(nameIn(each), toolOf(each));
  const toolNamed = (name: string): McpTool => byServer.get(name) as McpTool;
  const { names, ...listed } = fromFunctions(
    declared.map((each) => described(each) as object),
    (name, args, io) => call(toolNamed(name), args as JsonObject, io),
    {
      prefix,
      origin,
      version: /^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(version) ? version : '0.0.0',
      effect: (name) => effectFor(toolNamed(name), options),
      labels: (name) => valueFor(options.labels, toolNamed(name)) ?? LABELS,
      ...(timeoutMs !== undefined && { timeoutMs }),
    },
  );
  const reads = new Set(reading.map(({ declaration }) => names.get(declaration.name)));
  const asWhole = (tool: ToolDefinition): ToolDefinition => (reads.has(tool.name) ? tool : withAnswer(tool));
  const tools = options.wholeAnswers === true ? listed.tools.map(asWhole) : listed.tools;
  const results = new Map(tools.map(({ name, result }) => [name, result as JsonObject | undefined]));
  const structured = [...names].filter(([, name]) => results.get(name) && !isAnswerSchema(results.get(name)));
  return {
    ...listed,
    tools,
    structured: new Set(structured.map(([theirs]) => theirs)),
    declarations: new Map([...names].map(([theirs, name]) => [name, toolNamed(theirs)])),
  };
}

/** An effect that is given for all tools of a server is that of its exits: a list of ours is none. */
function effectFor(tool: McpTool, { effect, trustHints = false }: McpOptions): Effect {
  if (isOwnList(tool) && typeof effect !== 'function') return 'read';
  return effectOf(tool, valueFor(effect, tool) ?? 'egress', trustHints);
}

/** The value of the tool is its whole answer, unless the limits on schemas have no room for that. */
function withAnswer(tool: ToolDefinition): ToolDefinition {
  const { run, ...terms } = { ...tool, result: answerSchema(tool.result as JsonObject | undefined) };
  return define(toolCapability(terms)).ok ? { ...terms, run } : tool;
}

function valueFor<T>(given: T | ((tool: McpTool) => T) | undefined, tool: McpTool): T | undefined {
  return typeof given === 'function' ? (given as (tool: McpTool) => T)(tool) : given;
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
