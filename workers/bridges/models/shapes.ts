import { isObject, type JsonObject, type JsonValue } from '../../../core/json/value.ts';
import { demand, LIST, oneOf } from '../../../core/option.ts';
import { relaxSchema } from '../../../core/schema/relax/relax.ts';
import { visibleText } from '../../../core/text/visible.ts';
import type { ToolRow } from '../../api.ts';
import { parametersOf } from './strict-schema.ts';
import { type ToolNames, toolNames } from './tool-names.ts';

/** A function as OpenAI's chat completions declare it. */
export interface OpenAIFunction {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonObject;
    readonly strict: false;
  };
}

export interface AnthropicFunction {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject & { readonly type: 'object' };
}

/** A member of Gemini's `functionDeclarations`. */
export interface GeminiFunction {
  readonly name: string;
  readonly description: string;
  readonly parametersJsonSchema: JsonObject;
}

/** A tool as an MCP server lists it. */
export interface McpFunction {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: 'object' };
  /** Present for a result that is an object. */
  readonly outputSchema?: JsonObject & { readonly type: 'object' };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly openWorldHint: boolean;
  };
}

export interface FunctionShapes {
  readonly openai: OpenAIFunction;
  readonly anthropic: AnthropicFunction;
  readonly gemini: GeminiFunction;
  readonly mcp: McpFunction;
}

export interface ToolFunctions<S extends keyof FunctionShapes> {
  readonly functions: readonly FunctionShapes[S][];
  /** `names.ours` gives the capability of a function that a model has called. */
  readonly names: ToolNames;
}

/** UTF-16 units of a description that OpenAI takes. */
const DESCRIPTION_MAX = 1024;

/** Fields of a row that a declaration shows. */
type Shown = Pick<ToolRow, 'name' | 'description' | 'args' | 'result' | 'effect'>;

const SHAPES: { readonly [S in keyof FunctionShapes]: (row: Shown, name: string) => FunctionShapes[S] } = {
  openai: openAIFunction,
  anthropic: ({ description, args }, name) => ({ name, description, input_schema: rooted(parametersOf(args)) }),
  gemini: ({ description, args }, name) => {
    return { name, description, parametersJsonSchema: rooted(relaxSchema(args, 'gemini').schema) };
  },
  mcp: ({ name: title, description, args, result, effect }, name) => ({
    name,
    title,
    description,
    inputSchema: rooted(args),
    ...(result?.['type'] === 'object' && { outputSchema: rooted(result) }),
    annotations: {
      readOnlyHint: effect === 'pure' || effect === 'read',
      destructiveHint: effect === 'write' || effect === 'egress',
      openWorldHint: effect === 'egress',
    },
  }),
};

/** Declaration of a function for a server that takes OpenAI's form; the gate alone decides about arguments. */
export function openAIFunction(
  { description, args }: Pick<Shown, 'description' | 'args'>,
  name: string,
): OpenAIFunction {
  const shown = description.slice(0, DESCRIPTION_MAX).toWellFormed();
  // strict mode would refuse optional members
  return { type: 'function', function: { name, description: shown, parameters: parametersOf(args), strict: false } };
}

/**
 * Declarations of a session's tools for a loop of another SDK. Names become letters, digits, `_` and `-`, at most 64,
 * and `names` maps them back. A schema accepts all objects that the schema of the gate accepts; the gate decides.
 *
 * @example const { functions, names } = toFunctions(await session.tools(), 'openai');
 *   const called = await session.call(names.ours(call.function.name), rawJson(call.function.arguments));
 */
export function toFunctions<S extends keyof FunctionShapes>(rows: readonly ToolRow[], shape: S): ToolFunctions<S> {
  demand('rows', rows, LIST);
  demand('shape', shape, oneOf(...Object.keys(SHAPES)));
  const names = toolNames(rows.map(({ name }) => name));
  return { functions: rows.map((row) => SHAPES[shape](visibleRow(row), names.theirs(row.name))), names };
}

/** The texts of a row may be a stranger's: no character of them is hidden from a person who reads along. */
function visibleRow(row: ToolRow): Shown {
  const { name, effect, description, args, result } = row;
  const shown = { name, effect, description: visibleText(description), args: visibleValue(args) as JsonObject };
  return result === undefined ? shown : { ...shown, result: visibleValue(result) as JsonObject };
}

/** A value with its texts and the names of its members made visible. Members that look alike then get a number. */
function visibleValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return visibleText(value);
  if (Array.isArray(value)) return value.map((each) => visibleValue(each as JsonValue));
  if (!isObject(value)) return value;
  const members = new Map<string, JsonValue>();
  for (const [name, each] of Object.entries(value) as [string, JsonValue][]) {
    let shown = visibleText(name);
    for (let nth = 2; members.has(shown); nth++) shown = `${visibleText(name)} (${nth})`;
    members.set(shown, visibleValue(each));
  }
  return Object.fromEntries(members);
}

/** Calls of every shape have an object of arguments. */
function rooted(schema: JsonObject): JsonObject & { readonly type: 'object' } {
  return { ...schema, type: 'object' };
}
