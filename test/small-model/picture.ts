import { dashOf, markOf, toneOf } from '../bench/curves/line.ts';
import { escape, picture, round, WIDTH } from '../bench/picture.ts';
import { type Run, type Shares, type Size, sizesOf } from './runs.ts';

/** Where the documentation has the picture, from the root. */
export const RUNS_PICTURE = 'web/docs/pictures/small-model.svg';

const TITLE = 'The small model over steps and size';
const MEASURES = ['whole tasks', 'exact arguments'] as const;
const [LEFT, RIGHT, FIRST_TOP, HEIGHT, BETWEEN] = [56, WIDTH - 30, 82, 150, 62];
const PERCENTS = [0, 25, 50, 75, 100];

interface Panel {
  readonly measure: string;
  readonly top: number;
  /** Place of a number of steps on the lower axis. */
  readonly x: (steps: number) => number;
}

/**
 * Whole tasks and exact arguments of the held-out list over the steps of the training, with a line for each size and each
 * amount of data.
 */
export function runsPicture(runs: readonly Run[]): string {
  const sizes = sizesOf(runs);
  const all = [...new Set(sizes.flatMap(({ points }) => points.map(([steps]) => steps)))].toSorted((a, b) => a - b);
  const x = (steps: number): number => LEFT + (steps / (all.at(-1) ?? 1)) * (RIGHT - LEFT);
  const legendY = FIRST_TOP + MEASURES.length * (HEIGHT + BETWEEN) + 8;
  return picture(TITLE, descriptionOf(sizes), legendY + sizes.length * 22 - 8, [
    `<text class="soft" x="16" y="48" font-size="13">Held-out list; the lower axes count steps.</text>`,
    ...MEASURES.flatMap((measure, nth) =>
      panelOf({ measure, top: FIRST_TOP + nth * (HEIGHT + BETWEEN), x }, all, sizes),
    ),
    ...sizes.flatMap((size, nth) => legendOf(size, nth, legendY + nth * 22)),
  ]);
}

/** Each number in words, for a reader who does not see the lines. */
function descriptionOf(sizes: readonly Size[]): string {
  const lines = MEASURES.flatMap((measure) =>
    sizes.map((size) => {
      const points = size.points.map(
        ([steps, shares]) => `${steps.toLocaleString('en')} steps ${Math.round(percent(shares, measure))}%`,
      );
      return `${measure}, ${nameOf(size)}: ${points.join(', ')}.`;
    }),
  );
  return ['Share of the held-out list by steps of the training.', ...lines].join(' ');
}

function panelOf({ measure, top, x }: Panel, steps: readonly number[], sizes: readonly Size[]): string[] {
  const y = (value: number): number => top + HEIGHT * (1 - value / 100);
  return [
    `<text class="text" x="${LEFT}" y="${top - 10}" font-size="14">${escape(measure)}</text>`,
    ...PERCENTS.flatMap((value) => [
      `<line class="grid" x1="${LEFT}" x2="${RIGHT}" y1="${round(y(value))}" y2="${round(y(value))}"/>`,
      `<text class="soft" x="${LEFT - 8}" y="${round(y(value) + 5)}" text-anchor="end" font-size="13">${value}%</text>`,
    ]),
    ...steps.map(
      (at) =>
        `<text class="soft" x="${round(x(at))}" y="${top + HEIGHT + 20}" text-anchor="middle" font-size="13">${at.toLocaleString('en')}</text>`,
    ),
    ...sizes.flatMap(({ points }, nth) => {
      const places = points.map(([at, shares]) => [round(x(at)), round(y(percent(shares, measure)))] as const);
      return [
        `<polyline class="line-${toneOf(nth)}" points="${places.map((place) => place.join(',')).join(' ')}" fill="none" stroke-width="2.5"${dashOf(nth)}/>`,
        `<path class="bg line-${toneOf(nth)}" d="${places.map((place) => markOf(nth, ...place)).join('')}" stroke-width="2"/>`,
      ];
    }),
  ];
}

function legendOf(size: Size, nth: number, y: number): string[] {
  return [
    `<path class="line-${toneOf(nth)}" d="M16 ${y - 5}H46" stroke-width="2.5"${dashOf(nth)}/>`,
    `<path class="bg line-${toneOf(nth)}" d="${markOf(nth, 31, y - 5)}" stroke-width="2"/>`,
    `<text class="text" x="56" y="${y}">${escape(nameOf(size))}</text>`,
  ];
}

function nameOf({ width, parameters, pool }: Size): string {
  if (pool !== undefined) return `${width} wide, ${pool.toLocaleString('en')} episodes again and again`;
  return `${width} wide, ${(parameters / 1e6).toFixed(2)} million parameters`;
}

function percent(shares: Shares, measure: string): number {
  const [right, of] = shares[measure] ?? [0, 0];
  return of === 0 ? 0 : (100 * right) / of;
}
