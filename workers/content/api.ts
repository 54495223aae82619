/** What the page may see of the content: types only. */

import type { Section } from '../../core/content/section.ts';
import type { SymbolRow } from '../../core/content/symbol.ts';
import type { Outcome } from '../../core/outcome.ts';

/** A file of the content, as bytes: a stranger wrote them. */
export interface ContentSource {
  /** Relative, `/` between segments, in Unicode form NFC, no `.` or `..`. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface AddOptions {
  /** Ends the addition as if it had never begun, up to the moment it is stored. */
  readonly signal?: AbortSignal;
  /** Told after each pack of files. */
  readonly onProgress?: (progress: AddProgress) => void;
}

export interface AddProgress {
  readonly phase: 'indexing' | 'storing';
  readonly files: number;
  readonly bytes: number;
}

/** What an addition or a removal made of the content. */
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

/** A slice as a message would be given it, and what it would be charged. */
export interface SliceRead {
  readonly text: string;
  readonly bytes: number;
  readonly content_hash: string;
  readonly payload_ref: string;
  readonly file_path: string;
  /** Distinct leaf sections it touches. */
  readonly sections: number;
}

/** What a search suggests. Candidates only: what was read justifies, what was found does not. */
export interface Found {
  readonly sections: readonly (Section & { readonly score: number })[];
  /** Sections that match, shown or not. */
  readonly matches: number;
  /** Files the search went over, of all there are: beyond 32 MB of text the rest is left out. */
  readonly searched: number;
  readonly files: number;
}

/** The index made once more from the stored text, held against the one in use. */
export interface Rebuilt {
  readonly index_hash: string;
  readonly same: boolean;
  /** Files whose text or sections are not what is indexed. */
  readonly differing: readonly string[];
}

/**
 * What runs may read: files, their sections, and the symbols that name them. All of it is private and untrusted. What
 * cannot be done rejects with `SallyportError` and leaves everything as it was.
 */
export interface Content {
  /**
   * Adds files, or takes them for those of the same path: all of them or none. `path_invalid`, `path_twice` and
   * `content_utf8` name the file. Bytes that are indexed already cost no more than their hash.
   */
  add(files: Iterable<ContentSource> | AsyncIterable<ContentSource>, options?: AddOptions): Promise<ContentChange>;
  /** The same, and every other file goes. */
  replace(files: Iterable<ContentSource> | AsyncIterable<ContentSource>, options?: AddOptions): Promise<ContentChange>;
  /** `content_missing` */
  remove(paths: readonly string[]): Promise<ContentChange>;
  overview(): Promise<ContentOverview>;
  files(): Promise<readonly ContentFile[]>;
  /** The SECTION_INDEX, of one file or of all, in its own order. */
  sections(path?: string): Promise<readonly Section[]>;
  /** A file's normalised text. */
  text(path: string): Promise<string>;
  /** Names a section, a heading or a file. A heading may be given as `path#["Heading","Below it"]`. */
  define(symbol: SymbolRow): Promise<SymbolRow>;
  undefine(symbol_id: string): Promise<void>;
  symbols(): Promise<readonly SymbolRow[]>;
  /** All symbols as one canonical text, and such a text taken in again: all of its symbols or none. */
  exportSymbols(): Promise<string>;
  importSymbols(text: string): Promise<readonly SymbolRow[]>;
  /** Tries a slice of a symbol, a section id or a path against the budgets of one message. The no is a value too. */
  expand(ref: string, slice: string): Promise<Outcome<SliceRead>>;
  /** Sections that hold every word, the best first; longer words match what begins with them. */
  search(query: string, most?: number): Promise<Found>;
  rebuild(): Promise<Rebuilt>;
  /**
   * Takes back what a step of a run has written: its files have the text again that they had before, and the symbols that
   * went with the write stand where they stood. All of it or nothing, recorded in the log of the run `system`.
   * `content_changed` where a file is not what the step made of it any more, `content_unwritten`, `run_absent`,
   * `payload_missing` where the old text was erased.
   */
  undo(run_id: string, step: number): Promise<ContentChange>;
}
