import { escape, picture, round, WIDTH } from '../picture.ts';
import { CHARTS, type Chart, said } from './charts.ts';
import { dashOf, markOf, toneOf } from './line.ts';
import type { ChartName, ScaleResults, Series } from './results.ts';

const [LEFT, RIGHT, TOP, BOTTOM] = [76, WIDTH - 30, 70, 286];
/** Numbers of the lower axis that fit beside each other. */
const TICKS_MAX = 7;

/** Place of a number on an axis. */
type Scale = (value: number) => number;

/** The curves of a chart over logarithmic axes: a straight line is a power of what grows. */
export function curvePlot(name: ChartName, { series }: ScaleResults): string {
  const chart = CHARTS[name];
  const lines = series.filter((each) => each.chart === name);
  const places = lines.flatMap(({ points }) => points);
  const ats = [...new Set(places.map(([at]) => at))].toSorted((a, b) => a - b);
  const [low, high] = decadesOf(places.map(([, value]) => value));
  const x = logScale(ats[0] ?? 1, ats.at(-1) ?? 10, LEFT, RIGHT);
  const y = logScale(low, high, BOTTOM, TOP);
  return picture(
    chart.title,
    `${chart.point} ${lines.map((line) => `${wordsOf(line, chart)}.`).join(' ')}`,
    BOTTOM + 58 + lines.length * 22,
    [
      `<text class="soft" x="16" y="48" font-size="13">${escape(chart.point)}</text>`,
      ...gridOf(low, high).flatMap((value) => [
        `<line class="grid" x1="${LEFT}" x2="${RIGHT}" y1="${round(y(value))}" y2="${round(y(value))}"/>`,
        `<text class="soft" x="${LEFT - 8}" y="${round(y(value) + 5)}" text-anchor="end" font-size="13">${tickOf(value, chart)}</text>`,
      ]),
      ...ticksOf(ats).map(
        (at) =>
          `<text class="soft" x="${round(x(at))}" y="${BOTTOM + 20}" text-anchor="middle" font-size="13">${short(at)}</text>`,
      ),
      `<text class="soft" x="${(LEFT + RIGHT) / 2}" y="${BOTTOM + 40}" text-anchor="middle" font-size="13">${escape(chart.axis)}</text>`,
      ...lines.flatMap((line, nth) => drawn(line, nth, BOTTOM + 62 + nth * 22, x, y)),
    ],
  );
}

/** A scale of equal factors. A single value stands in the middle. */
function logScale(low: number, high: number, from: number, to: number): Scale {
  const span = Math.log(high / low);
  return (value) => (span === 0 ? (from + to) / 2 : from + (Math.log(value / low) / span) * (to - from));
}

/** The powers of ten around values. */
function decadesOf(values: readonly number[]): readonly [number, number] {
  const above = values.filter((value) => value > 0);
  if (above.length === 0) return [1, 10];
  const [low, high] = [Math.floor(Math.log10(Math.min(...above))), Math.ceil(Math.log10(Math.max(...above)))];
  return [10 ** low, 10 ** Math.max(high, low + 1)];
}

/** Each power of ten; in a single decade also its 2 and its 5. */
function gridOf(low: number, high: number): number[] {
  const decades = Math.round(Math.log10(high / low));
  const inner = decades <= 2 ? [1, 2, 5] : [1];
  const all = Array.from({ length: decades }, (_, nth) => inner.map((times) => times * low * 10 ** nth)).flat();
  return [...all, high].map((value) => Number(value.toPrecision(6)));
}

function tickOf(value: number, { unit }: Chart): string {
  return unit === 'ms' ? said(value, unit) : short(value);
}

/** The first and the last number, and as many between them as fit. */
function ticksOf(ats: readonly number[]): readonly number[] {
  if (ats.length <= TICKS_MAX) return ats;
  const step = (ats.length - 1) / (TICKS_MAX - 1);
  return Array.from({ length: TICKS_MAX }, (_, nth) => ats[Math.round(nth * step)] ?? 1);
}

/** 64, 1,000, 100k, 1M. */
function short(number: number): string {
  if (number >= 1e6) return `${Number((number / 1e6).toPrecision(3))}M`;
  if (number >= 1e4) return `${Number((number / 1e3).toPrecision(3))}k`;
  return number.toLocaleString('en');
}

/** A line with its numbers, for a reader who does not see it. */
function wordsOf({ name, points, end }: Series, { axis, unit }: Chart): string {
  if (end.kind === 'absent') return `${name}: not measured, ${end.reason}`;
  return `${name}: ${points.map(([at, value]) => `${at.toLocaleString('en')} ${axis} ${said(value, unit)}`).join(', ')}`;
}

function drawn({ name, points, end }: Series, nth: number, legendY: number, x: Scale, y: Scale): string[] {
  const [tone, dash] = [toneOf(nth), dashOf(nth)];
  const places = points.map(([at, value]) => [round(x(at)), round(y(value))] as const);
  const marks = [...places, ...(points.length > 0 ? [[31, legendY - 5] as const] : [])];
  const legend = end.kind === 'absent' ? `${name}: not measured` : name;
  return [
    `<polyline class="line-${tone}" points="${places.map((place) => place.join(',')).join(' ')}" fill="none" stroke-width="2.5"${dash}/>`,
    `<path class="line-${tone}" d="M16 ${legendY - 5}H46" stroke-width="2.5"${dash}/>`,
    `<path class="bg line-${tone}" d="${marks.map(([atX, atY]) => markOf(nth, atX, atY)).join('')}" stroke-width="2"/>`,
    `<text class="text" x="56" y="${legendY}">${escape(legend)}</text>`,
  ];
}
