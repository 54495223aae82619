import { type ToolContext, type ToolDefinition, toolCapability } from '../../../../core/capability/author.ts';
import { define } from '../../../../core/capability/define.ts';
import type { Effect, Label } from '../../../../core/capability/guard.ts';
import { refuse } from '../../../../core/errors.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { utf8Length } from '../../../../core/json/utf8.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../../core/json/value.ts';
import { fromFunctions, type RefusedFunction } from '../../models/functions.ts';
import { answerSchema, isAnswerSchema } from '../answer.ts';
import type { McpOptions, McpTool } from './api.ts';
import { toolOf, visibleDeclaration } from './declarations.ts';
import { effectOf } from './effect.ts';
import { isOwnList, localName, type ReadingTool } from './reading.ts';
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

/** UTF-8 bytes of a declaration. A person compares all of it with the declaration that it replaces. */
const DECLARATION_BYTES: number = 64 << 10;

/**
 * The tools of a server's list, by names that depend on nothing but the server's own names (`localName`). A declaration
 * that cannot be taken is in `refused`.
 */
export function listTools(found: readonly JsonValue[], from: ListedFrom): ListedTools {
  const { options, origin, version, reading, call } = from;
  const { names: wanted, prefix, timeoutMs } = options;
  const offered = found
    .map((each) => visibleDeclaration(each) ?? each)
    .filter((each) => wanted === undefined || wanted.includes(nameIn(each)))
    .sort(byName);
  const declared = new Declared(prefix, reading);
  const tooLong = offered.flatMap((each) => declared.add(each) ?? []);
  const toolNamed = (name: string): McpTool => declared.tools.get(name) as McpTool;
  const { names, refused, tools } = fromFunctions(
    declared.list.map((each) => described(each) as object),
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
  const given = options.wholeAnswers === true ? tools.map(asWhole) : tools;
  const results = new Map(given.map(({ name, result }) => [name, result as JsonObject | undefined]));
  const structured = [...names].filter(([, name]) => results.get(name) && !isAnswerSchema(results.get(name)));
  return {
    tools: given,
    refused: [...tooLong, ...refused.map((each) => declared.withServerName(each))],
    structured: new Set(structured.map(([local]) => toolNamed(local).name)),
    declarations: new Map([...names].map(([local, name]) => [name, toolNamed(local)])),
  };
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
    const used = utf8Length(canonicalText(tool as never));
    if (used > DECLARATION_BYTES) {
      const reason = `the declaration has ${used} bytes, and a tool of a server has at most ${DECLARATION_BYTES}`;
      return { name: tool.name.slice(0, NAME_SHOWN), refusal: refuse('definition_invalid', { reason }).refusal };
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

/** Characters of a name that a refusal shows. */
const NAME_SHOWN = 200;

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
