import type { Details, RefusalClass, Step } from './errors/details.ts';
import type { Code } from './errors.ts';

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
