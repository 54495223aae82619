/**
 * A kind of record without its form does not compile. Nothing here runs: each line that must not compile says so, and
 * the type checker complains when it does.
 */
import { isCount } from '../../../core/json/value.ts';
import { type Forms, isText, oneOf } from '../../../core/ledger/form.ts';

interface Kinds {
  plain: { readonly count: number };
  eventful: { readonly event: 'a'; readonly count: number } | { readonly event: 'b'; readonly text: string };
}

const plain = { count: isCount };
const a = { event: oneOf('a'), count: isCount };
const b = { event: oneOf('b'), text: isText };

/** The only complete table. */
export const complete: Forms<Kinds> = { plain, eventful: { byEvent: { a, b } } };

export const incomplete: readonly Forms<Kinds>[] = [
  // @ts-expect-error a kind has no form
  { plain },
  // @ts-expect-error a member has no test
  { plain: {}, eventful: { byEvent: { a, b } } },
  // @ts-expect-error an event has no form
  { plain, eventful: { byEvent: { a } } },
  // @ts-expect-error a single form covers two events
  { plain, eventful: { ...a, ...b } },
];
