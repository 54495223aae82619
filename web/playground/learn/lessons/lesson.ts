import type { Budgets, Dialect, ToolDefinition } from '../../../../core/index.ts';
import type { TaskWant, Want } from '../../../../core/lesson/shows.ts';
import type { CapabilityDefinition, GrantOption } from '../../../../workers/api.ts';
import { type LessonsTexts, type LessonTexts, lessons } from '../../../texts/en/learn.ts';

export type { TaskWant } from '../../../../core/lesson/shows.ts';
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
  /** False where the run has no guard. */
  readonly guard: boolean;
}

/** A lesson. Its words are in the language of the interface, at the moment they are read. */
export interface Lesson {
  readonly number: number;
  readonly title: string;
  readonly minutes: number;
  /** The task of its run, as the ledger records it: the English title. */
  readonly task: string;
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
  /** Tools that the page carries out for it. */
  readonly tools?: readonly ToolDefinition[];
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

/** A lesson without its words. `right` is the index of the right answer. */
export interface LessonContent<T extends LessonTexts>
  extends Omit<Lesson, 'task' | 'choices' | keyof LessonTexts>,
    Pick<Lesson['predict'], 'right'> {
  /** Proposals, or orders to the small model. */
  readonly starters: { readonly [N in keyof T['starters']]: string };
  readonly choices?: { readonly [N in keyof NonNullable<T['choices']>]: readonly GrantOption[] };
  /** The choice whose run has no guard. */
  readonly unguarded?: keyof NonNullable<T['choices']>;
  readonly tasks: { readonly [N in keyof T['tasks']]: TaskWant };
}

/** The texts of a lesson in the current language, and its title in English. */
interface LessonArea<T extends LessonTexts> {
  (): T;
  readonly english: { readonly title: string };
}

/** Names of the lessons whose table has all of their words; the lesson of attacks has the attacks' own titles, too. */
type LessonName = Exclude<keyof LessonsTexts, 'breakOut'>;

/** The lesson whose words have this name in the table of lessons. */
export function lesson<N extends LessonName>(name: N, content: LessonContent<LessonsTexts[N]>): Lesson {
  return lessonOf<LessonsTexts[N]>(
    Object.assign(() => lessons()[name], { english: lessons.english[name] }),
    content,
  );
}

/** A lesson with the words of these texts. The compiler demands a word for each starter, choice and task. */
export function lessonOf<T extends LessonTexts>(texts: LessonArea<T>, content: LessonContent<T>): Lesson {
  const { right, starters, choices, unguarded, tasks, ...rest } = content;
  const told = (): LessonTexts => texts();
  return {
    ...rest,
    task: texts.english.title,
    get title() {
      return told().title;
    },
    get goal() {
      return told().goal;
    },
    get why() {
      return told().why;
    },
    get predict() {
      return { ...told().predict, right };
    },
    starters: named(starters, (name, text) => ({
      text,
      get word() {
        return told().starters[name] ?? '';
      },
    })),
    ...(choices && {
      choices: named(choices, (name, grants) => ({
        grants,
        guard: name !== unguarded,
        get word() {
          return told().choices?.[name] ?? '';
        },
      })),
    }),
    tasks: named(tasks, (name, want) => ({
      ...want,
      get say() {
        return told().tasks[name]?.say ?? '';
      },
      get hint() {
        return told().tasks[name]?.hint ?? '';
      },
    })),
  };
}

/** The members of an object, in order. */
function named<V, R>(members: { readonly [name: string]: V }, make: (name: string, value: V) => R): readonly R[] {
  return Object.entries(members).map(([name, value]) => make(name, value));
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
