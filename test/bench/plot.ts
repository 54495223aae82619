import type { Results } from './results.ts';
import type { Row } from './table.ts';

/** One line of the plot: µs of a step by the number of steps of the run. */
interface Line {
  readonly name: string;
  readonly points: readonly (readonly [steps: number, us: number])[];
}

const [WIDTH, HEIGHT] = [720, 360];
const [LEFT, RIGHT, TOP, BOTTOM] = [70, 210, 40, 310];
/** Colours that stand apart on light and dark ground. */
const COLOURS = ['#2f81f7', '#d4762c', '#3fa45b', '#a371d9', '#c9438f', '#8a8f98'];

/** The time of a step by the length of its run, both axes logarithmic, as a picture for light and dark pages. */
export function stepsPlot(results: Results): string {
  const lines = linesOf(results);
  const all = lines.flatMap(({ points }) => points.map(([, us]) => us));
  const [low, high] = [Math.floor(Math.log10(Math.min(...all))), Math.ceil(Math.log10(Math.max(...all)))];
  const x = (steps: number) => LEFT + ((Math.log10(steps) - 2) / 2) * (WIDTH - RIGHT - LEFT);
  const y = (us: number) => BOTTOM - ((Math.log10(us) - low) / Math.max(1, high - low)) * (BOTTOM - TOP);
  const decades = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13">`,
    '<style>text{fill:#24292f}.grid{stroke:#d0d7de}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.grid{stroke:#444c56}}</style>',
    `<text x="${LEFT}" y="20" font-weight="bold">Time of a step by the number of steps of its run, in Node</text>`,
    ...decades.flatMap((us) => [
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(y(us))}" y2="${round(y(us))}"/>`,
      `<text x="${LEFT - 8}" y="${round(y(us) + 4)}" text-anchor="end">${us < 1000 ? `${us} µs` : `${us / 1000} ms`}</text>`,
    ]),
    ...[100, 1_000, 10_000].map(
      (steps) =>
        `<text x="${round(x(steps))}" y="${BOTTOM + 22}" text-anchor="middle">${steps.toLocaleString('en')}</text>`,
    ),
    ...legendOf(lines, y).flatMap(({ name, points, labelY }, at) =>
      drawn(name, points, labelY, COLOURS[at] ?? '', x, y),
    ),
    '</svg>',
    '',
  ].join('\n');
}

/** Sallyport as shipped at each length, and each peer where it was measured: the median round. */
function linesOf({ measured }: Results): Line[] {
  const rows = measured.filter(({ engine }) => engine === 'node').flatMap((each) => each.rows);
  const steps = rows.filter(({ what }) => what.startsWith('step as shipped, N = '));
  const own = steps.map((row) => [lengthOf(row), row.ours.median] as const);
  const names = [...new Set(steps.filter(({ against }) => /\d\.\d/.test(against)).map(({ against }) => against))];
  const peers = names.map((name) => {
    const theirs = steps.filter(({ against, theirs }) => against === name && theirs !== undefined);
    return { name, points: theirs.map((row) => [lengthOf(row), row.theirs?.median ?? Number.NaN] as const) };
  });
  // a length that was measured in several sections counts once
  const shipped = [...new Map(own).entries()].toSorted(([a], [b]) => a - b);
  return [{ name: 'Sallyport as shipped', points: shipped }, ...peers].filter(({ points }) => points.length > 0);
}

function lengthOf({ what }: Row): number {
  return Number(/N = (\d+)/.exec(what)?.[1]);
}

/** The lines with the height of each name: near the line's end, and clear of the other names. */
function legendOf(lines: readonly Line[], y: (us: number) => number): (Line & { readonly labelY: number })[] {
  let last = Number.NEGATIVE_INFINITY;
  const placed = lines
    .map((line) => ({ ...line, labelY: y(line.points.at(-1)?.[1] ?? 1) }))
    .toSorted((a, b) => a.labelY - b.labelY)
    .map((line) => {
      last = Math.max(line.labelY, last + 18);
      return { ...line, labelY: last };
    });
  return lines.map(({ name }) => placed.find((line) => line.name === name) as (typeof placed)[number]);
}

function drawn(
  name: string,
  points: Line['points'],
  labelY: number,
  colour: string,
  x: (steps: number) => number,
  y: (us: number) => number,
): string[] {
  const places = points.map(([steps, us]) => `${round(x(steps))},${round(y(us))}`);
  const dots = places
    .map((place) => place.split(','))
    .map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`);
  const line = `<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`;
  return [
    line,
    ...dots,
    `<text x="${WIDTH - RIGHT + 12}" y="${round(labelY + 4)}" style="fill:${colour}">${name}</text>`,
  ];
}

function round(number: number): number {
  return Number(number.toFixed(1));
}
