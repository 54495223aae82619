import type { Label } from '../../../../core/capability/guard.ts';
import type { AllowedBy } from '../../../../core/privilege/allowed.ts';
import { type Card, cardsOf, ruleArticle, type ShownRule, shown } from './page-html.ts';
import { momentText } from './watch.ts';

/** Something that is permitted, as the page shows it. Every text may be a stranger's. */
export interface ShownAllowed extends Omit<ShownRule, 'tool'> {
  /** Absent for an entry of the configuration that has no force now. */
  readonly by?: AllowedBy;
  readonly tools: readonly string[];
  readonly mode: 'allow' | 'ask';
  /** Its other terms, as JSON; absent: every call. */
  readonly terms?: string;
  /** The question that a person answered with it. */
  readonly question?: { readonly run_id: string; readonly step: number };
  readonly uses: number;
  /** ms since epoch */
  readonly last?: number;
  /** Ids of the newest runs that used it. */
  readonly runs: readonly string[];
  readonly runCount: number;
  readonly isUnused?: boolean;
  /** It is taken back here. */
  readonly canEnd: boolean;
}

/** A source that was handed held values. */
interface ShownSource {
  readonly id: string;
  readonly source: string;
  readonly labels: readonly Label[];
}

/** The list of what is permitted. */
interface ShownAllowedList {
  readonly rows: readonly ShownAllowed[];
  readonly sources: readonly ShownSource[];
  /** Time from which on uses are counted, ms since epoch; absent without decisions. */
  readonly since?: number;
  readonly isCut: boolean;
}

/** The list as HTML. */
export interface AllowedSections {
  readonly note: string;
  readonly grants: readonly Card[];
  readonly sources: readonly Card[];
}

export function allowedSections({ rows, sources, since, isCut }: ShownAllowedList): AllowedSections {
  const counted = since === undefined ? 'No call was decided yet.' : `Uses are counted since ${momentText(since)}`;
  const cut = isCut ? ', over the newest 100,000 decisions' : '';
  return {
    note: since === undefined ? counted : `${counted}${cut}.`,
    grants: cardsOf(rows, allowedArticle),
    sources: cardsOf(sources, sourceArticle),
  };
}

/** Tools that a card names. */
const NAMES_MAX = 20;
/** Runs that a card names. */
const RUNS_MAX = 5;

function allowedArticle(row: ShownAllowed): Card {
  const { by, tools, mode, terms, isUnused, uses, last = 0, runCount, canEnd } = row;
  const names = tools.slice(0, NAMES_MAX).map((tool) => `<code>${shown(tool)}</code>`);
  const rest = tools.length - names.length;
  const who = `${names.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
  const one = tools.length === 1;
  const runs = mode === 'allow' ? `${one ? 'runs' : 'run'} without a question` : one ? 'asks' : 'ask';
  const lines = [
    whyText(row),
    ...(by === undefined ? [] : [usesText(row)]),
    ...(isUnused ? ['<strong class="effect">Unused for 30 days.</strong>'] : []),
    ...(terms === undefined ? [] : [`Its terms: <code>${shown(terms)}</code>`]),
  ];
  const state = `-${by ?? 'none'}-${uses}-${last}-${runCount}${isUnused ? '-unused' : ''}`;
  const button = !canEnd ? '' : by === 'watch' ? 'End the watch' : 'Take back';
  return ruleArticle(row, `${who} ${runs}`, lines, { state, button });
}

const WHY: { readonly [B in AllowedBy]: string } = {
  program: 'By the command line: start without <code>--allow</code> to take it back.',
  configuration: 'By a grant of the configuration.',
  always: 'Because you said <em>Always</em>.',
  answer: 'Because you answered for the rest of a run. It ends with the run.',
  watch: 'By the watch, where no rule speaks.',
};

function whyText({ by, question, mode, idle }: ShownAllowed): string {
  const back = mode === 'allow' ? ' Taken back, each call asks.' : ' Each other call asks, too.';
  if (by === undefined)
    return `It stands in the configuration${idle === undefined ? ', and adds nothing now: it has ended, its uses are spent, or another entry says the same' : ''}.`;
  const asked =
    question === undefined
      ? ''
      : ` The question: step ${question.step} of run <code>${shown(question.run_id.slice(0, 8))}</code>.`;
  return `${WHY[by]}${asked}${by === 'configuration' || by === 'always' ? back : ''}`;
}

function usesText({ uses, last, runs, runCount }: ShownAllowed): string {
  if (last === undefined) return 'Never used.';
  const times = uses === 1 ? 'Used once' : `Used ${uses} times in ${runCount === 1 ? 'one run' : `${runCount} runs`}`;
  const named = runs.slice(0, RUNS_MAX).map((run) => `<code>${shown(run.slice(0, 8))}</code>`);
  const rest = runCount - named.length;
  return `${times}, last on ${momentText(last)}. ${runCount === 1 ? 'Run' : 'Runs'} ${named.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}.`;
}

function sourceArticle({ id, source, labels }: ShownSource): Card {
  const title = `<code>${shown(source)}</code> was handed held values`;
  const told = labels.length === 0 ? 'no label' : `the labels ${labels.join(' and ')}`;
  const lines = [
    `In every run its results have at least ${told}. Cleared, runs that begin from now on know nothing of what it was handed.`,
  ];
  return ruleArticle({ id }, title, lines, { state: `-${labels.join('-')}`, button: 'Clear' });
}
