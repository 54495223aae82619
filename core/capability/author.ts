import { refuse, type SCHEMA_CODES } from '../errors/schema.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { Outcome, Refused } from '../outcome.ts';
import { refusalError, SallyportError } from '../sallyport-error.ts';
import type { Infer } from '../schema/infer.ts';
import { lint } from '../schema/lint.ts';
import { type SchemaSource, toJsonSchema } from '../schema/standard.ts';
import { type CapabilityDefinition, define } from './define.ts';

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
 * `run` is taken as text and compiled in the sandbox: it sees its arguments and powers, and no variable around it.
 * Throws `SallyportError` with the member's pointer: `definition_invalid`, `schema_refused`, `schema_too_large`.
 */
export function defineCapability<const A extends SchemaSource, const R extends SchemaSource>(
  authored: Authored<A, R>,
): TypedDefinition<Infer<A>, Infer<R>> {
  const { args, result, source, run, ...common } = { ...authored };
  const schemas = { args: plain(args, '/args'), ...(result === undefined ? {} : { result: plain(result, '/result') }) };
  const definition: CapabilityDefinition = { ...common, ...schemas, source: source ?? moduleOf(run) };
  must(define(definition));
  return definition;
}

/** The linted plain JSON Schema of a schema source. `member` points to it in its definition. */
export function plain(source: SchemaSource | undefined, member: '/args' | '/result'): CapabilityDefinition['args'] {
  if (source === undefined) throw refusalError(missing(member).refusal);
  const schema = must(within(member, toJsonSchema(source)));
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
  const text = String(run);
  if (typeof run !== 'function' || text.includes('[native code]')) {
    throw new SallyportError('definition_invalid', 'run must be a function with source text, not native or bound.', {});
  }
  const expression = /^(?:async\b\s*)?(?:function\b|\(|[\w$]+\s*=>)/.test(text);
  return expression ? `export default (${text});\n` : `const { run } = { ${text} };\nexport default run;\n`;
}

function must<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw refusalError(outcome.refusal);
}
