import { GOALS } from './goals.ts';
import { type JudgedLists, type Run, type Shares, shippedOf } from './runs.ts';

/** Columns of the table, with the lists that they show. */
const COLUMNS: readonly (readonly [name: string, list: Exclude<keyof JudgedLists, 'sha256'>])[] = [
  ['held-out', 'held-out tasks'],
  ['held-out phrases of no template', 'held-out phrases of no template'],
  ['development', 'development tasks'],
  ['development phrases of no template', 'development phrases of no template'],
];

const ROWS = [
  ...Object.keys(GOALS),
  'corrected after a bad proposal',
  'refusal or failure told',
  'unknown task declined',
  'proposals in a form',
];

/** What the shipped weights reach, with a sentence on their training and one on the goals. */
export function shippedTable(runs: readonly Run[]): string {
  const { seconds, episodes, judged } = shippedOf(runs);
  const counted = judged?.['held-out tasks'];
  if (counted === undefined) throw new Error('The shipped run is not judged.');
  return [
    `The weights were trained from nothing in ${seconds.toLocaleString('en')} seconds of one processor, with ${episodes.toLocaleString('en')} episodes. ${missedGoals(counted)}`,
    '',
    `| | goal | ${COLUMNS.map(([name]) => name).join(' | ')} |`,
    `|---|---|${'---|'.repeat(COLUMNS.length)}`,
    ...ROWS.map((row) => {
      const cells = COLUMNS.map(([, list]) => cellOf(judged?.[list]?.[row]));
      return `| ${row} | ${goalOf(row)} | ${cells.join(' | ')} |`;
    }),
    '',
    `The generator can make the phrases of ${knownOf(judged, 'held-out')} held-out and of ${knownOf(judged, 'development')} development tasks.`,
  ].join('\n');
}

/** How many tasks of a list have a phrase that a template can make too. */
function knownOf(judged: JudgedLists | undefined, list: 'held-out' | 'development'): string {
  const of = (shares: Shares | undefined): number => shares?.['whole tasks']?.[1] ?? 0;
  const all = of(judged?.[`${list} tasks`]);
  return `${all - of(judged?.[`${list} phrases of no template`])} of ${all}`;
}

function missedGoals(counted: Shares): string {
  const all = Object.entries(GOALS);
  const missed = all.filter(([name, goal]) => {
    const [right, of] = counted[name] ?? [0, 1];
    return (100 * right) / of < goal;
  });
  return `Goals missed on the held-out list: ${missed.length} of ${all.length}.`;
}

function goalOf(row: string): string {
  const goal = (GOALS as { readonly [name: string]: number })[row];
  return goal === undefined ? '' : `${goal}%`;
}

function cellOf(share: Shares[string] | undefined): string {
  if (share === undefined || share[1] === 0) return '';
  return `${Math.round((100 * share[0]) / share[1])}% (${share[0]} of ${share[1]})`;
}
