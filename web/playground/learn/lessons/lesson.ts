import type { Budgets, Dialect } from '../../../../core/index.ts';
import type { TaskWant, Want } from '../../../../core/lesson/shows.ts';
import type { CapabilityDefinition, GrantOption } from '../../../../workers/api.ts';

export { auditShows, ledgerShows } from '../../../../core/lesson/shows.ts';

/** A paper of the scenario as content, names for its places, and its change when the learner edits it. */
export interface Paper {
  readonly path: string;
  /** The content of each symbol: the whole file, or the section below these headings, in its current text. */
  readonly symbols: { readonly [symbol: string]: readonly string[] };
  readonly change: { readonly from: string; readonly to: string };
}

/** A task of a lesson. It is done when the ledger shows it; the learner cannot tick it off. */
export interface Task extends TaskWant {
  readonly say: string;
  readonly hint: string;
}

/** A move of the answer key, as a person would make it on the page. */
export type LessonMove =
  | { readonly send: string }
  /** Asks the small model, held to the form of a proposal or not, and sends what it says. */
  | { readonly ask: string; readonly held: boolean }
  | { readonly answer: 'approve' | 'deny'; readonly reason?: string }
  | { readonly choice: number }
  | { readonly source: string }
  | { readonly tamper: string }
  | { readonly anchor: 'clear' | 'restore' }
  | { readonly rewrite: true }
  | { readonly replay: true }
  | { readonly unplug: true };

export interface Choice {
  readonly word: string;
  readonly grants: readonly GrantOption[];
}

export interface Lesson {
  readonly number: number;
  readonly title: string;
  readonly minutes: number;
  readonly goal: string;
  readonly predict: {
    readonly question: string;
    readonly answers: readonly string[];
    readonly right: number;
    readonly because: string;
  };
  /** Names from the catalogue, and definitions of the lesson's own. */
  readonly capabilities: readonly string[];
  readonly own?: readonly CapabilityDefinition[];
  readonly grants: readonly GrantOption[];
  /** The form of proposals; XCT where it is not said. */
  readonly dialect?: Dialect;
  readonly budgets?: Budgets;
  readonly paper?: Paper;
  /** Other grants to choose from; choosing starts another run. */
  readonly choices?: readonly Choice[];
  /** The learner writes the source of the first of `own`. */
  readonly writes?: true;
  /** The small model proposes: the learner gives it an order, and sends what it says. `starters` are orders. */
  readonly asks?: true;
  /** `audit`: on a run made by `opening`, in the audit panel. `page`: on the page's own runs first. */
  readonly place?: 'audit' | 'page';
  readonly opening?: readonly string[];
  readonly starters: readonly { readonly word: string; readonly text: string }[];
  readonly tasks: readonly Task[];
  readonly why: string;
  readonly key: readonly LessonMove[];
}

/** A proposal in the XCT form, as the lessons write it. */
export function call(tool: string, args: string, goal = 'Learn'): string {
  return `{"next_step":{"tool":"${tool}","arguments":${args},"goal":"${goal}"}}`;
}

export function rejected(step: string, code?: string): Want {
  return { kind: 'verdict', body: { accepted: false, refusal: { step, ...(code === undefined ? {} : { code }) } } };
}

export function called(capability: string): Want {
  return { kind: 'verdict', body: { accepted: true, capability } };
}

export function receipt(status: 'SUCCESS' | 'FAILURE', code?: string): Want {
  return {
    kind: 'receipt',
    body: { receipt: { status }, evidence: code === undefined ? {} : { reason: { code } } },
  };
}
