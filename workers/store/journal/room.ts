import type { Batch } from '../store.ts';
import type { Entry } from './frame.ts';

/** What the frames of a copy are still needed for. The rest is worth a new copy, or was to be gone. */
export interface Room {
  /** Counts a frame of so many bytes. */
  note(entry: Entry, length: number): void;
  /** Bytes that somebody would miss; about, where a frame holds many rows. */
  readonly live: number;
  /** Bytes of everything that was noted. */
  readonly noted: number;
  /** Somebody removed rows that older frames still say. */
  readonly removes: boolean;
}

/** Less than this is never worth a new copy. */
const DEAD_MIN = 1 << 20;

/** True if a copy of so many bytes is to be made anew: half of it says nothing any more, or what it says was to be gone. */
export function isDue({ live, noted, removes }: Room, size: number): boolean {
  // overwritten frames are not noted: what they said is gone, but rows of the same run may stand beside them
  return removes || size > noted || size - live > Math.max(DEAD_MIN, live);
}

/** Less than this is never worth a new file while the old one is written. */
const WASTE_MIN = 8 << 20;

/** True if so much of a file that is being written says nothing any more that it is to be made anew meanwhile. */
export function isWaste({ live }: Room, size: number): boolean {
  return size - live > Math.max(WASTE_MIN, live);
}

/** How much a batch holds: of two for one place, the lighter one is what was left of the other. */
export function weightOf({ records, payloads }: Batch): number {
  const texts = records.reduce((sum, text) => sum + text.length, 0);
  return payloads.reduce((sum, { bytes }) => sum + bytes.length + 1, texts);
}

export function makeRoom(): Room {
  const batches = new Map<number, { readonly weight: number; readonly length: number }>();
  /** A row's part of the frame that has its last value. */
  const rows = new Map<string, number>();
  const room = { live: 0, noted: 0, removes: false };

  const noteBatch = (batch: Batch, length: number): void => {
    const [weight, other] = [weightOf(batch), batches.get(batch.seq)];
    if (other !== undefined && other.weight < weight) return;
    room.live += length - (other?.length ?? 0);
    batches.set(batch.seq, { weight, length });
  };
  const drop = (key: string): void => {
    room.live -= rows.get(key) ?? 0;
    rows.delete(key);
  };
  const noteRows = ({ tables, whole, bound }: Entry, length: number): void => {
    if (whole) for (const key of rows.keys()) drop(key);
    for (const { table, key, value } of tables) {
      const name = `${table}\n${key}`;
      drop(name);
      if (value === undefined) room.removes ||= bound !== true;
      else rows.set(name, length / tables.length);
      room.live += rows.get(name) ?? 0;
    }
  };
  return {
    get live() {
      return room.live;
    },
    get noted() {
      return room.noted;
    },
    get removes() {
      return room.removes;
    },
    note(entry, length) {
      room.noted += length;
      if (entry.batch === undefined) noteRows(entry, length);
      else noteBatch(entry.batch, length);
    },
  };
}
