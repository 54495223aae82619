import leven from 'leven';
import type { LedgerRecord } from '../../../core/index.ts';
import { describe } from '../../records/describe.ts';
import { records as recordTexts } from '../../texts/en/records.ts';
import { timeline } from '../../texts/en/timeline.ts';
import { keptInLanguage } from '../../texts/kept.ts';
import { matches, parseFilter, termsIn } from './filter.ts';
import { RECORD_SIDES, type RecordSide, sideOf } from './record-texts.ts';

const MOST = 4;

/** A filter to offer, and the number of records that it shows. */
export interface Suggestion {
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
  const counts = new Map<string, number>();
  for (const term of records.flatMap(termsOf)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
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

function termsOf(record: LedgerRecord): readonly string[] {
  const { word } = describe(record);
  const tool = 'capability' in record.body ? record.body.capability : undefined;
  return [
    `type:${record.kind}`,
    ...(word.includes(' ') ? [] : [`status:${word.toLowerCase()}`]),
    ...(tool === undefined ? [] : [`tool:${tool.toLowerCase()}`]),
  ];
}
