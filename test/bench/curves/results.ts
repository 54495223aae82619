import type { Results } from '../results.ts';

/** What grows in a chart, and is on its lower axis; `opened` and `runs` are times until a ledger is open. */
export type ChartName = 'runs' | 'opened' | 'records' | 'files' | 'tools' | 'tabs' | 'processes' | 'logs';

/**
 * Why a series has no further point. `planned`: it was measured as far as intended. `time`: the minutes of the
 * measurement were over. `refused`: the store refused the next point. `absent`: there was nothing to measure with.
 */
export type SeriesEnd =
  | { readonly kind: 'planned' | 'time' }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'absent'; readonly reason: string };

/** A line of a chart. */
export interface Series {
  readonly chart: ChartName;
  /** Name of the engine or of the measured action. */
  readonly name: string;
  /** Pairs of the lower axis and the value, in the unit of the chart, with the lower axis rising. */
  readonly points: readonly (readonly [at: number, value: number])[];
  readonly end: SeriesEnd;
}

/** The file of `npm run test:long -- load --measure scale`, from which the documentation makes its curves. */
export interface ScaleResults {
  readonly format: 'sallyport-scale/1';
  /** Small sizes and few rounds: a test of the measurement, whose numbers are provisional. */
  readonly isQuick: boolean;
  /** Day of the measurement, as `2026-11-23`. */
  readonly date: string;
  /** Load of the machine at the begin and at the end: programs that wanted the processor. */
  readonly load: readonly [first: number, last: number];
  readonly machine: Results['machine'];
  /** Versions of Sallyport, Node, Chromium and PostgreSQL, as far as they measured. */
  readonly versions: Readonly<Record<string, string>>;
  readonly series: readonly Series[];
}
