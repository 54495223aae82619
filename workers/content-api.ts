/** Public types of the content. */

import type { Section } from '../core/content/section.ts';
import type { SymbolRow } from '../core/content/target.ts';
import type { Outcome } from '../core/outcome.ts';

/** A file of the content, as a stranger's bytes. */
export interface ContentSource {
  /** Relative path, `/` between segments, in Unicode form NFC, no `.` or `..`. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface AddOptions {
  /** Ends the addition and leaves the content unchanged; has no effect after the storing has begun. */
  readonly signal?: AbortSignal;
  /** Called after each pack of files. */
  readonly onProgress?: (progress: AddProgress) => void;
}

export interface AddProgress {
  readonly phase: 'indexing' | 'storing';
  readonly files: number;
  readonly bytes: number;
}

/** Result of an addition or a removal. */
export interface ContentChange extends ContentOverview {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
}

export interface ContentOverview {
  readonly files: number;
  readonly sections: number;
  readonly symbols: number;
  /** UTF-8 bytes of all normalised text. */
  readonly bytes: number;
  /** SHA-256 of the canonical SECTION_INDEX. */
  readonly index_hash: string;
}

export interface ContentFile {
  readonly path: string;
  readonly bytes: number;
  readonly sections: number;
  readonly content_hash: string;
}

/** A slice as a message would receive it, and its charge. */
export interface SliceRead {
  readonly text: string;
  readonly bytes: number;
  readonly content_hash: string;
  readonly payload_ref: string;
  readonly file_path: string;
  /** Distinct leaf sections that the slice touches. */
  readonly sections: number;
}

/** Result of a search: candidates for reading. Only content that was read can justify an answer. */
export interface Found {
  readonly sections: readonly (Section & { readonly score: number })[];
  /** Matching sections, including those beyond `most`. */
  readonly matches: number;
  /** Files that the search covered, out of `files`: of a content over 32 MB the smallest files, up to that size. */
  readonly searched: number;
  readonly files: number;
  /** Paths of files that it did not cover, the smallest first, at most 20. */
  readonly left: readonly string[];
}

/** Comparison of an index made anew from the stored text with the index in use. */
export interface Rebuilt {
  readonly index_hash: string;
  readonly same: boolean;
  /** Files whose text or sections differ from the index. */
  readonly differing: readonly string[];
}

/**
 * Content that runs may read: files, their sections, and the symbols that name them. All of it is private and
 * untrusted. A failed operation rejects with `SallyportError` and leaves the content unchanged.
 */
export interface Content {
  /**
   * Adds files, or replaces files of the same path: all of them or none. `path_invalid`, `path_twice` and
   * `content_utf8` name the file. Files that are already indexed cost only their hash.
   */
  add(files: Iterable<ContentSource> | AsyncIterable<ContentSource>, options?: AddOptions): Promise<ContentChange>;
  /** As `add`, and removes every other file. */
  replace(files: Iterable<ContentSource> | AsyncIterable<ContentSource>, options?: AddOptions): Promise<ContentChange>;
  /** `content_missing` */
  remove(paths: readonly string[]): Promise<ContentChange>;
  overview(): Promise<ContentOverview>;
  files(): Promise<readonly ContentFile[]>;
  /** The SECTION_INDEX of a single file or of all files, in its own order. */
  sections(path?: string): Promise<readonly Section[]>;
  /** A file's normalised text. */
  text(path: string): Promise<string>;
  /** Names a section, a heading or a file. A heading may be given as `path#["Heading","Below it"]`. */
  define(symbol: SymbolRow): Promise<SymbolRow>;
  undefine(symbol_id: string): Promise<void>;
  symbols(): Promise<readonly SymbolRow[]>;
  /** All symbols as a canonical text. `importSymbols` takes the text in again: all of its symbols or none. */
  exportSymbols(): Promise<string>;
  importSymbols(text: string): Promise<readonly SymbolRow[]>;
  /**
   * Tries a slice of a symbol, a section id or a path against the budgets of a single message. A refusal is a value
   * too.
   */
  expand(ref: string, slice: string): Promise<Outcome<SliceRead>>;
  /**
   * Sections that hold every word of the query, the best first. Words of three letters or more also match longer words
   * that begin with them.
   */
  search(query: string, most?: number): Promise<Found>;
  rebuild(): Promise<Rebuilt>;
  /**
   * Undoes the writes of a run's step: its files get their previous text, and the symbols that the write moved get
   * their previous target. All or none of it happens, and the log of the run `system` records it. `content_changed`
   * where a file has changed since the step, `content_unwritten`, `run_absent`, `payload_missing` where the old text
   * was erased.
   */
  undo(run_id: string, step: number): Promise<ContentChange>;
}
