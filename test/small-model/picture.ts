import { escape, picture, round } from '../bench/picture.ts';
import { GOALS, type Goal } from './goals.ts';
import { type Axis, axesOf, type Point, type Run } from './runs.ts';

/** Where the documentation has the picture, from the root. */
export const RUNS_PICTURE = 'web/docs/pictures/small-model.svg';

const TITLE = 'The small model over data, time and size';
const NOTE = 'Held-out list. Dashed: the goal. Lower axes: logarithmic.';
const MEASURES = Object.keys(GOALS) as readonly Goal[];
const PERCENTS = [0, 50, 100];
const [FIRST_TOP, SECTION, ROW] = [84, 336, 146];
const [HEIGHT, PLOT, COLUMN, LEFT, INSET] = [96, 142, 190, 48, 16];

/** The place of a plot. */
interface Panel {
  readonly measure: Goal;
  readonly left: number;
  readonly top: number;
}

/** The four measures of the held-out list over the three axes, each with the line of its goal. */
export function runsPicture(runs: readonly Run[]): string {
  const axes = axesOf(runs);
  return picture(TITLE, descriptionOf(axes), FIRST_TOP + axes.length * SECTION - 12, [
    `<text class="soft" x="16" y="48" font-size="13">${NOTE}</text>`,
    ...axes.flatMap((axis, nth) => sectionOf(axis, FIRST_TOP + nth * SECTION)),
  ]);
}

/** Each number in words, for a reader who does not see the lines. */
function descriptionOf(axes: readonly Axis[]): string {
  const sentences = axes.flatMap(({ name, same, points, label, unit }) => [
    `${name}; ${same}.`,
    ...MEASURES.map((measure) => {
      const shares = points.map((point) => `${label(point.at)} ${unit} ${shownOf(point, measure)}`);
      return `${measure}, goal ${GOALS[measure]}%: ${shares.join(', ')}.`;
    }),
  ]);
  return ['Shares of the held-out list.', ...sentences].join(' ');
}

function sectionOf(axis: Axis, top: number): string[] {
  return [
    `<text class="text" x="16" y="${top}" font-weight="600">${escape(axis.name)}</text>`,
    `<text class="soft" x="16" y="${top + 17}" font-size="13">${escape(axis.same)}</text>`,
    ...MEASURES.flatMap((measure, nth) => {
      const [column, row] = [nth % 2, Math.floor(nth / 2)];
      return panelOf({ measure, left: LEFT + column * COLUMN, top: top + 46 + row * ROW }, axis);
    }),
  ];
}

function panelOf({ measure, left, top }: Panel, { points, label }: Axis): string[] {
  const y = (value: number): number => round(top + HEIGHT * (1 - value / 100));
  const places = points.map((point) => [round(left + placeOf(point, points)), y(percentOf(point, measure))] as const);
  const text = (x: number, at: number, content: string, more = ' text-anchor="middle"'): string =>
    `<text class="soft" x="${x}" y="${round(at)}" font-size="13"${more}>${content}</text>`;
  return [
    `<text class="text" x="${left}" y="${top - 10}" font-size="13">${measure}</text>`,
    ...PERCENTS.flatMap((value) => [
      `<line class="grid" x1="${left}" x2="${left + PLOT}" y1="${y(value)}" y2="${y(value)}"/>`,
      text(left - 5, y(value) + 4, `${value}%`, ' text-anchor="end"'),
    ]),
    `<path class="line-other" d="M${left} ${y(GOALS[measure])}h${PLOT}" stroke-width="1.5" stroke-dasharray="5 4"/>`,
    text(left + PLOT - 2, top + HEIGHT - 5, `goal ${GOALS[measure]}%`, ' text-anchor="end"'),
    `<polyline class="line-ours" points="${places.map((place) => place.join(',')).join(' ')}" fill="none" stroke-width="2.5"/>`,
    ...places.flatMap(([x, at], nth) => {
      const point = points[nth] as Point;
      return [
        `<circle class="fill-ours" cx="${x}" cy="${at}" r="3.5"/>`,
        text(x, at + (percentOf(point, measure) < 25 ? -8 : 17), shownOf(point, measure)),
        text(x, top + HEIGHT + 16, label(point.at)),
      ];
    }),
  ];
}

/** Distance from the left of a plot: equal ratios are equal distances. */
function placeOf({ at }: Point, points: readonly Point[]): number {
  const [least = at, most = at] = [points[0]?.at, points.at(-1)?.at];
  const width = PLOT - 2 * INSET;
  return most === least ? INSET + width / 2 : INSET + (width * Math.log(at / least)) / Math.log(most / least);
}

function shownOf(point: Point, measure: Goal): string {
  return `${Math.round(percentOf(point, measure))}%`;
}

function percentOf({ shares }: Point, measure: Goal): number {
  const [right, of] = shares[measure] ?? [0, 0];
  return of === 0 ? 0 : (100 * right) / of;
}
