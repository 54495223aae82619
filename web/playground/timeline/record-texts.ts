import type { LedgerRecord } from '../../../core/index.ts';
import { describe, englishWord } from '../../records/describe.ts';
import { keptInLanguage } from '../../texts/kept.ts';

/** A text, and the same in small letters for searching. */
export interface SearchedText {
  readonly text: string;
  readonly lower: string;
}

/** Texts of the bytes that records name, by their hash. */
export type PayloadTexts = ReadonlyMap<string, SearchedText>;

/** Author of a record's text: a proposal is the model's, an observation answers it, and the rest is recorded. */
export const RECORD_SIDES = ['proposed', 'answered', 'recorded'] as const;
export type RecordSide = (typeof RECORD_SIDES)[number];

export function sideOf({ kind }: LedgerRecord): RecordSide {
  if (kind === 'proposal') return 'proposed';
  return kind === 'observation' ? 'answered' : 'recorded';
}

export function searched(text: string): SearchedText {
  return { text, lower: text.toLowerCase() };
}

/** The searched texts of a record: its line, the texts of its body, and the payloads that it names. */
export function textsOf(record: LedgerRecord, contents: PayloadTexts): readonly SearchedText[] {
  const own = ownText(record);
  const payloads = hashesIn(record).flatMap((hash) => contents.get(hash) ?? []);
  return [own, ...payloads];
}

/** Made once, because every typed letter filters ten thousand records. An English word finds a record in any language. */
const ownText = keptInLanguage((record: LedgerRecord): SearchedText => {
  const { word, summary } = describe(record);
  const texts = [...new Set(stringsIn(record.body))].filter((text) => !summary.includes(text));
  return searched([...new Set([record.kind, word, englishWord(record)]), summary, ...texts].join(' '));
});

/** Texts of a body, without hashes and ids. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return ID.test(value) ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

const ID = /^(?:sha256:)?[0-9a-f]{32,}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

const named = new WeakMap<LedgerRecord, readonly string[]>();

/** The hashes that a record names: its proposal, its arguments, its reply. */
function hashesIn(record: LedgerRecord): readonly string[] {
  const hashes = named.get(record) ?? (record.kind === 'configuration' ? [] : collect(record.body));
  named.set(record, hashes);
  return hashes;
}

function collect(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { sha256 } = value as { readonly sha256?: unknown };
  return [...(typeof sha256 === 'string' ? [sha256] : []), ...Object.values(value).flatMap(collect)];
}

/** A found text with its surroundings. */
export interface Excerpt {
  readonly before: string;
  readonly hit: string;
  readonly after: string;
}

const AROUND_UNITS = 40;

/** The first place of the first of these words in a record's texts, outside of its line. */
export function excerptOf(record: LedgerRecord, words: readonly string[], contents: PayloadTexts): Excerpt | undefined {
  const { summary } = describe(record);
  const unseen = words.filter((word) => !summary.toLowerCase().includes(word));
  for (const { text, lower } of textsOf(record, contents))
    for (const word of unseen) {
      const at = lower.indexOf(word);
      if (at < 0) continue;
      const [from, to] = [Math.max(at - AROUND_UNITS, 0), at + word.length + AROUND_UNITS];
      return {
        before: `${from > 0 ? '…' : ''}${text.slice(from, at).toWellFormed()}`,
        hit: text.slice(at, at + word.length).toWellFormed(),
        after: `${text.slice(at + word.length, to).toWellFormed()}${to < text.length ? '…' : ''}`,
      };
    }
  return undefined;
}
