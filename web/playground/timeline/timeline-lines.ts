import { type Signal, signal } from '@preact/signals-core';
import type { LedgerRecord } from '../../../core/index.ts';
import type { StepGroup } from '../../records/steps.ts';

/** A line of the ledger as it is listed: the head of a step, a record, or a pause. */
export type TimelineLine =
  | { readonly kind: 'gap'; readonly key: string; readonly group: StepGroup; readonly ms: number }
  | { readonly kind: 'head'; readonly key: string; readonly group: StepGroup }
  | { readonly kind: 'row'; readonly key: string; readonly group: StepGroup; readonly record: LedgerRecord };

/** A pause of at least this length gets a line; a longer pause also gets a single line. */
const IDLE_MS = 2000;

/** The shown records, under the heads of their steps. Each shown record is listed exactly once. */
export function linesOf(
  groups: readonly StepGroup[],
  isShown: (record: LedgerRecord) => boolean,
): readonly TimelineLine[] {
  const lines: TimelineLine[] = [];
  let before: LedgerRecord | undefined;
  for (const group of groups) {
    const records = group.records.filter(isShown);
    const idle = (group.records[0]?.at ?? 0) - (before?.at ?? Infinity);
    before = group.records.at(-1);
    if (records.length === 0) continue;
    if (idle >= IDLE_MS) lines.push({ kind: 'gap', key: `g${group.key}`, group, ms: idle });
    lines.push({ kind: 'head', key: `h${group.key}`, group });
    for (const record of records) lines.push({ kind: 'row', key: `r${record.run_seq}`, group, record });
  }
  return lines;
}

/** Heights in px, by kind of line. */
type Heights = { readonly [K in TimelineLine['kind']]: number };

/** The start of each line, and after them the end of the last line. */
export function offsetsOf(lines: readonly TimelineLine[], heights: Heights): Float64Array {
  const offsets = new Float64Array(lines.length + 1);
  lines.forEach(({ kind }, i) => {
    offsets[i + 1] = (offsets[i] ?? 0) + heights[kind];
  });
  return offsets;
}

/** The lines that touch a stretch of the list: from the first to before the last. */
export function linesBetween(offsets: Float64Array, top: number, bottom: number): readonly [number, number] {
  const count = offsets.length - 1;
  const from = Math.min(Math.max(firstAbove(offsets, top) - 1, 0), count);
  return [from, Math.max(Math.min(firstAbove(offsets, bottom), count), from)];
}

/** The first line that begins below `y`. */
function firstAbove(offsets: Float64Array, y: number): number {
  let [low, high] = [0, offsets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) > y) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Up to this number every line is in the page, for searching and for speech; above it, only the lines in sight and
 * around.
 */
const ALL_MAX = 600;

/** Before the first measurement. */
const HEIGHTS: Heights = { gap: 28, head: 40, row: 34 };

/** The lines of a list that are in the page, and the empty stretches that stand for the lines before and after. */
export class LineWindow {
  /** The stretch of the list that is in sight, in px. */
  readonly #sight: Signal<readonly [number, number]> = signal([0, 1500]);
  #heights: Heights = HEIGHTS;
  #lines: readonly TimelineLine[] = [];
  #offsets: Float64Array = new Float64Array(1);
  #range: readonly [number, number] = [0, 0];

  /** False while every line is in the page. */
  get isPartial(): boolean {
    return this.#lines.length > ALL_MAX;
  }

  /** Takes all lines, and returns the lines to draw. A view that calls it is drawn again when others come into sight. */
  drawn(lines: readonly TimelineLine[]): readonly TimelineLine[] {
    this.#lines = lines;
    if (!this.isPartial) return lines;
    this.#offsets = offsetsOf(lines, this.#heights);
    const [top, bottom] = this.#sight.value;
    const margin = bottom - top;
    this.#range = linesBetween(this.#offsets, top - margin, bottom + margin);
    return lines.slice(...this.#range);
  }

  /** Heights of the stretches before and after the drawn lines, in px. */
  stretches(): readonly [before: number, after: number] {
    const [from, to] = this.#range;
    const end = this.#offsets[this.#lines.length] ?? 0;
    return [this.#offsets[from] ?? 0, end - (this.#offsets[to] ?? end)];
  }

  /** Follows the list, which scrolls by itself, or with the page where it is the page. */
  look(list: Element): void {
    if (!this.isPartial) return;
    const scrolls = list.scrollHeight > list.clientHeight + 1;
    const top = scrolls ? list.scrollTop : Math.max(-list.getBoundingClientRect().top, 0);
    const height = scrolls ? list.clientHeight : innerHeight;
    const [seenTop, seenBottom] = this.#sight.peek();
    // scrolling within the rendered margin needs no new rendering
    if (Math.abs(top - seenTop) > height / 2 || Math.abs(height - (seenBottom - seenTop)) > 1)
      this.#sight.value = [top, top + height];
  }

  /** Takes the heights of drawn lines, in px. True if a height has changed. */
  measure(heightOf: (kind: TimelineLine['kind']) => number | undefined): boolean {
    const before = this.#heights;
    const height = (kind: TimelineLine['kind']): number => heightOf(kind) ?? before[kind];
    this.#heights = { gap: height('gap'), head: height('head'), row: height('row') };
    return (Object.keys(before) as TimelineLine['kind'][]).some((kind) => before[kind] !== this.#heights[kind]);
  }

  /** Distance of a line from the top of the list, in px; undefined where the list has no such line. */
  offsetOf(key: string): number | undefined {
    const at = this.#lines.findIndex((line) => line.key === key);
    return at < 0 ? undefined : (this.#offsets[at] ?? 0);
  }
}
