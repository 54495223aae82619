import type { CodeRow, CodeTable } from './details.ts';
import { type Refuse, refuser } from './refuse.ts';

/** Codes for faults of a record, an export of records, or a checkpoint. */
export type LedgerCode =
  | 'receipt_incomplete'
  | 'record_malformed'
  | 'export_malformed'
  | 'body_altered'
  | 'record_altered'
  | 'payload_altered'
  | 'payload_unnamed'
  | 'payload_beginning'
  | 'chain_broken'
  | 'end_disagrees'
  | 'anchor_disagrees'
  | 'anchor_malformed'
  | 'export_cut'
  | 'export_absent'
  | 'checkpoint_malformed'
  | 'behaviour_other';

function row<D>(what: (details: D) => string, todo: string): CodeRow<D> {
  return { class: 'storage', what, todo };
}

/** Why, in a few words of ours. */
function because(name: string): (details: { readonly what: string }) => string {
  return ({ what }) => `${name}: ${what}`;
}

export const LEDGER_CODES: CodeTable<LedgerCode> = {
  receipt_incomplete: row(because('Not a complete receipt'), 'Append a complete one; nothing is appended without.'),
  record_malformed: row(because('Not a record'), 'The file was altered or damaged.'),
  export_malformed: row(because('Not a whole export'), 'The file was altered, damaged or cut.'),
  body_altered: row(() => 'The body does not match its hash', 'The record was altered.'),
  record_altered: row(() => 'The record does not match its hash', 'The record was altered.'),
  payload_altered: row((d) => `The payload does not match its hash ${d.sha256}`, 'The payload was altered.'),
  payload_unnamed: row((d) => `No record names the payload ${d.sha256}`, 'It was added to the file.'),
  payload_beginning: row(
    (d) => `Only the first ${d.limit} of ${d.used} bytes were kept, and the hash is over all of them`,
    'What is shown of them is taken as recorded.',
  ),
  chain_broken: row(because('The chain is broken'), 'Records were removed, added or moved.'),
  end_disagrees: row(because('The end line disagrees'), 'Records were removed or added at the end.'),
  anchor_disagrees: row(because('Not the ledger the anchor was taken from'), 'Trust the anchor, not this file.'),
  anchor_malformed: row(
    (d) => `The anchor cannot be read: ${d.what}`,
    'Copy COUNT:HEAD, or the text of a checkpoint, once more; nothing was compared.',
  ),
  export_cut: row(
    (d) =>
      `The file stops behind ${d.records === 0 ? 'its header' : `record ${d.records - 1}`}, and its end is missing`,
    'Ask for the whole file, or export it once more.',
  ),
  export_absent: row(
    () => 'This file is no export of a run',
    'Open what Export saved: JSONL, or a page that holds it.',
  ),
  checkpoint_malformed: row(because('Not a checkpoint'), 'Use the text as it was exported.'),
  behaviour_other: row(
    (d) => `Recorded under behaviour ${d.recorded}, and this build has behaviour ${d.current}`,
    'Decide it again, or go on with it, in a build that has the behaviour of the run; here it can be exported, and its hashes checked.',
  ),
};

export const refuse: Refuse<LedgerCode> = /* @__PURE__ */ refuser(LEDGER_CODES);
