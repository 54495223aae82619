import { refusalError } from '../sallyport-error.ts';
import type { Infer } from '../schema/infer.ts';
import type { SchemaSource } from '../schema/standard.ts';
import { plain } from './author.ts';
import { makePower, type PowerTerms } from './power.ts';

/** A power with the function that carries it out, in the embedding program. */
export interface PowerDefinition extends PowerTerms {
  /**
   * The resolved value is checked against `result`. A thrown `ToolError` reaches the guest as it is, another error as
   * `host_failed` without its words.
   */
  readonly run: (args: never, io: { readonly signal: AbortSignal }) => unknown;
}

type Authored<A extends SchemaSource, R extends SchemaSource> = Omit<PowerTerms, 'args' | 'result'> & {
  readonly args: A;
  readonly result?: R;
  readonly run: (args: Infer<A>, io: { readonly signal: AbortSignal }) => Infer<R> | Promise<Infer<R>>;
};

/**
 * A power that the embedding program provides: `run` is called there, with arguments that the schema has accepted, for
 * capabilities that declare the power's name, under a grant of the power's own. `signal` aborts when the answer is no
 * longer wanted. The call stops waiting after `timeoutMs`, by default five minutes. A power with the effect `write` or
 * `egress` is recorded before it runs, and never runs twice for the same call. Throws `SallyportError`:
 * `definition_invalid`, `schema_refused`, `schema_too_large`.
 *
 * @example definePower({ name: 'shop.stock', version: '1.0.0', description: 'Tells what is in stock.', effect: 'read',
 *   args: { type: 'object', … }, result: { type: 'number' }, run: async ({ item }) => stock.count(item) });
 */
export function definePower<const A extends SchemaSource, const R extends SchemaSource>(
  authored: Authored<A, R>,
): PowerDefinition {
  const { args, result, run, ...common } = { ...authored };
  const terms = {
    ...common,
    args: plain(args, '/args'),
    ...(result === undefined ? {} : { result: plain(result, '/result') }),
  };
  const made = makePower(terms);
  if (!made.ok) throw refusalError(made.refusal);
  return { ...terms, run };
}
