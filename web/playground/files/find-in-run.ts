import { decodeUtf8, isHash, type LedgerRecord, payloadRefs, unsalted } from '../../../core/index.ts';
import { recordsIn } from '../../records/steps.ts';
import type { ReadExport } from './export-blob.ts';
import { type HashUse, hashesIn } from './hash-uses.ts';

/** A place in a run: a hash with its subject, or a text with its surroundings and the kind of its record. */
export type FoundPlace = HashUse | FoundText;

export interface FoundText {
  readonly run_seq: number;
  readonly kind: string;
  readonly before: string;
  readonly hit: string;
  readonly after: string;
}

/** The first places, and the number of all. */
export interface FoundPlaces {
  readonly places: readonly FoundPlace[];
  readonly count: number;
}

/** A page draws at most this many. */
const PLACES_MAX = 50;
/** A longer text is searched up to here. */
const UNITS_MAX = 200_000;
const AROUND_UNITS = 40;

interface SearchedText {
  readonly run_seq: number;
  readonly kind: string;
  readonly text: string;
  readonly lower: string;
}

/** Searches an export for a hash by its beginning, and for words in the records and in the texts that they name. */
export class RunSearch {
  readonly #hashes: readonly HashUse[];
  readonly #texts: readonly SearchedText[];

  constructor({ file }: ReadExport) {
    this.#hashes = hashesIn(file);
    const seen = new Set<string>();
    this.#texts = recordsIn(file).flatMap((record) => [
      textOf(record, stringsIn(record.body).join(' ')),
      ...payloadRefs(record).flatMap((ref) => {
        const bytes = seen.has(ref.sha256) ? undefined : file.payloads.get(ref.sha256);
        seen.add(ref.sha256);
        const text = bytes && decodeUtf8(unsalted(ref, bytes));
        return text === undefined ? [] : [textOf(record, text)];
      }),
    ]);
  }

  find(sought: string): FoundPlaces {
    const words = sought.trim().toLowerCase();
    const prefix = words.replace(/^sha256:/u, '');
    const hashes = /^[0-9a-f]{1,64}$/u.test(prefix) ? this.#hashes.filter(({ hash }) => hash.startsWith(prefix)) : [];
    const texts = words === '' ? [] : this.#texts.filter(({ lower }) => lower.includes(words));
    const shown = [...texts.slice(0, PLACES_MAX).map((text) => excerptOf(text, words)), ...hashes];
    return { places: shown.slice(0, PLACES_MAX), count: texts.length + hashes.length };
  }
}

function textOf({ run_seq, kind }: LedgerRecord, whole: string): SearchedText {
  const text = whole.slice(0, UNITS_MAX);
  return { run_seq, kind, text, lower: text.toLowerCase() };
}

/** Texts of a body, without hashes. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return isHash(value) ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function excerptOf({ run_seq, kind, text, lower }: SearchedText, words: string): FoundText {
  const at = lower.indexOf(words);
  const [from, to] = [Math.max(at - AROUND_UNITS, 0), at + words.length + AROUND_UNITS];
  return {
    run_seq,
    kind,
    before: `${from > 0 ? '…' : ''}${text.slice(from, at).toWellFormed()}`,
    hit: text.slice(at, at + words.length).toWellFormed(),
    after: `${text.slice(at + words.length, to).toWellFormed()}${to < text.length ? '…' : ''}`,
  };
}
