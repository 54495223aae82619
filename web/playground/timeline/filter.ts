import type { LedgerRecord } from '../../../core/index.ts';
import { describe, englishWord } from '../../records/describe.ts';
import { type PayloadTexts, type RecordSide, sideOf, textsOf } from './record-texts.ts';

/** The meaning of the filter box: fields that must all match, and words that must all occur. */
export interface Filter {
  readonly fields: readonly { readonly name: FieldName; readonly value: string }[];
  readonly words: readonly string[];
  /** Terms with a colon that are no field, so that the box can say so. */
  readonly unknown: readonly string[];
}

export const FIELDS = ['type', 'tool', 'status', 'seq', 'proposed', 'answered', 'recorded'] as const;
type FieldName = (typeof FIELDS)[number];

/** A term: a word, a phrase in quotes, or a field with a word or phrase. A quote may lack its end. */
const TERM = /(?:[^\s"]+:)?"[^"]*"?|\S+/gu;

/** The terms of a filter as they were typed. */
export function termsIn(text: string): readonly string[] {
  return text.match(TERM) ?? [];
}

/** Reads `type:verdict status:rejected seq:3-9 proposed:flour "two words"`. Every text is a valid filter. */
export function parseFilter(text: string): Filter {
  const split = termsIn(text.toLowerCase()).map((term) => ({
    term,
    at: term.startsWith('"') ? -1 : term.indexOf(':'),
  }));
  const fields = split.flatMap(({ term, at }) => {
    const name = FIELDS.find((field) => field === term.slice(0, at));
    return name === undefined ? [] : [{ name, value: unquoted(term.slice(at + 1)) }];
  });
  const rest = split.filter(({ term, at }) => !FIELDS.some((field) => field === term.slice(0, at)));
  return {
    fields,
    words: rest.filter(({ at }) => at <= 0).map(({ term }) => unquoted(term)),
    unknown: rest.filter(({ at }) => at > 0).map(({ term }) => term),
  };
}

function unquoted(term: string): string {
  return term.startsWith('"') ? term.replaceAll('"', '') : term;
}

/** The texts that the filter looks for, in any field. */
export function soughtIn({ fields, words }: Filter): readonly string[] {
  const sought = fields.flatMap(({ name, value }) => (isSide(name) ? [value] : []));
  return [...words, ...sought].filter((word) => word !== '');
}

function isSide(name: FieldName): name is RecordSide {
  return name === 'proposed' || name === 'answered' || name === 'recorded';
}

/** True where every field and every word of the filter fits the record. */
export function matches(filter: Filter, record: LedgerRecord, contents: PayloadTexts = NOTHING): boolean {
  if (!filter.fields.every(({ name, value }) => fits(name, value, record, contents))) return false;
  return filter.words.every(
    (wanted) => (HEX.test(wanted) && record.hash.includes(wanted)) || holds(record, wanted, contents),
  );
}

const NOTHING: PayloadTexts = new Map();

const HEX = /^[0-9a-f]+$/u;

function holds(record: LedgerRecord, wanted: string, contents: PayloadTexts): boolean {
  return textsOf(record, contents).some(({ lower }) => lower.includes(wanted));
}

function fits(name: FieldName, value: string, record: LedgerRecord, contents: PayloadTexts): boolean {
  if (isSide(name)) return sideOf(record) === name && holds(record, value, contents);
  return FITS[name](value, record);
}

const FITS: { readonly [F in Exclude<FieldName, RecordSide>]: (value: string, record: LedgerRecord) => boolean } = {
  // `type:` accepts the end of a record too, because readers use it for both: `type:denied`
  type: (value, record) => record.kind.startsWith(value) || FITS.status(value, record),
  tool: (value, { body }) => 'capability' in body && (body.capability ?? '').toLowerCase().includes(value),
  status: (value, record) =>
    [describe(record).word.toLowerCase(), englishWord(record)].some((word) => word.includes(value)) ||
    statusOf(record).startsWith(value),
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
