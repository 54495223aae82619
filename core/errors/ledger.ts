import type { DetailsIn, Exceeded } from './details.ts';
import { type Refuse, refuser } from './refuse.ts';

/** Codes for faults of a record, an export of records, or a checkpoint. */
export const LEDGER_CODES = {
  receipt_incomplete: {
    class: 'storage',
    what: (d: { readonly what: string }): string => `Not a complete receipt: ${d.what}`,
    todo: 'Append a complete one; nothing is appended without.',
  },
  record_malformed: {
    class: 'storage',
    what: (d: { readonly what: string }): string => `Not a record: ${d.what}`,
    todo: 'The file was altered or damaged.',
  },
  export_malformed: {
    class: 'storage',
    what: (d: { readonly what: string }): string => `Not a whole export: ${d.what}`,
    todo: 'The file was altered, damaged or cut.',
  },
  body_altered: {
    class: 'storage',
    what: (): string => 'The body does not match its hash',
    todo: 'The record was altered.',
  },
  record_altered: {
    class: 'storage',
    what: (): string => 'The record does not match its hash',
    todo: 'The record was altered.',
  },
  payload_altered: {
    class: 'storage',
    what: (d: { readonly sha256: string }): string => `The payload does not match its hash ${d.sha256}`,
    todo: 'The payload was altered.',
  },
  payload_unnamed: {
    class: 'storage',
    what: (d: { readonly sha256: string }): string => `No record names the payload ${d.sha256}`,
    todo: 'It was added to the file.',
  },
  payload_beginning: {
    class: 'storage',
    what: (d: Exceeded): string =>
      `Only the first ${d.limit} of ${d.used} bytes were kept, and the hash is over all of them`,
    todo: 'What is shown of them is taken as recorded.',
  },
  chain_broken: {
    class: 'storage',
    what: (d: { readonly what: string }): string => `The chain is broken: ${d.what}`,
    todo: 'Records were removed, added or moved.',
  },
  end_disagrees: {
    class: 'storage',
    what: (d: { readonly what: string }): string => `The end line disagrees: ${d.what}`,
    todo: 'Records were removed or added at the end.',
  },
  anchor_disagrees: {
    class: 'storage',
    what: (d: { readonly what: string }): string => `Not the ledger the anchor was taken from: ${d.what}`,
    todo: 'Trust the anchor, not this file.',
  },
  anchor_foreign: {
    class: 'storage',
    what: (): string => 'The log of this anchor has the run from a backup and did not make it, so nothing was compared',
    todo: 'Ask for an anchor of the log that made the run.',
  },
  anchor_malformed: {
    class: 'storage',
    what: (d: { readonly what: string }): string => `The anchor cannot be read: ${d.what}`,
    todo: 'Copy COUNT:HEAD, or the text of a checkpoint, once more; nothing was compared.',
  },
  anchor_of_store: {
    class: 'storage',
    what: (): string => 'Compared only with the head in the store that the run came from',
    todo: 'Keep its head in another place, and compare it with that.',
  },
  store_disagrees: {
    class: 'storage',
    what: (d: { readonly what: string }): string => `Not what its own store has: ${d.what}`,
    todo: 'One of the two was changed; a head from elsewhere tells which.',
  },
  export_cut: {
    class: 'storage',
    what: (d: { readonly records: number }): string =>
      `The file stops behind ${d.records === 0 ? 'its header' : `record ${d.records - 1}`}, and its end is missing`,
    todo: 'Ask for the whole file, or export it once more.',
  },
  export_absent: {
    class: 'storage',
    /** `ends`: the ends of its lines, where they are the reason. */
    what: (d: { readonly ends?: 'CR LF' }): string =>
      `This file is no export of a run${d.ends === undefined ? '' : ': its lines end in CR LF, as git on Windows writes them, and an export has LF'}`,
    todo: 'Open what Export saved: JSONL, or a page that holds it.',
  },
  checkpoint_malformed: {
    class: 'storage',
    what: (d: { readonly what: string }): string => `Not a checkpoint: ${d.what}`,
    todo: 'Use the text as it was exported.',
  },
  engine_other: {
    class: 'storage',
    what: (d: { readonly recorded: string; readonly current: string }): string =>
      `Fuel and heap were not compared: recorded in the engine ${d.recorded}, and this build has ${d.current}`,
    todo: 'Replay the run in a build that has its engine, to compare them too.',
  },
  behaviour_other: {
    class: 'storage',
    what: (d: { readonly recorded: number; readonly current: number }): string =>
      `Recorded under behaviour ${d.recorded}, and this build has behaviour ${d.current}`,
    todo: 'Decide it again, or go on with it, in a build that has the behaviour of the run. Here it can be exported, and its hashes checked.',
  },
} as const;

export interface LedgerDetails extends DetailsIn<typeof LEDGER_CODES> {}

export const refuse: Refuse<LedgerDetails> = /* @__PURE__ */ refuser(LEDGER_CODES);
