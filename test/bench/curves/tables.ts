import { fillPlaces, span, table } from '../places.ts';
import { CHARTS, said } from './charts.ts';
import { curvePlot } from './curve.ts';
import type { ChartName, ScaleResults, Series, SeriesEnd } from './results.ts';

/** The page with curves, and its pictures by their paths from the root. */
export const SCALE_TEXT = 'web/docs/numbers.md';
export const SCALE_PICTURES: Readonly<Record<string, ChartName>> = Object.fromEntries(
  (Object.keys(CHARTS) as ChartName[]).map((name) => [`web/docs/pictures/scale-${name}.svg`, name]),
);

/** The curves as the text of an SVG file. */
export function drawScale(path: string, results: ScaleResults): string {
  const name = SCALE_PICTURES[path];
  if (name === undefined) throw new Error(`There is no curve at ${path}.`);
  return curvePlot(name, results);
}

/** The text with each table of the measurement made anew. Throws for a place that no table has. */
export function fillScale(text: string, results: ScaleResults): string {
  return fillPlaces(text, 'scale', {
    conditions: () => conditions(results),
    ends: () => ends(results),
  });
}

/** Machine, versions, day and load, and whether the numbers are provisional. */
function conditions({ machine, versions, date, load, isQuick }: ScaleResults): string[] {
  const { cpu, cores, memoryGb, system } = machine;
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const loads = load.toSorted((a, b) => a - b);
  const isBusy = Math.max(...load) > cores;
  return [
    `${names.join(', ')}; ${cores} cores of ${cpu}, ${memoryGb} GB, ${system}; ${date}. The load of the machine was ${span(loads)}.`,
    ...(isQuick
      ? ['', '**These numbers are provisional**: a quick measurement of small sizes and few rounds made them.']
      : []),
    ...(isBusy
      ? ['', 'More threads wanted the processor than it has cores, so times are long and the curves uneven.']
      : []),
  ];
}

/** The first and the last point of each series, and the reason where the measurement ended before its plan. */
function ends({ series }: ScaleResults): string[] {
  const rows = series.map((each) => {
    const { axis } = CHARTS[each.chart];
    return [each.chart, each.name, pointOf(each, 0), pointOf(each, -1), reasonOf(each.end, axis)];
  });
  return table(['curve', 'line', 'first point', 'last point', 'why it ends early'], rows);
}

function pointOf({ chart, points }: Series, nth: number): string {
  const point = points.at(nth);
  if (point === undefined) return '';
  return `${point[0].toLocaleString('en')}: ${said(point[1], CHARTS[chart].unit)}`;
}

function reasonOf(end: SeriesEnd, axis: string): string {
  if (end.kind === 'refused') return `the store refuses more ${axis} with \`${end.code}\``;
  if (end.kind === 'absent') return `not measured: ${end.reason}`;
  return end.kind === 'time' ? 'the time of the measurement was over' : '';
}
