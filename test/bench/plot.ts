import { escape, picture, round, WIDTH } from './picture.ts';
import type { Results } from './results.ts';
import { duration, type Row } from './table.ts';

/** One line of the plot: µs of a step by the number of steps of the run. */
interface Line {
  readonly name: string;
  readonly points: readonly (readonly [steps: number, us: number])[];
  readonly tone: 'ours' | 'other';
  readonly isDashed: boolean;
}

const [LEFT, RIGHT, TOP, BOTTOM] = [64, WIDTH - 30, 64, 270];
const LENGTHS = [100, 1_000, 10_000];
const PLACES: Readonly<Record<string, string>> = { node: 'in Node', chromium: 'in a page' };

/** The time of a step by the length of its run, in Node and in a page, now and at the commit measured beside. */
export function stepsPlot(results: Results): string {
  const lines = linesOf(results);
  const top = niceAbove(Math.max(1, ...lines.flatMap(({ points }) => points.map(([, us]) => us))));
  const x = (steps: number) => LEFT + ((Math.log10(steps) - 2) / 2) * (RIGHT - LEFT);
  const y = (us: number) => BOTTOM - (us / top) * (BOTTOM - TOP);
  const said = lines.map(
    ({ name, points }) => `${name}: ${points.map(([n, us]) => `${n} steps ${duration(us)}`).join(', ')}`,
  );
  return picture(
    'Time of a step by the length of its run',
    `Median rounds. ${said.join('. ')}.`,
    BOTTOM + 50 + lines.length * 22,
    [
      `<text class="soft" x="16" y="48" font-size="13">Median round. The lower axis counts steps.</text>`,
      ...[0, 0.25, 0.5, 0.75, 1].flatMap((part) => [
        `<line class="grid" x1="${LEFT}" x2="${RIGHT}" y1="${round(y(part * top))}" y2="${round(y(part * top))}"/>`,
        `<text class="soft" x="${LEFT - 8}" y="${round(y(part * top) + 5)}" text-anchor="end" font-size="13">${part === 0 ? '0' : duration(part * top)}</text>`,
      ]),
      ...LENGTHS.map(
        (steps) =>
          `<text class="soft" x="${round(x(steps))}" y="${BOTTOM + 20}" text-anchor="middle" font-size="13">${steps.toLocaleString('en')}</text>`,
      ),
      ...lines.flatMap((line, at) => drawn(line, BOTTOM + 48 + at * 22, x, y)),
    ],
  );
}

/** Sallyport as shipped, and the older package of the same turns, each where it was measured: the median round. */
function linesOf({ measured }: Results): Line[] {
  return measured
    .filter(({ section }) => section === 'shipped')
    .flatMap(({ engine, rows }) => {
      const steps = rows.filter(({ what, against }) => / N = \d+/.test(what) && against.startsWith('sallyport at '));
      const place = PLACES[engine] ?? engine;
      const tone = engine === 'node' ? ('ours' as const) : ('other' as const);
      const own = steps.map((row) => [lengthOf(row), row.ours.median] as const);
      const older = steps.map((row) => [lengthOf(row), row.theirs?.median ?? Number.NaN] as const);
      return [
        { name: `Sallyport ${place}`, points: own, tone, isDashed: false },
        { name: `${steps[0]?.against ?? ''} ${place}`, points: older, tone, isDashed: true },
      ];
    })
    .filter(({ points }) => points.length > 0);
}

function lengthOf({ what }: Row): number {
  return Number(/N = (\d+)/.exec(what)?.[1]);
}

/** The next number of µs that a quarter of divides into few digits. */
function niceAbove(us: number): number {
  const decade = 10 ** Math.floor(Math.log10(us));
  return ([1, 2, 4, 6, 8, 10].find((times) => times * decade >= us) ?? 10) * decade;
}

function drawn(
  { name, points, tone, isDashed }: Line,
  legendY: number,
  x: (steps: number) => number,
  y: (us: number) => number,
): string[] {
  const dash = isDashed ? ' stroke-dasharray="6 5"' : '';
  const places = points.map(([steps, us]) => `${round(x(steps))},${round(y(us))}`);
  return [
    `<polyline class="line-${tone}" points="${places.join(' ')}" fill="none" stroke-width="2.5"${dash}/>`,
    `<path class="line-${tone}" d="M16 ${legendY}H46" stroke-width="2.5"${dash}/>`,
    `<text class="text" x="56" y="${legendY + 5}">${escape(name)}</text>`,
  ];
}
