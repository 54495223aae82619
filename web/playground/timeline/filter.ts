import leven from 'leven';
import type { LedgerRecord } from '../../../core/index.ts';
import { describe, englishWord } from '../../records/describe.ts';
import { records as recordTexts } from '../../texts/en/records.ts';
import { timeline } from '../../texts/en/timeline.ts';
import { keptInLanguage } from '../../texts/kept.ts';
import { type PayloadTexts, RECORD_SIDES, type RecordSide, sideOf, textsOf } from './record-texts.ts';

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
function termsIn(text: string): readonly string[] {
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

const MOST = 4;

/** A filter to offer, and the number of records that it shows. */
interface Suggestion {
  readonly filter: string;
  readonly count: number;
}

/** Filters that complete the last typed term, the most frequent first. */
export function completionsOf(text: string, records: readonly LedgerRecord[]): readonly Suggestion[] {
  const last = /\s$/u.test(text) ? '' : (termsIn(text.toLowerCase()).at(-1) ?? '');
  if (last === '') return [];
  const before = text.slice(0, text.length - last.length);
  return [...countsOf(records)]
    .filter(([term]) => term !== last && isBegun(term, last))
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST)
    .map(([term, count]) => ({ filter: `${before}${term}`, count }));
}

/** True where the typed text begins a term or the value of a term. */
function isBegun(term: string, typed: string): boolean {
  return term.startsWith(typed) || (typed.length > 1 && term.startsWith(typed, term.indexOf(':') + 1));
}

/** Each term of these records, with the number of records that it is of. Counted once for each list. */
const countsOf = keptInLanguage((records: readonly LedgerRecord[]): ReadonlyMap<string, number> => {
  const counted = {
    type: new Map<string, number>(),
    status: new Map<string, number>(),
    tool: new Map<string, number>(),
  };
  const count = (counts: Map<string, number>, value: string): void =>
    void counts.set(value, (counts.get(value) ?? 0) + 1);
  for (const record of records) {
    count(counted.type, record.kind);
    count(counted.status, describe(record).word);
    if ('capability' in record.body && record.body.capability !== undefined)
      count(counted.tool, record.body.capability);
  }
  const terms = new Map<string, number>();
  for (const [name, counts] of Object.entries(counted))
    for (const [value, of] of counts) {
      const term = `${name}:${value.toLowerCase()}`;
      // a term ends at a space
      if (!value.includes(' ')) terms.set(term, (terms.get(term) ?? 0) + of);
    }
  return terms;
});

/** Number of these records by the side that their text is of. */
function sidesOf(records: readonly LedgerRecord[]): { readonly [S in RecordSide]: number } {
  const counts = { proposed: 0, answered: 0, recorded: 0 };
  for (const record of records) counts[sideOf(record)]++;
  return counts;
}

/** `2 proposed, 1 answered`: the sides that have a record. */
export function sidesText(records: readonly LedgerRecord[]): string {
  const counts = sidesOf(records);
  const { sides } = timeline().filter;
  return RECORD_SIDES.filter((side) => counts[side] > 0)
    .map((side) => sides[side](counts[side]))
    .join(', ');
}

/** Filters that match these records and are near to the typed filter, for a filter without matches. */
export function suggestionsFor(text: string, records: readonly LedgerRecord[]): readonly string[] {
  const typed = termsIn(text.toLowerCase());
  const words = typed.map((term) => term.slice(term.indexOf(':') + 1)).filter((word) => word !== '');
  const offered = [...countsOf(records).keys()].filter((term) => !typed.includes(term));
  const near = offered
    .map((term) => ({ term, far: Math.min(...words.map((word) => distance(word, term.slice(term.indexOf(':') + 1)))) }))
    .filter(({ far }) => far <= 2)
    .toSorted((a, b) => a.far - b.far)
    .map(({ term }) => term);
  const common = commonTerms();
  const fitting = near.filter((term) => records.some((record) => matches(parseFilter(term), record)));
  return (fitting.length > 0 ? fitting : offered.filter((term) => common.includes(term))).slice(0, MOST);
}

function commonTerms(): readonly string[] {
  const { denied, rejected } = recordTexts().words;
  return ['type:proposal', 'type:decision', `status:${denied}`, `status:${rejected}`];
}

/** A word that begins another, or is a part of it, is nearer than a word with exchanged letters. */
function distance(word: string, term: string): number {
  if (word.length > 2 && term.includes(word)) return 0;
  return word.length > 32 ? Infinity : leven(word, term);
}
