import { type LanguageName, localeOf } from './languages.ts';

/**
 * The areas of the interface. Each has one table of texts in each language. An area is a folder of the playground, or a
 * part of it whose code is loaded later: English tables that load apart stand in files of their own in `web/texts/en`.
 * The tables of another language load together, so `web/texts/de` has the areas of a feature in one file.
 */
export const AREAS = [
  'about',
  'amounts',
  'approval',
  'attacks',
  'audit',
  'audit-view',
  'breakout',
  'capabilities',
  'compare',
  'copy-code',
  'corpus',
  'corpus-view',
  'endpoint',
  'endpoint-dialog',
  'gallery',
  'gates',
  'guide',
  'held',
  'help',
  'incidents',
  'inspector',
  'inspector-parts',
  'lab',
  'learn',
  'lessons',
  'models',
  'parts',
  'passkeys',
  'prices',
  'propose-form',
  'records',
  'remedies',
  'report',
  'rewriting',
  'rules',
  'run',
  'saved-page',
  'selftest',
  'send',
  'setup',
  'shell',
  'storage',
  'storage-dialog',
  'take-back',
  'timeline',
  'waterfall',
  'workshop',
] as const;
export type AreaName = (typeof AREAS)[number];

/** Captions of scripted steps, by the name of their script and in its order. The scripts have the English captions. */
export interface Captions {
  readonly [script: string]: readonly string[];
}

/** The tables of a language other than English. */
export type Tables = { readonly [A in AreaName]: object } & { readonly captions: Captions };

/** The language of the interface at a moment. */
export interface Speech {
  readonly language: LanguageName;
  /** Locale of numbers and dates: a BCP 47 tag such as `de-AT`. */
  readonly locale: string;
  /** Absent for English. An area without a table is in English. */
  readonly tables?: Partial<Tables>;
}

/** The texts of an area in the current language. A view that calls it is drawn again when the language changes. */
export interface Area<T> {
  (): T;
  /** The English texts, in any language: for what a ledger records. */
  readonly english: T;
}

let read = (): Speech => ({ language: 'en', locale: localeOf('en') });

/** Reads the language from `source` from now on, and returns the source before it. The first source says English. */
export function readSpeechFrom(source: () => Speech): () => Speech {
  const before = read;
  read = source;
  return before;
}

/** Draws in this language. What `draw` returns has its texts already: it reads none later. */
export function inSpeech<T>(speech: Speech, draw: () => T): T {
  const before = readSpeechFrom(() => speech);
  try {
    return draw();
  } finally {
    readSpeechFrom(before);
  }
}

export function speech(): Speech {
  return read();
}

/** Declares the English texts of an area. The compiler holds every other language to their shape. */
export function area<T extends object>(name: AreaName, en: T): Area<T> {
  return Object.assign(() => (read().tables?.[name] ?? en) as T, { english: en });
}
