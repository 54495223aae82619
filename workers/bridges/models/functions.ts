import {
  type ToolContext,
  type ToolDefinition,
  type ToolTerms,
  toolCapability,
} from '../../../core/capability/author.ts';
import { define } from '../../../core/capability/define.ts';
import type { Effect, Held, Label } from '../../../core/capability/guard.ts';
import { refuse } from '../../../core/errors.ts';
import { canonicalize } from '../../../core/json/canonical.ts';
import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../core/json/value.ts';
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
import { type Outcome, pass, type Refusal, type Refused } from '../../../core/outcome.ts';
import { importSchema } from '../../../core/schema/import/import.ts';
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
  /** Which results are held: `true`, or those whose labels have this one. */
  readonly held?: ForFunction<Held>;
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
/** `held` of a source of tools. */
export const HELD_OPTION: OptionType = [
  'true, private, untrusted or a function',
  (value) => value === true || value === 'private' || value === 'untrusted' || CALLBACK[1](value),
];
const OPTIONS: OptionTypes = {
  prefix: PREFIX,
  effect: GIVEN,
  labels: GIVEN,
  held: HELD_OPTION,
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
  const held = valueFor(options.held, name);
  return {
    version,
    effect: effect ?? 'egress',
    ...(labels !== undefined && { labels }),
    ...(held !== undefined && { held }),
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

/** A declaration of a function in one form for all shapes. Its texts and schemas are a stranger's. */
interface FunctionDeclaration {
  readonly name: string;
  readonly description: string;
  /** Schema of the arguments, of any draft, with its pointer in the list. */
  readonly args: DeclaredSchema;
  readonly result?: DeclaredSchema;
}

interface DeclaredSchema {
  readonly schema: JsonValue;
  readonly at: string;
}

/** A declaration, or the reason why it cannot be taken, with its pointer in the list. */
interface ReadDeclaration {
  readonly at: string;
  /** Name as declared, where it could be read. */
  readonly name?: string;
  readonly read: Outcome<FunctionDeclaration>;
}

/** Places of a shape: the object with the members, and the members that hold its schemas. */
interface DeclarationForm {
  readonly at: string;
  readonly body: JsonObject;
  readonly args: string;
  readonly result?: string;
  /** Gemini's own schemas have types in upper case and counts as text. */
  readonly isGemini?: true;
}

const DESCRIPTION_MAX = 16_384;

/** An empty list of parameters, which some shapes leave out. */
const NO_PARAMETERS: JsonObject = { type: 'object', properties: {}, additionalProperties: false };

/** Reads a list of declarations. Each value is copied through its canonical text, so that it is read once. */
function readDeclarations(list: readonly unknown[]): readonly ReadDeclaration[] {
  return list.flatMap((value, nth) => {
    const at = pointerTo('', nth);
    const text = canonicalize(value);
    if (!text.ok) return [{ at, read: invalid(at, `a declaration must be JSON (${text.refusal.code})`) }];
    const given = JSON.parse(text.value) as JsonValue;
    const group = isObject(given) ? groupIn(given) : undefined;
    if (group === undefined) return [readOne(given, at)];
    const { name, each } = group;
    return each.map((one, index) => readOne(one, pointerTo(pointerTo(at, name), index)));
  });
}

/** Gemini lists its declarations within a tool. */
function groupIn(tool: JsonObject): { readonly name: string; readonly each: readonly JsonValue[] } | undefined {
  for (const name of ['functionDeclarations', 'function_declarations']) {
    const each = member(tool, name);
    if (Array.isArray(each)) return { name, each: each as readonly JsonValue[] };
  }
  return undefined;
}

function readOne(given: JsonValue, at: string): ReadDeclaration {
  const form = isObject(given) ? formOf(given, at) : undefined;
  if (form === undefined) return { at, read: invalid(at, 'this is no declaration of a function in a known shape') };
  const name = member(form.body, 'name');
  if (typeof name !== 'string' || name === '')
    return { at, read: invalid(pointerTo(form.at, 'name'), 'the name must be a text that is not empty') };
  return { at, name, read: declarationIn(form, name) };
}

/** The shape of a declaration. A tool that a server carries out itself has none. */
function formOf(given: JsonObject, at: string): DeclarationForm | undefined {
  const inner = member(given, 'function');
  const type = member(given, 'type');
  if (isObject(inner)) return { at: pointerTo(at, 'function'), body: inner, args: 'parameters' };
  if (type === 'function') return { at, body: given, args: 'parameters' };
  if (Object.hasOwn(given, 'input_schema')) return { at, body: given, args: 'input_schema' };
  if (Object.hasOwn(given, 'inputSchema')) return { at, body: given, args: 'inputSchema', result: 'outputSchema' };
  if (type !== undefined || !Object.hasOwn(given, 'name')) return undefined;
  if (Object.hasOwn(given, 'parametersJsonSchema') || Object.hasOwn(given, 'responseJsonSchema'))
    return { at, body: given, args: 'parametersJsonSchema', result: 'responseJsonSchema' };
  return { at, body: given, args: 'parameters', result: 'response', isGemini: true };
}

function declarationIn(form: DeclarationForm, name: string): Outcome<FunctionDeclaration> {
  const { at, body } = form;
  const description = member(body, 'description') ?? '';
  const place = pointerTo(at, 'description');
  if (typeof description !== 'string') return invalid(place, 'the description must be a string');
  if (description.length > DESCRIPTION_MAX)
    return invalid(place, `the description has ${description.length} characters, the limit is ${DESCRIPTION_MAX}`);
  const args = schemaIn(form, form.args) ?? { schema: NO_PARAMETERS, at };
  const result = form.result === undefined ? undefined : schemaIn(form, form.result);
  return pass({ name, description, args, ...(result && { result }) });
}

function schemaIn({ at, body, isGemini }: DeclarationForm, name: string): DeclaredSchema | undefined {
  const schema = member(body, name);
  if (schema === undefined || schema === null) return undefined;
  return { schema: isGemini ? fromGemini(schema) : schema, at: pointerTo(at, name) };
}

const COUNTS: ReadonlySet<string> = new Set(
  'minItems maxItems minLength maxLength minProperties maxProperties'.split(' '),
);

/** A schema in the words of JSON Schema: Gemini writes `STRING` for `string`, and counts as text. */
function fromGemini(schema: JsonValue): JsonValue {
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema) as [string, JsonValue][];
  const stated = members.filter(([name, value]) => name !== 'type' || value !== 'TYPE_UNSPECIFIED');
  return Object.fromEntries(stated.map(([name, value]) => [name, geminiMember(name, value)]));
}

function geminiMember(name: string, value: JsonValue): JsonValue {
  if (name === 'type' && typeof value === 'string') return value.toLowerCase();
  if (name === 'properties' && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([each, schema]) => [each, fromGemini(schema as JsonValue)]));
  if (name === 'items') return fromGemini(value);
  if (name === 'anyOf' && Array.isArray(value)) return value.map(fromGemini);
  return COUNTS.has(name) && typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

function invalid(pointer: string, reason: string): Refused {
  return refuse('definition_invalid', { reason }, { pointer });
}
