import type { JsonValue } from '../json/value.ts';

/** FemtoClaw Protocol 12 names the first five classes; the remaining classes are for faults after validation. */
export type RefusalClass =
  | 'invalid_json'
  | 'malformed_structure'
  | 'protocol_ambiguity'
  | 'unknown_capability'
  | 'invalid_arguments'
  | 'authorization'
  | 'budget'
  | 'resolution'
  | 'execution'
  | 'output'
  | 'storage'
  | 'run'
  | 'definition';

/** The gate at which a proposal stopped. The first five are FemtoClaw Protocol 10, steps 1 to 5. */
export type Step =
  | 'parse'
  | 'structure'
  | 'form'
  | 'capability'
  | 'arguments'
  | 'authorize'
  | 'approve'
  | 'charge'
  | 'execute'
  | 'record';

export type Details = { readonly [name: string]: JsonValue };

export type Exceeded = { readonly limit: number; readonly used: number };

/** The first exceeded budget, and in `breaches` every exceeded budget with the first included. */
export type Breach = Exceeded & { readonly breaches: readonly (Exceeded & { readonly code: string })[] };

/** Details of a code that promises none. */
type None = { readonly [name: string]: never };

/** The guest's own error: text of a stranger, cut to size. */
export type GuestError = {
  readonly name: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
};

/** An issue of a JSON Schema validator: its place, its keyword and the expectation. */
export type SchemaIssue = { readonly pointer: string; readonly keyword: string; readonly message: string };

export interface CodeRow<D> {
  readonly class: RefusalClass;
  /** The event as a single clause without a full stop. */
  readonly what: (details: D) => string;
  /** Advice as a single sentence, the same for every reader. */
  readonly todo: string;
}

export type CodeRows = { readonly [code: string]: CodeRow<never> };

/** The details that each code of a table promises: the parameter of its `what`. */
export type DetailsIn<T extends CodeRows> = {
  readonly [C in keyof T]: Parameters<T[C]['what']> extends [infer D] ? D : None;
};
