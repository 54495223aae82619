import {
  type ToolContext,
  type ToolDefinition,
  type ToolTerms,
  toolCapability,
} from '../../../core/capability/author.ts';
import { define } from '../../../core/capability/define.ts';
import type { Effect, Label } from '../../../core/capability/guard.ts';
import { refuse } from '../../../core/errors.ts';
import type { JsonObject, JsonValue } from '../../../core/json/value.ts';
import {
  CALLBACK,
  demand,
  LIST,
  type OptionType,
  type OptionTypes,
  optionsOf,
  POSITIVE,
  TEXT,
} from '../../../core/option.ts';
import { type Outcome, pass, type Refusal } from '../../../core/outcome.ts';
import { importSchema } from '../../../core/schema/import/import.ts';
import {
  type DeclaredSchema,
  type FunctionDeclaration,
  type ReadDeclaration,
  readDeclarations,
} from './declaration.ts';
import { spelledApart } from './tool-names.ts';

/** A value for all functions, or for each by its declared name. */
export type ForFunction<T> = T | ((name: string) => T | undefined);

export interface FunctionOptions {
  /** Word before each name, with a point: `files` makes `files.read` of `read`. */
  readonly prefix?: string;
  /** Default `egress`, the strictest effect. */
  readonly effect?: ForFunction<Effect>;
  /** Default: the labels that follow from the effect, and `private` and `untrusted` where no effect is given. */
  readonly labels?: ForFunction<readonly Label[]>;
  /** Place that the arguments go to. */
  readonly origin?: string;
  /** Default `0.0.0`. */
  readonly version?: string;
  readonly timeoutMs?: number;
}

/** A declaration that became no tool. */
export interface RefusedFunction {
  /** Name as declared, where it could be read. */
  readonly name?: string;
  /** Reason, with a pointer into the list of declarations. */
  readonly refusal: Refusal;
}

export interface FunctionTools {
  readonly tools: readonly ToolDefinition[];
  /** Name of each tool by its declared name. */
  readonly names: ReadonlyMap<string, string>;
  /** Declarations that became no tool. Declarations and refusals together are the whole list. */
  readonly refused: readonly RefusedFunction[];
  /** Pointers into the list: annotations of schemas that the tools do not have. */
  readonly dropped: readonly string[];
}

/** Carries out a function, which is given by its declared name. */
export type FunctionRunner = (name: string, args: JsonValue, io: ToolContext) => unknown;

const PREFIX: OptionType = [
  '1 to 32 of A-Z a-z 0-9 _ - and points inside',
  (value) => typeof value === 'string' && /^(?!\.)[A-Za-z0-9._-]{1,32}(?<!\.)$/.test(value),
];
const GIVEN: OptionType = ['a value or a function', (value) => value !== null];
const OPTIONS: OptionTypes = {
  prefix: PREFIX,
  effect: GIVEN,
  labels: GIVEN,
  origin: TEXT,
  version: TEXT,
  timeoutMs: POSITIVE,
};

/**
 * Tools of a list of function declarations, in the shapes of OpenAI (chat completions and responses), Anthropic, Gemini
 * and MCP, also mixed. Schemas pass through `importSchema`, and objects of arguments are closed. A name becomes a name of
 * a capability: other characters become `_`, and a number follows where a name is taken. A declaration that cannot be
 * taken is in `refused`; of two declarations with a name the second is refused. Declarations may be a stranger's: their
 * texts are data, and no hint in them makes a tool less strict. Throws `option_invalid`.
 *
 * @example const { tools, refused } = fromFunctions((await client.listTools()).tools,
 *   (name, args) => client.callTool({ name, arguments: args }), { prefix: 'files', origin: 'mcp:https://files.example' });
 */
export function fromFunctions(
  declarations: readonly object[],
  run: FunctionRunner,
  options: FunctionOptions = {},
): FunctionTools {
  demand('declarations', declarations, LIST);
  demand('run', run, CALLBACK);
  const given = optionsOf(options, OPTIONS);
  const read = readDeclarations(declarations);
  const names = namesOf(read, given.prefix);
  const seen = new Set<string>();
  const found = { tools: [] as ToolDefinition[], refused: [] as RefusedFunction[], dropped: [] as string[] };
  for (const each of read) {
    const made = toolOf(each, names, seen, given);
    if (made.ok) {
      const { terms, dropped, name } = made.value;
      found.tools.push({ ...terms, run: (args: never, io) => run(name, args as JsonValue, io) });
      found.dropped.push(...dropped);
    } else found.refused.push({ ...(each.name !== undefined && { name: each.name }), refusal: made.refusal });
  }
  const taken = new Set(found.tools.map(({ name }) => name));
  return { ...found, names: new Map([...names].filter(([, name]) => taken.has(name))) };
}

function namesOf(read: readonly ReadDeclaration[], prefix: string | undefined): ReadonlyMap<string, string> {
  const before = prefix === undefined ? '' : `${prefix}.`;
  const declared = [...new Set(read.flatMap(({ name }) => name ?? []))];
  const spelled = spelledApart(
    declared.map((name) => before + name),
    spell,
  );
  return new Map(declared.map((name) => [name, spelled.get(before + name) as string]));
}

/** A name as capabilities have it. */
function spell(name: string): string {
  const spelled = name.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, 64);
  return spelled === '.' || spelled === '..' ? '_' : spelled;
}

interface Made {
  readonly name: string;
  readonly terms: ToolTerms;
  readonly dropped: readonly string[];
}

function toolOf(
  { at, read }: ReadDeclaration,
  names: ReadonlyMap<string, string>,
  seen: Set<string>,
  options: FunctionOptions,
): Outcome<Made> {
  if (!read.ok) return read;
  const { name } = read.value;
  if (seen.has(name)) return refuse('capability_twice', { name }, { pointer: at });
  seen.add(name);
  const schemas = schemasOf(read.value);
  if (!schemas.ok) return schemas;
  const { dropped, ...types } = schemas.value;
  const { description } = read.value;
  const terms = { name: names.get(name) as string, description, ...types, ...termsOf(name, options) };
  const made = define(toolCapability(terms));
  if (!made.ok) return refuse('definition_invalid', made.refusal.details as never, { pointer: at });
  return pass({ name, terms, dropped });
}

function termsOf(name: string, options: FunctionOptions): Pick<ToolTerms, 'version' | 'effect'> & Partial<ToolTerms> {
  const { version = '0.0.0', origin, timeoutMs } = options;
  const effect = valueFor(options.effect, name);
  const labels =
    valueFor(options.labels, name) ?? (effect === undefined ? (['private', 'untrusted'] as const) : undefined);
  return {
    version,
    effect: effect ?? 'egress',
    ...(labels !== undefined && { labels }),
    ...(origin !== undefined && { origin }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

function valueFor<T>(given: ForFunction<T> | undefined, name: string): T | undefined {
  return typeof given === 'function' ? (given as (name: string) => T | undefined)(name) : given;
}

interface Schemas {
  readonly args: JsonObject;
  readonly result?: JsonObject;
  readonly dropped: readonly string[];
}

/** Objects of a result stay open: a server may answer more than it declares. */
function schemasOf({ args, result }: FunctionDeclaration): Outcome<Schemas> {
  const input = imported(args, true);
  if (!input.ok) return input;
  const output = result === undefined ? undefined : imported(result, false);
  if (output?.ok === false) return output;
  const dropped = [...input.value.dropped, ...(output?.value.dropped ?? [])];
  return pass({ args: input.value.schema, ...(output && { result: output.value.schema }), dropped });
}

function imported({ schema, at }: DeclaredSchema, close: boolean): ReturnType<typeof importSchema> {
  const made = importSchema(schema, { close });
  if (made.ok) return pass({ ...made.value, dropped: made.value.dropped.map((pointer) => at + pointer) });
  const { code, details, pointer = '' } = made.refusal;
  return refuse(code, details as never, { pointer: at + pointer });
}
