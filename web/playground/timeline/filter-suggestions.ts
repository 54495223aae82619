import leven from 'leven';
import type { LedgerRecord } from '../../../core/index.ts';
import { describe } from '../../records/describe.ts';
import { matches, parseFilter } from './filter.ts';

const MOST = 4;

/** Filters that match these records and are near to the typed filter, for a filter without matches. */
export function suggestionsFor(text: string, records: readonly LedgerRecord[]): readonly string[] {
  const typed = text.toLowerCase().split(/\s+/u).filter(Boolean);
  const words = typed.map((term) => term.slice(term.indexOf(':') + 1)).filter((word) => word !== '');
  const offered = [...new Set(records.flatMap(termsOf))].filter((term) => !typed.includes(term));
  const near = offered
    .map((term) => ({ term, far: Math.min(...words.map((word) => distance(word, term.slice(term.indexOf(':') + 1)))) }))
    .filter(({ far }) => far <= 2)
    .toSorted((a, b) => a.far - b.far)
    .map(({ term }) => term);
  const fitting = near.filter((term) => records.some((record) => matches(parseFilter(term), record)));
  return (fitting.length > 0 ? fitting : offered.filter((term) => COMMON.includes(term))).slice(0, MOST);
}

const COMMON: readonly string[] = ['type:proposal', 'type:decision', 'status:denied', 'status:rejected'];

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
