import type { ChartName } from './results.ts';

/** Title, axis and unit of a chart. */
export interface Chart {
  readonly title: string;
  /** What the lower axis counts. */
  readonly axis: string;
  readonly unit: 'ms' | 'steps/s';
  /** What a point is. */
  readonly point: string;
}

export const CHARTS: Readonly<Record<ChartName, Chart>> = {
  runs: {
    title: 'Time to open a ledger of many runs',
    axis: 'runs of a single step',
    unit: 'ms',
    point: 'Time until the ledger is open and its runs are listed.',
  },
  opened: {
    title: 'Time to open a ledger of many records',
    axis: 'records',
    unit: 'ms',
    point: 'Time until the ledger is open and its runs are listed.',
  },
  records: {
    title: 'Time of an append behind many records',
    axis: 'records in the log',
    unit: 'ms',
    point: 'Median append of a step, flushed to the disk.',
  },
  files: {
    title: 'Time to search many files',
    axis: 'files',
    unit: 'ms',
    point: 'Median search; the first makes the index.',
  },
  tools: {
    title: 'Time to register many tools',
    axis: 'tools',
    unit: 'ms',
    point: 'Opening with all tools, and a step beside them.',
  },
  tabs: {
    title: 'Steps of many tabs',
    axis: 'tabs that run at the same time',
    unit: 'steps/s',
    point: 'Steps a second of all tabs together, in one ledger.',
  },
  processes: {
    title: 'Steps of many processes',
    axis: 'processes that append at the same time',
    unit: 'steps/s',
    point: 'Steps a second of all processes together.',
  },
  logs: {
    title: 'Steps in many logs of PostgreSQL',
    axis: 'logs',
    unit: 'steps/s',
    point: 'Steps a second, and bare inserts of the same bytes.',
  },
};

/** A measured value with its unit. */
export function said(value: number, unit: Chart['unit']): string {
  const number = Number(value.toPrecision(3));
  if (unit === 'steps/s') return `${number.toLocaleString('en')} steps/s`;
  if (value < 1) return `${Number((value * 1_000).toPrecision(3))} µs`;
  return value < 1_000 ? `${number} ms` : `${Number((value / 1_000).toPrecision(3))} s`;
}
