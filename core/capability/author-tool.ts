import { refusalError } from '../sallyport-error.ts';
import type { Infer } from '../schema/infer.ts';
import type { SchemaSource } from '../schema/standard.ts';
import { plain } from './author.ts';
import type { CapabilityManifest } from './capability.ts';
import { type CapabilityDefinition, define } from './define.ts';

/** A description of a tool; labels that are left out follow from its effect. */
export interface ToolTerms
  extends Pick<CapabilityManifest, 'name' | 'version' | 'description' | 'args' | 'result' | 'effect' | 'labels'> {
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
}

/** A tool with the function that carries it out, in the embedding program. */
export interface ToolDefinition extends ToolTerms {
  /**
   * The resolved value is checked against `result`. A thrown `ToolError` is the answer of the call; another error ends it
   * with `host_failed`, and its words stay with the program.
   */
  readonly run: (args: never, io: ToolContext) => unknown;
}

type Authored<A extends SchemaSource, R extends SchemaSource> = Omit<ToolTerms, 'args' | 'result'> & {
  readonly args: A;
  readonly result?: R;
  readonly run: (args: Infer<A>, io: ToolContext) => Infer<R> | Promise<Infer<R>>;
};

/**
 * A tool that the embedding program carries out: `run` is called there, with arguments that the schema has accepted,
 * under a grant that names the tool as a capability. The run records its intent before `run` is called and its answer
 * after, and calls it once: a call that a crash has cut off is closed, and not repeated. A replay takes the recorded
 * answer. Throws `SallyportError`: `definition_invalid`, `schema_refused`, `schema_too_large`.
 *
 * @example defineTool({ name: 'shop.stock', version: '1.0.0', description: 'Tells what is in stock.', effect: 'read',
 *   args: { type: 'object', … }, result: { type: 'number' }, run: async ({ item }) => stock.count(item) });
 */
export function defineTool<const A extends SchemaSource, const R extends SchemaSource>(
  authored: Authored<A, R>,
): ToolDefinition {
  const { args, result, run, ...common } = { ...authored };
  const terms = {
    ...common,
    args: plain(args, '/args'),
    ...(result === undefined ? {} : { result: plain(result, '/result') }),
  };
  const made = define(toolCapability(terms));
  if (!made.ok) throw refusalError(made.refusal);
  return { ...terms, run };
}

/** The definition of a tool as that of a capability that the program carries out. */
export function toolCapability({ origin, declared, timeoutMs, ...shared }: ToolTerms): CapabilityDefinition {
  return {
    ...shared,
    source: '',
    host: { ...(origin === undefined ? {} : { origin }), ...(declared === undefined ? {} : { declared }) },
    ...(timeoutMs === undefined ? {} : { limits: { deadlineMs: timeoutMs } }),
  };
}
