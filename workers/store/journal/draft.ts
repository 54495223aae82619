import { encodeText } from '../../../core/json/utf8.ts';
import type { Frontier } from '../../../core/ledger/tree.ts';
import type { PendingBatch } from '../store.ts';
import { contentsMeta, frameOf } from './frame.ts';
import { type EncodedTexts, encodeTexts } from './texts.ts';

/** The frame of a batch without payloads, encoded up to its place in the log. */
export interface FrameDraft {
  /** The members of the batch behind its place, and the ends of the objects, in JSON. */
  readonly contents: Uint8Array;
  readonly records: EncodedTexts;
}

/** Encodes what does not depend on the place of the batch. The frame names no payload. */
export function draftFrame(batch: PendingBatch): FrameDraft {
  const records = encodeTexts(batch.records);
  const contents = JSON.stringify(contentsMeta({ ...batch, payloads: [] }, batch.run, records.lengths));
  return { contents: encodeText(`${contents.slice(1)}}`), records };
}

/** The frame as `encodeFrame` makes it of the batch at place `seq`, behind which the log is `after`. */
export function placeFrame({ contents, records }: FrameDraft, seq: number, after: Frontier): Uint8Array {
  const place = `{"batch":{"seq":${seq},"size":${after.size},"peaks":${after.peaks.length},`;
  return frameOf('live', [encodeText(place), contents], [...after.peaks, ...records.bytes]);
}
