import type { DetailsIn, Exceeded } from './details.ts';
import { over, type Refuse, refuser } from './refuse.ts';

/** Codes for faults of bytes or values, before their meaning is considered. Precedence as in `json/decode.ts`. */
export const DECODE_CODES = {
  limit_size: {
    class: 'malformed_structure',
    what: (d: Exceeded): string => over('Too long', 'bytes', d),
    todo: 'Send less.',
  },
  utf8: {
    class: 'invalid_json',
    what: (d: { readonly offset: number }): string => `Not UTF-8: byte ${d.offset} is invalid`,
    todo: 'Encode the text as UTF-8.',
  },
  bom: {
    class: 'invalid_json',
    what: (): string => 'Starts with a byte order mark',
    todo: 'Send the JSON text without it.',
  },
  limit_depth: {
    class: 'malformed_structure',
    what: (d: Exceeded): string => over('Nested too deeply', 'levels', d),
    todo: 'Flatten the value.',
  },
  limit_nodes: {
    class: 'malformed_structure',
    what: (d: Exceeded): string => over('Too many values', 'values', d),
    todo: 'Send fewer values.',
  },
  json_syntax: {
    class: 'invalid_json',
    what: (d: {
      readonly offset: number;
      readonly line: number;
      readonly column: number;
      readonly found: string;
    }): string => `Not JSON: line ${d.line}, column ${d.column}, found ${d.found}`,
    todo: 'Send exactly one JSON object and nothing else.',
  },
  duplicate_member: {
    class: 'protocol_ambiguity',
    what: (d: { readonly name: string }): string => `Ambiguous: member ${JSON.stringify(d.name)} appears twice`,
    todo: 'Remove one.',
  },
  lone_surrogate: {
    class: 'invalid_json',
    what: (): string => 'A string holds half of a surrogate pair',
    todo: 'Send well-formed Unicode.',
  },
  number_precision: {
    class: 'invalid_arguments',
    what: (d: { readonly literal: string }): string => `No double holds the number ${d.literal}`,
    todo: 'Send it as a string.',
  },
  not_json: {
    class: 'malformed_structure',
    what: (d: { readonly got: string }): string => `JSON has no word for ${d.got}`,
    todo: 'Send null, booleans, finite numbers, strings, arrays and plain objects.',
  },
} as const;

export const refuse: Refuse<DetailsIn<typeof DECODE_CODES>> = /* @__PURE__ */ refuser(DECODE_CODES);
