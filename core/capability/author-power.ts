import { refusalError } from '../sallyport-error.ts';
import type { Infer } from '../schema/infer.ts';
import type { SchemaSource } from '../schema/standard.ts';
import { plain } from './author.ts';
import { makePower, type PowerTerms } from './power.ts';

/** A power with the function that carries it out, in the embedding program. */
export interface PowerDefinition extends PowerTerms {
  /** Whatever it resolves to is held against `result`; what it throws reaches the guest as an error. */
  readonly run: (args: never, io: { readonly signal: AbortSignal }) => unknown;
}

type Authored<A extends SchemaSource, R extends SchemaSource> = Omit<PowerTerms, 'args' | 'result'> & {
  readonly args: A;
  readonly result?: R;
  readonly run: (args: Infer<A>, io: { readonly signal: AbortSignal }) => Infer<R> | Promise<Infer<R>>;
};

/**
 * A power that the embedding program provides: `run` is called there, with arguments that the schema has accepted, for
 * capabilities that declare the power's name, under a grant of the power's own. `signal` says that the answer is no longer
 * wanted; after `timeoutMs`, five minutes unless the terms say otherwise, it is not waited for. One with the effect
 * `write` or `egress` is recorded before it runs, and never runs twice for one call.
 * Throws `SallyportError`: `definition_invalid`, `schema_refused`, `schema_too_large`.
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
