import type { Judged } from './evaluate.ts';
import { GOALS } from './goals.ts';

export interface Share {
  readonly name: string;
  readonly right: number;
  readonly of: number;
}

/** The measures of a list of judged tasks. */
export function sharesOf(judged: readonly Judged[]): readonly Share[] {
  const sum = (of: readonly Judged[], count: (one: Judged) => number): number =>
    of.reduce((total, one) => total + count(one), 0);
  const wholes = (name: string, of: readonly Judged[]): Share => ({
    name,
    right: sum(of, ({ verdict }) => Number(verdict.whole)),
    of: of.length,
  });
  const kind = (...kinds: (string | undefined)[]): readonly Judged[] =>
    judged.filter(({ task }) => kinds.includes(task.kind));
  const calls = sum(judged, ({ verdict }) => verdict.calls);
  const proposals = sum(judged, ({ verdict }) => verdict.proposals);
  return [
    { name: 'right tool', right: sum(judged, ({ verdict }) => verdict.rightTools), of: calls },
    { name: 'exact arguments', right: sum(judged, ({ verdict }) => verdict.exactArguments), of: calls },
    wholes('whole tasks', judged),
    wholes('recovery and refusals', kind('recover', 'refusal', 'decline')),
    wholes('one call', kind(undefined)),
    wholes('two calls', kind('two')),
    wholes('corrected after a bad proposal', kind('recover')),
    wholes('refusal or failure told', kind('refusal')),
    wholes('unknown task declined', kind('decline')),
    wholes(
      'whole tasks in xct',
      judged.filter(({ dialect }) => dialect === 'xct'),
    ),
    wholes(
      'whole tasks in femtoclaw',
      judged.filter(({ dialect }) => dialect === 'femtoclaw'),
    ),
    { name: 'proposals in a form', right: proposals - sum(judged, ({ verdict }) => verdict.invalid), of: proposals },
  ];
}

export function tableOf(columns: ReadonlyMap<string, readonly Judged[]>): string {
  const shares = new Map([...columns].map(([name, judged]) => [name, sharesOf(judged)]));
  const [first = []] = shares.values();
  const head = `| | goal | ${[...columns.keys()].join(' | ')} |\n|---|---|${'---|'.repeat(columns.size)}`;
  const rows = first.map(({ name }, at) => {
    const goal = (GOALS as { readonly [name: string]: number })[name];
    const cells = [...shares.values()].map((column) => percent(column[at]));
    return `| ${name} | ${goal === undefined ? '' : `${goal}%`} | ${cells.join(' | ')} |`;
  });
  return [head, ...rows].join('\n');
}

function percent(share: Share | undefined): string {
  if (share === undefined || share.of === 0) return '';
  return `${Math.round((100 * share.right) / share.of)}% (${share.right}/${share.of})`;
}
