import type { LedgerRecord } from '../../../core/index.ts';
import { describe } from '../../records/describe.ts';
import type { PayloadTexts } from './payload-texts.ts';
import { hashesIn } from './payload-texts.ts';

/** The meaning of the filter box: fields that must all match, and words that must all occur. */
export interface Filter {
  readonly fields: readonly { readonly name: FieldName; readonly value: string }[];
  readonly words: readonly string[];
  /** Terms with a colon that are no field, so that the box can say so. */
  readonly unknown: readonly string[];
}

const FIELDS = ['type', 'tool', 'status', 'seq'] as const;
type FieldName = (typeof FIELDS)[number];

/** Reads `type:verdict status:rejected seq:3-9 words`. Every text is a valid filter. */
export function parseFilter(text: string): Filter {
  const terms = text.toLowerCase().split(/\s+/u).filter(Boolean);
  const split = terms.map((term) => ({ term, at: term.indexOf(':') }));
  const fields = split.flatMap(({ term, at }) => {
    const name = FIELDS.find((field) => field === term.slice(0, at));
    return name === undefined ? [] : [{ name, value: term.slice(at + 1) }];
  });
  const rest = split.filter(({ term, at }) => !FIELDS.some((field) => field === term.slice(0, at)));
  return {
    fields,
    words: rest.filter(({ at }) => at <= 0).map(({ term }) => term),
    unknown: rest.filter(({ at }) => at > 0).map(({ term }) => term),
  };
}

/** True where every field and every word of the filter fits the record. */
export function matches(filter: Filter, record: LedgerRecord, contents: PayloadTexts = NOTHING): boolean {
  if (!filter.fields.every(({ name, value }) => FITS[name](value, record))) return false;
  if (filter.words.length === 0) return true;
  const text = textOf(record);
  const named = hashesIn(record).map((hash) => contents.get(hash) ?? '');
  return filter.words.every(
    (wanted) =>
      text.includes(wanted) ||
      (HEX.test(wanted) && record.hash.includes(wanted)) ||
      named.some((each) => each.includes(wanted)),
  );
}

const NOTHING: PayloadTexts = new Map();

const HEX = /^[0-9a-f]+$/u;

/** The searched text of a record: made once, because every typed letter filters ten thousand records. */
function textOf(record: LedgerRecord): string {
  const known = texts.get(record);
  if (known !== undefined) return known;
  const { word, summary } = describe(record);
  const text = `${record.kind} ${word} ${summary}`.toLowerCase();
  texts.set(record, text);
  return text;
}

const texts = new WeakMap<LedgerRecord, string>();

const FITS: { readonly [F in FieldName]: (value: string, record: LedgerRecord) => boolean } = {
  // `type:` accepts the end of a record too, because readers use it for both: `type:denied`
  type: (value, record) => record.kind.startsWith(value) || FITS.status(value, record),
  tool: (value, { body }) => 'capability' in body && (body.capability ?? '').toLowerCase().includes(value),
  status: (value, record) => describe(record).word.includes(value) || statusOf(record).startsWith(value),
  seq: (value, record) => seqFits(value, record.run_seq),
};

function statusOf(record: LedgerRecord): string {
  if (record.kind === 'receipt') return record.body.receipt.status.toLowerCase();
  if (record.kind === 'observation') return record.body.status;
  return record.kind === 'seal' ? record.body.state : '';
}

function seqFits(value: string, seq: number): boolean {
  const [from, to] = value.split('-');
  if (to === undefined) return value === '' || seq === Number(from);
  return seq >= Number(from) && (to === '' || seq <= Number(to));
}
