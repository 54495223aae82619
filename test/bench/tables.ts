import { firstReceiptPlot, peersPlot, sandboxesPlot } from './bars.ts';
import { fillPlaces, type Lines, span, table } from './places.ts';
import { stepsPlot } from './plot.ts';
import type { Measured, Results } from './results.ts';
import { amount, duration, met, pair, plain, type Row, said } from './table.ts';

/** A table of results: the name that its place in a text has, and its lines. */
type Table = (results: Results) => readonly string[];

/** Names of engines in the tables. */
const ENGINES: Readonly<Record<string, string>> = { node: 'Node', chromium: 'Chromium', firefox: 'Firefox' };
/** Sections whose rows in Node have a place in the table of goals: the other sections stand there for browsers. */
const OF_NODE = ['shipped', 'start', 'scale', 'memory'];

const TABLES: Readonly<Record<string, Table>> = {
  conditions,
  goals: goalTable,
  peers: (results) => peerTable(results, 'step'),
  sandboxes: (results) => peerTable(results, 'sandbox'),
  databases: databaseTable,
};

/** The plots, each by its path from the root. */
export const PICTURES: Readonly<Record<string, (results: Results) => string>> = {
  'web/docs/pictures/first-receipt.svg': firstReceiptPlot,
  'web/docs/pictures/peers.svg': peersPlot,
  'web/docs/pictures/sandboxes.svg': sandboxesPlot,
  'web/docs/pictures/steps.svg': stepsPlot,
};

/** The text with each of its tables made anew. Throws for a place that no table has. */
export function fillTables(text: string, results: Results): string {
  const tables = Object.entries(TABLES).map(([name, make]): [string, Lines] => [name, () => make(results)]);
  return fillPlaces(text, 'bench', Object.fromEntries(tables));
}

/** Machine, versions, days and load. */
function conditions({ machine, measured, versions }: Results): string[] {
  const { cpu, cores, memoryGb, system } = machine;
  const engines = [...new Set(measured.map(({ version }) => version))].join(', ');
  const days = span(measured.map(({ date }) => date).toSorted());
  // memory is the same on a busy machine, and the table of databases tells a load of its own
  const timed = measured.filter(
    ({ section, rows }) => section !== 'databases' && rows.some(({ unit }) => unit !== 'MB'),
  );
  const loads = timed.map(({ load }) => load).toSorted((a, b) => a - b);
  const isBusy = (loads.at(-1) ?? 0) > cores;
  const busy = isBusy
    ? ': more threads wanted the processor than it has cores, so times are long and ratios uncertain'
    : '';
  return [
    `Sallyport ${versions['sallyport']}, ${engines}; ${cores} cores of ${cpu}, ${memoryGb} GB, ${system}; ${days}. The load of the machine was ${span(loads)} when these times were printed${busy}.`,
  ];
}

interface Place {
  readonly measured: Measured;
  readonly row: Row;
}

function placesOf({ measured }: Results, isWanted: (measured: Measured, row: Row) => boolean): Place[] {
  const all = measured.flatMap((each) => each.rows.map((row) => ({ measured: each, row })));
  return all.filter(({ measured: each, row }) => isWanted(each, row));
}

/** All rows with a goal, the best and the median round of each. */
function goalTable(results: Results): string[] {
  const places = placesOf(results, ({ engine, section }, { goal }) => {
    return goal !== undefined && (engine !== 'node' || OF_NODE.includes(section));
  });
  const lines = places.map(({ measured: { engine }, row }) => {
    const limit = row.goal as NonNullable<Row['goal']>;
    const [against, value] = 'ratio' in limit ? [row.against, pair(row.ratio, plain)] : ['', `(${amount(row)})`];
    const end = {
      '': '',
      yes: '',
      best: ', by the best round alone',
      median: ', by the median round alone',
      NO: ', **missed**',
    }[met(row)];
    return [row.what, ENGINES[engine] ?? engine, against, value, `${said(limit)}${end}`];
  });
  return table(['what', 'where', 'against', 'ratio', 'goal'], lines);
}

function peerTable(results: Results, kind: string): string[] {
  const isWanted = ({ section }: Measured, { what }: Row) => section === 'peers' && what.startsWith(kind);
  const lines = placesOf(results, isWanted).map(({ row }) => [
    row.against,
    row.what.replace(/^.*N = (\d+).*$/, '$1 steps'),
    row.missing ?? pair(row.theirs, duration),
    pair(row.ours, duration),
  ]);
  return table(['package', 'measured', 'its time', 'Sallyport in the same turns'], lines);
}

/** Durable steps: where they were measured, and a row for each size and each side beside Sallyport's pure call. */
function databaseTable(results: Results): string[] {
  const places = placesOf(results, ({ section }) => section === 'databases');
  const lines = places.map(({ row }) => {
    const [, database = '', size = ''] = /^durable step in (\S+).*, Node [^,]+, (.+)$/.exec(row.what) ?? [];
    const ratio = row.ratio === undefined ? '' : pair(row.ratio, plain);
    return [database, size, row.against, row.missing ?? pair(row.theirs, duration), pair(row.ours, duration), ratio];
  });
  const [first] = places;
  if (first === undefined) return [];
  const { date, load } = first.measured;
  const node = /Node [\d.]+/.exec(first.row.what)?.[0] ?? '';
  return [
    `${node}, ${date}; the load of the machine was up to ${load} on ${results.machine.cores} cores.`,
    '',
    ...table(['database', 'size', 'against', 'its step', 'a pure step of Sallyport', 'ratio'], lines),
  ];
}
