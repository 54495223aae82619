import { type EncodedTexts, encodeTexts } from '../journal/texts.ts';
import { type Append, hashesOf, leavesOf } from '../store.ts';

/** The parts of an append that do not depend on the state of its log. */
export interface PreparedAppend {
  /** Texts of the records. */
  readonly texts: EncodedTexts;
  /** Leaves of the records in the tree of the log. */
  readonly leaves: Uint8Array;
}

/** Prepares appends, each once: before the transaction has the locks of their logs, so that it holds them for less time. */
export class Preparation {
  readonly #prepared = new Map<Append, PreparedAppend>();

  /** Prepares the appends up to one that cannot be prepared, which `of` refuses. */
  ahead(appends: readonly Append[]): void {
    try {
      for (const append of appends) this.of(append);
    } catch {
      // the placing of its log meets the error again, and answers it
    }
  }

  /** Throws for a record whose hash is none. */
  of(append: Append): PreparedAppend {
    const there = this.#prepared.get(append);
    if (there !== undefined) return there;
    const texts = encodeTexts(append.records.map(({ text }) => text));
    const prepared = { texts, leaves: leavesOf(hashesOf(append)) };
    this.#prepared.set(append, prepared);
    return prepared;
  }
}
