import type { Code, Details, RefusalClass } from './errors/details.ts';

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

/** An expected "no": a value from the table in `errors.ts`, never an exception. */
export interface Refusal {
  readonly class: RefusalClass;
  readonly code: Code;
  readonly step?: Step;
  /** RFC 6901 pointer into the value that was refused. */
  readonly pointer?: string;
  /** Message for a person: the event, its location, and advice. */
  readonly message: string;
  readonly details: Details;
}

export type Accepted<T> = { readonly ok: true; readonly value: T };
export type Refused = { readonly ok: false; readonly refusal: Refusal };
export type Outcome<T> = Accepted<T> | Refused;

export function pass<T>(value: T): Accepted<T> {
  return { ok: true, value };
}
