import { type Outcome, pass } from '../../../core/outcome.ts';
import type { RunRow } from '../../api.ts';
import { draftFrame, type FrameDraft } from '../journal/draft.ts';
import { type Append, type BatchEnd, hashesOf, leavesOf, nextPending, type PendingBatch } from '../store.ts';
import { type EncodedPayloads, encodePayloads } from './adding.ts';

/** An append behind a run, without a place in the log. */
export interface PreparedAppend {
  readonly pending: PendingBatch;
  readonly draft: FrameDraft;
  /** Leaves of the records in the tree of the log. */
  readonly leaves: Uint8Array;
  readonly payloads: EncodedPayloads;
}

/**
 * Prepares appends before the transaction has the locks of their logs, so that it holds them for less time. An append is
 * prepared again where its run ends elsewhere than was known.
 */
export class Preparation {
  /** Number for the next payloads. An append that is prepared again takes a new one. */
  #count = 0;
  readonly #prepared = new Map<Append, { readonly run: RunRow | undefined; readonly append: PreparedAppend }>();

  /** Prepares the appends to a log whose runs end at `known`, up to one that cannot be prepared, which `of` refuses. */
  ahead(appends: readonly Append[], known: ReadonlyMap<string, BatchEnd>): void {
    const runs = new Map<string, RunRow>();
    try {
      for (const append of appends) {
        const { run_id } = append;
        const prepared = this.of(append, runs.get(run_id) ?? known.get(run_id)?.after.run);
        if (prepared.ok) runs.set(run_id, prepared.value.pending.run);
      }
    } catch {
      // the placing of its log meets the error again, and answers it
    }
  }

  /** The append behind a run; undefined for a new run. The refusal of `nextPending`. Throws for a record whose hash is none. */
  of(append: Append, run: RunRow | undefined): Outcome<PreparedAppend> {
    const there = this.#prepared.get(append);
    if (there !== undefined && there.run === run) return pass(there.append);
    const pending = nextPending(run, append);
    if (!pending.ok) return pending;
    const prepared = {
      pending: pending.value,
      draft: draftFrame(pending.value),
      leaves: leavesOf(hashesOf(append)),
      payloads: encodePayloads(append.payloads, this.#count++),
    };
    this.#prepared.set(append, { run, append: prepared });
    return pass(prepared);
  }
}
