import type { Batch, PendingBatch } from '../store.ts';
import { batchIn, type Entry } from './frame.ts';
import { RunNumbers } from './run-numbers.ts';

/** Counts the bytes of a copy that are still needed. The remainder is garbage, or was to be erased. */
export interface FrameUsage {
  /** Counts a frame of `length` bytes. */
  note(entry: Entry, length: number): void;
  /** Bytes still needed; approximate for a frame with many rows. */
  readonly live: number;
  /** Bytes of all counted frames. */
  readonly noted: number;
  /** A row was removed that older frames still hold. */
  readonly removes: boolean;
}

/** Less garbage than this is never worth a rewrite. */
const DEAD_MIN = 1 << 20;

/** True if a copy of this size should be rewritten: half of it is garbage, or it still holds erased content. */
export function needsCompaction({ live, noted, removes }: FrameUsage, size: number): boolean {
  // overwritten frames are not counted: their content is gone, but rows of the same run may stand beside them
  return removes || size > noted || size - live > Math.max(DEAD_MIN, live);
}

/** Less garbage than this is never worth a rewrite of a file in use. */
const WASTE_MIN = 8 << 20;

/** True if a file in use has so much garbage that it should be rewritten now. */
export function needsCompactionInUse({ live }: FrameUsage, size: number): boolean {
  return size - live > Math.max(WASTE_MIN, live);
}

/** Name of a batch in every copy, whatever its place in the log. */
export function batchName({ run_id, run_seq }: Pick<Batch, 'run_id' | 'run_seq'>): string {
  return `${run_id} ${run_seq}`;
}

/** Content size of a batch. Of two batches for the same place, the lighter is the remainder of the other. */
export function weightOf({ records, payloads }: Pick<Batch, 'records' | 'payloads'>): number {
  const texts = records.reduce((sum, text) => sum + text.length, 0);
  return payloads.reduce((sum, { bytes }) => sum + bytes.length + 1, texts);
}

export function makeFrameUsage(): FrameUsage {
  /** For each batch: its first record, its weight, and the length of its frame. */
  const batches = new RunNumbers(3);
  /** For each row, its share of the frame with its last value. */
  const rows = new Map<string, number>();
  const usage = { live: 0, noted: 0, removes: false };

  const noteBatch = (batch: Batch | PendingBatch, length: number): void => {
    const { run_id, run_seq } = batch;
    const [weight, other] = [weightOf(batch), batches.find(run_id, run_seq)];
    if (other !== undefined && batches.number(other, 1) < weight) return;
    usage.live += length - (other === undefined ? 0 : batches.number(other, 2));
    batches.put(run_id, [run_seq, weight, length]);
  };
  const drop = (key: string): void => {
    usage.live -= rows.get(key) ?? 0;
    rows.delete(key);
  };
  const noteRows = ({ tables, whole, bound }: Entry, length: number): void => {
    if (whole) for (const key of rows.keys()) drop(key);
    for (const { table, key, value } of tables) {
      const name = `${table}\n${key}`;
      drop(name);
      if (value === undefined) usage.removes ||= bound !== true;
      else rows.set(name, length / tables.length);
      usage.live += rows.get(name) ?? 0;
    }
  };
  return {
    get live() {
      return usage.live;
    },
    get noted() {
      return usage.noted;
    },
    get removes() {
      return usage.removes;
    },
    note(entry, length) {
      usage.noted += length;
      const batch = batchIn(entry);
      if (batch !== undefined) noteBatch(batch, length);
      else if (entry.note !== undefined) usage.live += length;
      else noteRows(entry, length);
    },
  };
}
