import type { DetailsIn, Exceeded } from './details.ts';
import { membersOf, over, type Refuse, refuser } from './refuse.ts';

/** Codes for a JSON value that is no proposal of the run’s dialect. */
export const PROTOCOL_CODES = {
  not_object: {
    class: 'malformed_structure',
    what: (d: { readonly got: string }): string => `Got ${d.got}, not an object`,
    todo: 'Send one JSON object.',
  },
  form_none: {
    class: 'malformed_structure',
    what: (d: { readonly got: readonly string[]; readonly expected: readonly string[] }): string =>
      `Valid JSON, but not a proposal: the top level has ${membersOf(d.got)} instead of ${d.expected.join(' or ')}`,
    todo: 'Send one of these forms.',
  },
  form_both: {
    class: 'protocol_ambiguity',
    what: (d: { readonly got: readonly string[] }): string =>
      `Two answers at once: the top level has ${membersOf(d.got)}`,
    todo: 'Send exactly one.',
  },
  missing_member: {
    class: 'malformed_structure',
    what: (d: { readonly name: string }): string => `Member ${JSON.stringify(d.name)} is missing`,
    todo: 'Add it; nothing is filled in.',
  },
  unknown_member: {
    class: 'malformed_structure',
    what: (d: { readonly name: string }): string => `Unknown member ${JSON.stringify(d.name)}`,
    todo: 'Remove it.',
  },
  wrong_type: {
    class: 'malformed_structure',
    what: (d: { readonly expected: string; readonly got: string }): string => `Got ${d.got}, needs ${d.expected}`,
    todo: 'Send the right type; nothing is converted.',
  },
  intent_empty: {
    class: 'malformed_structure',
    what: (): string => 'The intent says nothing',
    todo: 'Say what the work is for.',
  },
  symbol_syntax: {
    class: 'malformed_structure',
    what: (d: { readonly symbol: string }): string => `${JSON.stringify(d.symbol)} is not a symbol`,
    todo: 'Write @NAMESPACE/NAME with A-Z a-z 0-9 . _ - only.',
  },
  operation_unknown: {
    class: 'malformed_structure',
    what: (d: { readonly type: string }): string => `No operation ${JSON.stringify(d.type)}`,
    todo: 'Use READ, WRITE or EXECUTE.',
  },
  limit_operations: {
    class: 'malformed_structure',
    what: (d: Exceeded): string => over('Too many operations', 'operations', d),
    todo: 'Send them in several messages.',
  },
  target_undeclared: {
    class: 'malformed_structure',
    what: (d: { readonly symbol: string }): string => `${d.symbol} is not among the refs`,
    todo: 'List every target in refs.',
  },
  output_name: {
    class: 'malformed_structure',
    what: (d: { readonly name: string }): string => `${JSON.stringify(d.name)} cannot name an output`,
    todo: 'Use 1 to 64 of the characters A-Z a-z 0-9 . _ and -.',
  },
  output_twice: {
    class: 'malformed_structure',
    what: (d: { readonly name: string }): string => `The output ${d.name} is named twice`,
    todo: 'Name each output once.',
  },
} as const;

interface ProtocolDetails extends DetailsIn<typeof PROTOCOL_CODES> {}

export const refuse: Refuse<ProtocolDetails> = /* @__PURE__ */ refuser(PROTOCOL_CODES);
