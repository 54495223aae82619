import { TIME_PARTS, type TimeSpans, totalsOf } from './durations.ts';

/** A bar of a waterfall: its place and width in units of its line, of which there are `LINE_UNITS`. */
export interface WaterfallBar {
  readonly part: TimeSpans[number]['part'];
  readonly x: number;
  readonly width: number;
}

export const LINE_UNITS = 1000;
/** A shorter bar would not be seen. */
const WIDTH_MIN = 3;

/**
 * `run`: each step begins where the step before ended, and all steps fill the line; the time between steps is left
 * out. `step`: each step fills its own line.
 */
export type WaterfallScale = 'run' | 'step';

/** The bars of each step, in order. */
export function barsOf(steps: readonly TimeSpans[], scale: WaterfallScale): readonly (readonly WaterfallBar[])[] {
  const lengths = steps.map(lengthOf);
  const whole = lengths.reduce((sum, ms) => sum + ms, 0);
  let begun = 0;
  return steps.map((spans, nth) => {
    const own = lengths[nth] ?? 0;
    const unit = LINE_UNITS / Math.max(scale === 'run' ? whole : own, 1);
    const start = spans[0]?.from ?? 0;
    const offset = scale === 'run' ? begun : 0;
    begun += own;
    return spans.map(({ part, from, to }) => {
      const width = Math.max((to - from) * unit, WIDTH_MIN);
      return { part, x: Math.min((from - start + offset) * unit, LINE_UNITS - width), width };
    });
  });
}

/** Some steps that stand next to each other, as one column: the time of their parts, from the bottom up. */
interface OverviewColumn {
  readonly parts: readonly { readonly part: TimeSpans[number]['part']; readonly y: number; readonly height: number }[];
}

/** Height of an overview in units; the longest column has all of it. */
export const OVERVIEW_UNITS = 100;

/** All steps in at most this many columns of as many steps each. */
export function overviewOf(steps: readonly TimeSpans[], columnsMax: number): readonly OverviewColumn[] {
  const size = Math.max(Math.ceil(steps.length / columnsMax), 1);
  const count = Math.ceil(steps.length / size);
  const totals = Array.from({ length: count }, (_, nth) => totalsOf(steps.slice(nth * size, (nth + 1) * size).flat()));
  const longest = Math.max(1, ...totals.map(({ all }) => all));
  return totals.map((total) => {
    let y = OVERVIEW_UNITS;
    const parts = TIME_PARTS.filter((part) => total[part] > 0).map((part) => {
      const height = (total[part] / longest) * OVERVIEW_UNITS;
      y -= height;
      return { part, y, height };
    });
    return { parts };
  });
}

/** From the beginning of the first span to the end of the last. */
function lengthOf(spans: TimeSpans): number {
  return (spans.at(-1)?.to ?? 0) - (spans[0]?.from ?? 0);
}
