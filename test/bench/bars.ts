import { escape, picture, round, WIDTH } from './picture.ts';
import type { Results } from './results.ts';
import { duration, type Row } from './table.ts';

/** A bar: its name, and the µs of the median round; absent where the package was not measured. */
interface Bar {
  readonly name: string;
  readonly us: number | undefined;
  readonly isOurs: boolean;
}

const [LEFT, RIGHT, TOP, ROW] = [16, WIDTH - 84, 62, 44];

/** A step of the packages that were measured in the same turns. */
export function peersPlot(results: Results): string {
  return beside(results, 'step as shipped, N = 100,', 'Time of a step, in a run of 100 steps');
}

/** A call of the sandboxes that were measured in the same turns. */
export function sandboxesPlot(results: Results): string {
  return beside(results, 'sandbox', 'Time of a trivial call of a guest');
}

/** The waits for a first receipt, now and at the commit that was measured beside. */
export function firstReceiptPlot({ measured }: Results): string {
  const rows = measured.filter(({ section }) => section === 'start').flatMap((each) => each.rows);
  const bars = rows
    .filter(({ against }) => against.startsWith('sallyport at '))
    .flatMap(({ what, against, ours, theirs }) => [
      { name: what.replace('first receipt of ', ''), us: ours.median, isOurs: true },
      { name: against, us: theirs?.median, isOurs: false },
    ]);
  return drawn('Wait for a first receipt', bars);
}

function beside({ measured }: Results, kind: string, title: string): string {
  const rows = measured.filter(({ section }) => section === 'peers').flatMap((each) => each.rows);
  const wanted = rows.filter(({ what }) => what.startsWith(kind));
  const own = wanted[0] === undefined ? [] : [{ name: 'Sallyport', us: wanted[0].ours.median, isOurs: true }];
  return drawn(title, [...own, ...wanted.map(barOf)]);
}

function barOf({ against, theirs, missing }: Row): Bar {
  return { name: missing === undefined ? against : `${against}: ${missing}`, us: theirs?.median, isOurs: false };
}

function drawn(title: string, bars: readonly Bar[]): string {
  const longest = Math.max(1, ...bars.map(({ us = 0 }) => us));
  const said = bars.map(({ name, us }) => (us === undefined ? name : `${name} ${duration(us)}`)).join(', ');
  const parts = bars.flatMap(({ name, us, isOurs }, at) => {
    const y = TOP + at * ROW;
    const label = `<text class="${isOurs ? 'text' : 'soft'}" x="${LEFT}" y="${y + 12}">${escape(name)}</text>`;
    if (us === undefined) return [label];
    const length = Math.max(2, round((us / longest) * (RIGHT - LEFT)));
    return [
      label,
      `<rect class="fill-${isOurs ? 'ours' : 'other'}" x="${LEFT}" y="${y + 18}" width="${length}" height="12" rx="2"/>`,
      `<text class="text" x="${round(LEFT + length + 8)}" y="${y + 29}">${duration(us)}</text>`,
    ];
  });
  const note = `<text class="soft" x="${LEFT}" y="48" font-size="13">Median round. A shorter bar is faster.</text>`;
  return picture(title, `Median rounds: ${said}.`, TOP + bars.length * ROW + 8, [note, ...parts]);
}
