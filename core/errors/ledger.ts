import type { CodeTable } from '../errors.ts';
import { type Refuse, refuser } from './refuse.ts';

/** What can be wrong with a record, an export of records, or a checkpoint. */
export type LedgerCode =
  | 'receipt_incomplete'
  | 'record_malformed'
  | 'export_malformed'
  | 'body_altered'
  | 'record_altered'
  | 'payload_altered'
  | 'payload_unnamed'
  | 'chain_broken'
  | 'end_disagrees'
  | 'anchor_disagrees'
  | 'checkpoint_malformed';

export const LEDGER_CODES: CodeTable<LedgerCode> = {
  receipt_incomplete: {
    class: 'storage',
    what: (d) => `Not a complete receipt: ${d.what}`,
    todo: 'Nothing is appended without one.',
  },
  record_malformed: {
    class: 'storage',
    severity: 'CRITICAL',
    what: (d) => `Not a record: ${d.what}`,
    todo: 'The file was altered or damaged.',
  },
  export_malformed: {
    class: 'storage',
    what: (d) => `Not a whole export: ${d.what}`,
    todo: 'The file was altered, damaged or cut.',
  },
  body_altered: {
    class: 'storage',
    severity: 'CRITICAL',
    what: () => 'The body does not match its hash',
    todo: 'The record was altered.',
  },
  record_altered: {
    class: 'storage',
    severity: 'CRITICAL',
    what: () => 'The record does not match its hash',
    todo: 'The record was altered.',
  },
  payload_altered: {
    class: 'storage',
    severity: 'CRITICAL',
    what: (d) => `The payload does not match its hash ${d.sha256}`,
    todo: 'The payload was altered.',
  },
  payload_unnamed: {
    class: 'storage',
    severity: 'CRITICAL',
    what: (d) => `No record names the payload ${d.sha256}`,
    todo: 'It was added to the file.',
  },
  chain_broken: {
    class: 'storage',
    severity: 'CRITICAL',
    what: (d) => `The chain is broken: ${d.what}`,
    todo: 'Records were removed, added or moved.',
  },
  end_disagrees: {
    class: 'storage',
    severity: 'CRITICAL',
    what: (d) => `The end line disagrees: ${d.what}`,
    todo: 'Records were removed or added at the end.',
  },
  anchor_disagrees: {
    class: 'storage',
    severity: 'CRITICAL',
    what: (d) => `Not the ledger the anchor was taken from: ${d.what}`,
    todo: 'Trust the anchor, not this file.',
  },
  checkpoint_malformed: {
    class: 'storage',
    what: (d) => `Not a checkpoint: ${d.what}`,
    todo: 'Use the text as it was exported.',
  },
};

export const refuse: Refuse<LedgerCode> = /* @__PURE__ */ refuser(LEDGER_CODES);
