import type { SchemaIssue } from '../errors/details.ts';
import { refuse, type SCHEMA_CODES } from '../errors/schema.ts';
import { structureHash } from '../hash.ts';
import { canonicalize, canonicalText } from '../json/canonical.ts';
import { isObject, type JsonObject, type JsonValue, pointerTo } from '../json/value.ts';
import { CALLBACK, demand, type OptionType } from '../option.ts';
import type { Outcome, Refused } from '../outcome.ts';
import { refusalError, SallyportError, unwrap } from '../sallyport-error.ts';
import type { Infer } from '../schema/infer.ts';
import { lint } from '../schema/lint.ts';
import {
  type SchemaSource,
  toJsonSchema,
  type Validate,
  type ValidationIssue,
  validateOf,
} from '../schema/standard.ts';
import { SchemaCheckError } from '../tool-error.ts';
import type { CapabilityManifest } from './capability.ts';
import { type CapabilityDefinition, define } from './define.ts';
import type { Label } from './guard.ts';
import { makePower, type PowerTerms } from './power.ts';
import type { RevertedCall } from './revert.ts';

/** Powers that guest code may call. Present are the powers that the definition names and a grant covers. */
export interface Powers {
  clock(): Promise<number>;
  random(): Promise<number>;
  log(text: string): Promise<void>;
  readonly store: { get(key: string): Promise<JsonValue>; put(key: string, value: JsonValue): Promise<void> };
  readonly sections: {
    expand(ref: string, slice: string): Promise<string>;
    search(
      query: string,
      most: number,
    ): Promise<{ readonly sections: readonly JsonObject[]; readonly matches: number }>;
  };
  /** Tools that the definition names. Each call passes the gate of its tool. */
  readonly tools: { call(name: string, args: JsonValue): Promise<JsonValue> };
  /** Powers that the embedding page provides. */
  readonly [name: string]: unknown;
}

type Guest<A, R> = (args: A, powers: Powers) => R | Promise<R>;

/** A definition that carries the types of its arguments and result for its author's compiler. */
export interface TypedDefinition<A, R> extends CapabilityDefinition {
  readonly '~types'?: { readonly args: A; readonly result: R };
}

type Common = Omit<CapabilityDefinition, 'args' | 'result' | 'source'>;

/** `source` is the text of an ES module; `run` is a function whose text becomes a module. */
export type Authored<A extends SchemaSource, R extends SchemaSource> = Common & {
  readonly args: A;
  readonly result?: R;
} & (
    | { readonly source: string; readonly run?: never }
    | { readonly run: Guest<Infer<A>, Infer<R>>; readonly source?: never }
  );

/**
 * Checks a definition when it is written instead of when it is registered, and infers its types from its schemas. A
 * `run` is taken as text and compiled in the sandbox: it sees its arguments and powers, and no variable around it. Of a
 * library's schema only its JSON Schema counts: a schema of zod, arktype, Effect or TypeBox that shows a check or a
 * transformation that JSON Schema does not carry, for example `refine`, is refused.
 * Throws `SallyportError` with the member's pointer: `definition_invalid`, `schema_refused`, `schema_too_large`.
 */
export function defineCapability<const A extends SchemaSource, const R extends SchemaSource>(
  authored: Authored<A, R>,
): TypedDefinition<Infer<A>, Infer<R>> {
  const { args, result, source, run, ...common } = { ...authored };
  if (source !== undefined && run !== undefined)
    throw new SallyportError('definition_invalid', 'A definition has either source or run, not both. Keep one.', {});
  const schemas = { args: plain(args, '/args'), ...(result === undefined ? {} : { result: plain(result, '/result') }) };
  const definition: CapabilityDefinition = { ...common, ...schemas, source: source ?? moduleOf(run) };
  must(define(definition));
  return definition;
}

/** The linted plain JSON Schema of a schema source. `member` points to it in its definition. */
function plain(
  source: SchemaSource | undefined,
  member: '/args' | '/result',
  isValidated = false,
): CapabilityDefinition['args'] {
  if (source === undefined) throw refusalError(missing(member).refusal);
  const schema = must(within(member, toJsonSchema(source, isValidated)));
  must(within(member, lint(schema)));
  return schema;
}

/** A definition without arguments has a schema that lists none. */
function missing(member: '/args' | '/result'): Refused {
  const reason = `${member.slice(1)} is missing: write a JSON Schema, for no arguments { type: 'object', properties: {}, additionalProperties: false }`;
  return refuse('schema_refused', { rule: 'not_schema', reason }, { pointer: member });
}

/** A schema does not know which member it is: its definition does. */
function within<T>(member: string, outcome: Outcome<T>): Outcome<T> {
  if (outcome.ok) return outcome;
  const { code, details, pointer = '' } = outcome.refusal;
  return refuse(code as keyof typeof SCHEMA_CODES, details as never, { pointer: `${member}${pointer}` });
}

/** A method's text is not an expression; inside an object literal it becomes part of an expression. */
function moduleOf(run: unknown): string {
  if (typeof run !== 'function') {
    const message = 'A definition needs a run, which is a function, or a source, which is the text of a module.';
    throw new SallyportError('definition_invalid', message, {});
  }
  const text = String(run);
  if (text.includes('[native code]')) {
    const message = 'run has no source text, because it is native or bound. Write it out: ({ a }) => Math.abs(a).';
    throw new SallyportError('definition_invalid', message, {});
  }
  const expression = /^(?:async\b\s*)?(?:function\b|\(|[\w$]+\s*=>)/.test(text);
  return expression ? `export default (${text});\n` : `const { run } = { ${text} };\nexport default run;\n`;
}

function must<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw refusalError(outcome.refusal);
}

/** A description of a tool; labels that are left out follow from its effect. */
export interface ToolTerms
  extends Pick<
    CapabilityManifest,
    'name' | 'version' | 'description' | 'args' | 'result' | 'effect' | 'labels' | 'held' | 'echoes'
  > {
  /**
   * Place that the arguments go to, for example `mcp:https://api.example`. It is part of the hash, and a question about
   * a call shows it.
   */
  readonly origin?: string;
  /**
   * SHA-256 in hex of the definition that a person has declared the `effect` of, as its source gives it. It is part of
   * the hash, a question about a call says it, and each receipt of a call has it.
   */
  readonly declared?: string;
  /** ms; default five minutes. A call that takes longer ends with `deadline_exceeded`, and its answer is ignored. */
  readonly timeoutMs?: number;
}

/** What a tool is told beside its arguments. */
export interface ToolContext {
  /** Aborts when the answer is not wanted any more. */
  readonly signal: AbortSignal;
  /** The step of the call in the ledger. */
  readonly step_id: string;
  /** Number of the call within its step, for a call by guest code, for example by a program: they share the step. */
  readonly ticket?: number;
  /**
   * Has the receipt of the call name facts beside its value: the whole `answer` that the value was taken from, which is
   * kept up to 12 MiB, and the code of the reason why the request was sent again (`repeated`). `labels` that the answer
   * itself has join those of the definition; they take none away. Of the same fact the last
   * counts. Absent for a call by guest code. Throws where the answer is no JSON.
   */
  readonly record?: (facts: {
    readonly answer?: JsonValue;
    readonly repeated?: string;
    readonly labels?: readonly Label[];
  }) => void;
}

/** A tool with the function that carries it out, in the embedding program. */
export interface ToolDefinition extends ToolTerms {
  /**
   * The resolved value is checked against `result`. A thrown `ToolError` is the answer of the call; another error ends it
   * with `host_failed`, and its words stay with the program.
   */
  readonly run: (args: never, io: ToolContext) => unknown;
  /**
   * Takes back a call that `run` has answered. That the tool has one is part of its hash. `runtime.undo` calls it, under a
   * grant of its own; a model is not told of it and cannot call it. It ends as `run` does, and what it returns is recorded.
   */
  readonly revert?: Revert;
}

/** A function that takes calls back; of one that follows data, for example a configuration, `terms` are part of the hash. */
export type Revert<D = never> =
  | ((done: D, io: ToolContext) => unknown)
  | { readonly terms: JsonObject; readonly run: (done: D, io: ToolContext) => unknown };

type AuthoredTool<A extends SchemaSource, R extends SchemaSource> = Omit<ToolTerms, 'args' | 'result'> & {
  readonly args: A;
  readonly result?: R;
  readonly run: (args: Infer<A>, io: ToolContext) => Infer<R> | Promise<Infer<R>>;
  readonly revert?: Revert<RevertedCall<Infer<A>, Infer<R>>>;
};

/**
 * A tool that the embedding program carries out: `run` is called there, with arguments that the schema has accepted,
 * under a grant that names the tool as a capability. The run records its intent before `run` is called and its answer
 * after, and calls it once: a call that a crash has cut off is closed, and not repeated. A replay takes the recorded
 * answer. Where `args` or `result` is a Standard Schema, for example of zod, its own check runs in the program besides:
 * that of `args` before `run`, after authorization and approval, with `args_refused` for its issues; `run` gets the
 * arguments that were approved, and a schema that changes them ends the call with `args_transformed`. Throws
 * `SallyportError`: `definition_invalid`, `schema_refused`, `schema_too_large`.
 *
 * @example defineTool({ name: 'shop.stock', version: '1.0.0', description: 'Tells what is in stock.', effect: 'read',
 *   args: { type: 'object', … }, result: { type: 'number' }, run: async ({ item }) => stock.count(item) });
 */
export function defineTool<const A extends SchemaSource, const R extends SchemaSource>(
  authored: AuthoredTool<A, R>,
): ToolDefinition {
  const { revert, ...others } = { ...authored };
  const { terms, run } = hostTerms(others as AuthoredTool<A, R>);
  const made = define(toolCapability(terms, revert));
  if (!made.ok) throw refusalError(made.refusal);
  return { ...terms, run, ...(revert !== undefined && { revert }) };
}

/** The terms of a tool or power with plain schemas, and its function behind the checks that its schemas have of their own. */
function hostTerms<
  T extends {
    readonly name: string;
    readonly args: SchemaSource;
    readonly result?: SchemaSource;
    readonly run: (args: never, io: never) => unknown;
  },
>(
  authored: T,
): {
  readonly terms: Omit<T, 'args' | 'result' | 'run'> & Pick<CapabilityManifest, 'args' | 'result'>;
  readonly run: T['run'];
} {
  const { args, result, run, ...common } = { ...authored };
  // a function under another name is told by that name
  if (!Object.values(common).some((value) => typeof value === 'function')) demand('run', run, CALLBACK);
  const checks = { args: validateOf(args), result: validateOf(result) };
  const terms = {
    ...common,
    args: plain(args, '/args', checks.args !== undefined),
    ...(result === undefined ? {} : { result: plain(result, '/result', checks.result !== undefined) }),
  };
  const isChecked = typeof run === 'function' && (checks.args ?? checks.result) !== undefined;
  return { terms, run: isChecked ? checked(run, checks) : run };
}

/**
 * The function behind its schemas' own checks, which get a copy and whose output is thrown away: `run` gets the arguments
 * that were approved. Throws `SchemaCheckError` for issues, and where the schema would change the arguments.
 */
function checked<R extends (args: never, io: never) => unknown>(
  run: R,
  checks: { readonly args: Validate | undefined; readonly result: Validate | undefined },
): R {
  const behind = async (args: never, io: never): Promise<unknown> => {
    if (checks.args !== undefined) {
      const { issues, value } = read(await checks.args(copyOf(args)));
      if (issues !== undefined) throw new SchemaCheckError('args', issues);
      const output = canonicalize(value);
      if (!output.ok || output.value !== canonicalText(args)) throw new SchemaCheckError('transformed', []);
    }
    const answer = await run(args, io);
    if (checks.result === undefined) return answer;
    const { issues } = read(await checks.result(copyOf(answer ?? null)));
    if (issues !== undefined) throw new SchemaCheckError('result', issues);
    return answer;
  };
  return behind as unknown as R;
}

/** A value that is not JSON is checked as it is; the runtime refuses it afterwards. */
function copyOf(value: unknown): unknown {
  const text = canonicalize(value);
  return text.ok ? JSON.parse(text.value) : value;
}

function read(answer: Awaited<ReturnType<Validate>>): { readonly issues?: SchemaIssue[]; readonly value?: unknown } {
  if (answer.issues === undefined) return { value: answer.value };
  const issues = answer.issues.length === 0 ? [{ message: 'refused without a reason' }] : answer.issues;
  return { issues: issues.slice(0, ISSUES_MAX).map(issueOf) };
}

/** Issues of a call that are recorded. */
const ISSUES_MAX = 8;

function issueOf({ message, path = [] }: ValidationIssue): SchemaIssue {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
  const pointer = keys.reduce<string>((at, key) => pointerTo(at, typeof key === 'number' ? key : String(key)), '');
  return { pointer: pointer.slice(0, 256), keyword: 'validate', message: String(message).slice(0, 256).toWellFormed() };
}

/** The definition of a tool as that of a capability that the program carries out, and can take back. */
export function toolCapability(
  { origin, declared, timeoutMs, ...shared }: ToolTerms,
  revert?: ToolDefinition['revert'],
): CapabilityDefinition {
  const canRevert = revert !== undefined && revertTerm(revert);
  return {
    ...shared,
    source: '',
    host: {
      ...(origin === undefined ? {} : { origin }),
      ...(declared === undefined ? {} : { declared }),
      ...(canRevert !== false && { revert: canRevert }),
    },
    ...(timeoutMs === undefined ? {} : { limits: { deadlineMs: timeoutMs } }),
  };
}

export function revertFunction<D>(revert: Revert<D> | undefined): ((done: D, io: ToolContext) => unknown) | undefined {
  return typeof revert === 'object' ? revert.run : revert;
}

function revertTerm(revert: Revert): true | string {
  demand('revert', revert, REVERT);
  return typeof revert === 'function' ? true : structureHash('revert', unwrap(canonicalize(revert.terms)));
}

const REVERT: OptionType = [
  'a function, or {terms, run} with data and a function',
  (value) => CALLBACK[1](value) || (isObject(value) && isObject(value['terms']) && CALLBACK[1](value['run'])),
];

/** A power with the function that carries it out, in the embedding program. */
export interface PowerDefinition extends PowerTerms {
  /**
   * The resolved value is checked against `result`. A thrown `ToolError` reaches the guest as it is, another error as
   * `host_failed` without its words.
   */
  readonly run: (args: never, io: { readonly signal: AbortSignal }) => unknown;
}

type AuthoredPower<A extends SchemaSource, R extends SchemaSource> = Omit<PowerTerms, 'args' | 'result'> & {
  readonly args: A;
  readonly result?: R;
  readonly run: (args: Infer<A>, io: { readonly signal: AbortSignal }) => Infer<R> | Promise<Infer<R>>;
};

/**
 * A power that the embedding program provides: `run` is called there, with arguments that the schema has accepted, for
 * capabilities that declare the power's name, under a grant of the power's own. `signal` aborts when the answer is no
 * longer wanted. The call stops waiting after `timeoutMs`, by default five minutes. A power with the effect `write` or
 * `egress` is recorded before it runs, and never runs twice for the same call. A Standard Schema checks as in a tool.
 * Throws `SallyportError`:
 * `definition_invalid`, `schema_refused`, `schema_too_large`.
 *
 * @example definePower({ name: 'shop.stock', version: '1.0.0', description: 'Tells what is in stock.', effect: 'read',
 *   args: { type: 'object', … }, result: { type: 'number' }, run: async ({ item }) => stock.count(item) });
 */
export function definePower<const A extends SchemaSource, const R extends SchemaSource>(
  authored: AuthoredPower<A, R>,
): PowerDefinition {
  const { terms, run } = hostTerms(authored);
  const made = makePower(terms);
  if (!made.ok) throw refusalError(made.refusal);
  return { ...terms, run };
}
