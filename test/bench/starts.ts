import { fillPlaces, span, table } from './places.ts';
import type { Results } from './results.ts';
import { duration } from './table.ts';

/** Starts of the playground under the same conditions, each in ms from the navigation. */
export interface Starts {
  readonly what: string;
  /** Most ms until a step can be made. */
  readonly goalMs: number;
  /** First paint, and the first moment at which a step can be made, of each start. */
  readonly paintedMs: readonly number[];
  readonly usableMs: readonly number[];
}

/** The file of `node .scripts/bench-start.mjs --results`, from which the documentation makes its table. */
export interface StartResults {
  readonly format: 'sallyport-start/1';
  /** Day of the measurement, as `2026-11-23`. */
  readonly date: string;
  /** Load of the machine before and after: programs that wanted the processor. */
  readonly load: readonly [before: number, after: number];
  readonly machine: Results['machine'];
  /** Versions of Sallyport and of the browser. */
  readonly versions: Readonly<Record<string, string>>;
  readonly starts: readonly Starts[];
}

/** The text with the table of starts made anew. Throws for a place that no table has. */
export function fillStarts(text: string, results: StartResults): string {
  return fillPlaces(text, 'start', { starts: () => [...conditions(results), '', ...startTable(results)] });
}

function conditions({ machine, versions, date, load }: StartResults): string[] {
  const { cpu, cores, memoryGb, system } = machine;
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const loads = load.toSorted((a, b) => a - b);
  return [
    `${names.join(', ')}; ${cores} cores of ${cpu}, ${memoryGb} GB, ${system}; ${date}. The load of the machine was ${span(loads)}.`,
  ];
}

function startTable({ starts }: StartResults): string[] {
  const lines = starts.map(({ what, goalMs, paintedMs, usableMs }) => {
    const isMissed = median(usableMs) > goalMs;
    return [
      what,
      String(usableMs.length),
      inMs(median(paintedMs)),
      `${inMs(Math.min(...usableMs))} / ${inMs(median(usableMs))}`,
      `≤ ${inMs(goalMs)}${isMissed ? ', **missed**' : ''}`,
    ];
  });
  return table(['start', 'visits', 'first paint', 'usable, best / median', 'goal'], lines);
}

function inMs(ms: number): string {
  return duration(ms * 1000);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
