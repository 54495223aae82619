import type { CodeTable } from './details.ts';
import { over, type Refuse, refuser } from './refuse.ts';

/** Codes for faults of bytes or values, before their meaning is considered. */
export type JsonCode =
  | 'limit_size'
  | 'utf8'
  | 'bom'
  | 'limit_depth'
  | 'limit_nodes'
  | 'json_syntax'
  | 'duplicate_member'
  | 'lone_surrogate'
  | 'number_precision'
  | 'not_json';

export const JSON_CODES: CodeTable<JsonCode> = {
  limit_size: { class: 'malformed_structure', what: over('Too long', 'bytes'), todo: 'Send less.' },
  utf8: {
    class: 'invalid_json',
    what: (d) => `Not UTF-8: byte ${d.offset} is invalid`,
    todo: 'Encode the text as UTF-8.',
  },
  bom: { class: 'invalid_json', what: () => 'Starts with a byte order mark', todo: 'Send the JSON text without it.' },
  limit_depth: { class: 'malformed_structure', what: over('Nested too deeply', 'levels'), todo: 'Flatten the value.' },
  limit_nodes: { class: 'malformed_structure', what: over('Too many values', 'values'), todo: 'Send fewer values.' },
  json_syntax: {
    class: 'invalid_json',
    what: (d) => `Not JSON: line ${d.line}, column ${d.column}, found ${d.found}`,
    todo: 'Send exactly one JSON object and nothing else.',
  },
  duplicate_member: {
    class: 'protocol_ambiguity',
    what: (d) => `Ambiguous: member ${JSON.stringify(d.name)} appears twice`,
    todo: 'Remove one.',
  },
  lone_surrogate: {
    class: 'invalid_json',
    what: () => 'A string holds half of a surrogate pair',
    todo: 'Send well-formed Unicode.',
  },
  number_precision: {
    class: 'invalid_arguments',
    what: (d) => `No double holds the number ${d.literal}`,
    todo: 'Send it as a string.',
  },
  not_json: {
    class: 'malformed_structure',
    what: (d) => `JSON has no word for ${d.got}`,
    todo: 'Send null, booleans, finite numbers, strings, arrays and plain objects.',
  },
};

export const refuse: Refuse<JsonCode> = /* @__PURE__ */ refuser(JSON_CODES);
