import type { Budgets, CheckId, Dialect, JsonValue, LedgerRecord, RecordKind, Report } from '../../core/index.ts';
import type { CapabilityDefinition, GrantOption } from '../../workers/api.ts';
import { groupSteps } from '../state/steps.ts';

/** A record with at least these members in its body: a query is data, so that evidence can be asked again anywhere. */
export interface Want {
  readonly kind: RecordKind;
  readonly body: { readonly [name: string]: JsonValue };
  /** A record with these members is not meant. */
  readonly except?: { readonly [name: string]: JsonValue };
}

/** What the checks must say of a falsified copy, or of the run itself where nothing was falsified last. */
export interface AuditWant {
  readonly last?: string;
  readonly fails: readonly CheckId[];
  /** Which must not fail; they need not have been run. */
  readonly passes: readonly CheckId[];
  /** Which must have been run, and passed. */
  readonly proves?: readonly CheckId[];
}

/** One of the scenario's papers as content, names for its places, and what becomes of it when the learner changes it. */
export interface Paper {
  readonly path: string;
  /** What each symbol stands for: the whole file, or the section below these headings, as it is now. */
  readonly symbols: { readonly [symbol: string]: readonly string[] };
  readonly change: { readonly from: string; readonly to: string };
}

/** One thing to bring about. It is done when the ledger says so; nobody ticks it off. */
export interface Task {
  readonly say: string;
  readonly hint: string;
  /** Steps of one run, in this order; the wants of each are met by records of that step, in order. */
  readonly steps?: readonly (readonly Want[])[];
  readonly audit?: AuditWant;
}

/** One move of the answer key, as a person would make it on the page. */
export type Move =
  | { readonly send: string }
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
  /** `audit`: on a run made by `opening`, in the audit panel. `page`: on the page's own runs first. */
  readonly place?: 'audit' | 'page';
  readonly opening?: readonly string[];
  readonly starters: readonly { readonly word: string; readonly text: string }[];
  readonly tasks: readonly Task[];
  readonly why: string;
  readonly key: readonly Move[];
}

/** True when the records of one run, in order, hold what the task wants. */
export function ledgerShows({ steps }: Task, records: readonly LedgerRecord[]): boolean {
  if (steps === undefined) return false;
  let wanted = 0;
  for (const group of groupSteps(records)) {
    const step = steps[wanted];
    if (step !== undefined && inOrder(step, group.records)) wanted += 1;
  }
  return wanted === steps.length;
}

/** True when the audit of a copy shows what the task wants. */
export function auditShows({ audit }: Task, last: string | undefined, report: Report | undefined): boolean {
  if (audit === undefined || report === undefined || last !== audit.last) return false;
  const status = (id: CheckId) => report.checks.find((check) => check.id === id)?.status;
  return (
    audit.fails.every((id) => status(id) === 'fail') &&
    audit.passes.every((id) => status(id) !== 'fail') &&
    (audit.proves ?? []).every((id) => status(id) === 'pass')
  );
}

function inOrder(wants: readonly Want[], records: readonly LedgerRecord[]): boolean {
  let wanted = 0;
  for (const { kind, body } of records) {
    const want = wants[wanted];
    if (want?.kind !== kind || !covers(body, want.body)) continue;
    if (want.except === undefined || !covers(body, want.except)) wanted += 1;
  }
  return wanted === wants.length;
}

function covers(value: unknown, wanted: JsonValue): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(wanted).every(
    ([name, inner]) =>
      Object.hasOwn(value, name) && covers((value as Record<string, unknown>)[name], inner as JsonValue),
  );
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
