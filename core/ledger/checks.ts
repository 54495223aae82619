import { isHash } from '../hash.ts';
import { isCount, isObject } from '../json/value.ts';
import { demand, type OptionType } from '../option.ts';
import type { Finding } from './export.ts';

/**
 * First difference between a record made again and the recorded record: its place, and both texts, of strangers, cut to
 * size.
 */
export interface Difference {
  /** JSON pointer into the body; empty where the record is absent. */
  readonly pointer: string;
  readonly recorded: string;
  readonly again: string;
}

export type CheckId = 'form' | 'hashes' | 'links' | 'anchor' | 'decisions' | 'replay';

/** What a failed check says of a run: each has its own exit code, and the first of them decides. */
export const FAILURES = ['malformed', 'tampered', 'decision', 'replay'] as const;
export type Failure = (typeof FAILURES)[number];

interface CheckTerms {
  readonly failure: Failure;
  /** The records are whole, so that their decisions can be made again, only where it has passed. */
  readonly isOfWhole: boolean;
}

/** The checks, in the order of a report. */
const CHECKS: { readonly [C in CheckId]: CheckTerms } = {
  form: { failure: 'malformed', isOfWhole: true },
  hashes: { failure: 'tampered', isOfWhole: true },
  links: { failure: 'tampered', isOfWhole: true },
  anchor: { failure: 'tampered', isOfWhole: false },
  decisions: { failure: 'decision', isOfWhole: false },
  replay: { failure: 'replay', isOfWhole: false },
};

/** What this check says where it has failed; a check that is not known here says that the run was altered. */
export function failureOf({ id }: Check): Failure {
  return Object.hasOwn(CHECKS, id) ? CHECKS[id].failure : 'tampered';
}

/** The checks of a report from their findings. A check without findings was not run. */
export function checksOf(findings: { readonly [C in CheckId]: Findings | undefined }): readonly Check[] {
  return CHECK_IDS.map((id) => toCheck(id, findings[id]));
}

const CHECK_IDS = Object.keys(CHECKS) as readonly CheckId[];

/** A check, with the number of checked items and the first fault. */
export interface Check {
  readonly id: CheckId;
  readonly status: 'pass' | 'fail' | 'not_run';
  readonly count: number;
  readonly first?: Finding;
  /** The found and the expected text. */
  readonly difference?: Difference;
  /** Items that could not be checked: their number, and the first of them with its reason. */
  readonly skipped?: { readonly count: number; readonly first: Finding };
  /** Parts of the check that were not run although the rest was. */
  readonly parts?: readonly CheckPart[];
}

/** Parts of a check that can stay out on their own: another engine repeats neither the fuel nor the heap of a call. */
export type CheckPartId = 'fuel' | 'heap';

/** A part of a check that was not run for the calls of a run: their number, and the first of them with its reason. */
export interface CheckPart {
  readonly id: CheckPartId;
  readonly status: 'not_run';
  readonly skipped: { readonly count: number; readonly first: Finding };
}

/** Six named checks instead of a single boolean; `ok` only says that no check failed. */
export interface Report {
  readonly ok: boolean;
  readonly checks: readonly Check[];
  readonly records: number;
  readonly head: string;
  readonly root: string;
}

/** Result of a check: the number of checked items, and the faults in the order of the run. */
export interface Findings {
  readonly count: number;
  readonly wrong: readonly Finding[];
  readonly difference?: Difference;
  readonly skipped?: readonly Finding[];
  /** The items that could not be checked in a part, by the part. */
  readonly parts?: { readonly [P in CheckPartId]?: readonly Finding[] };
}

export const REPORT: OptionType = ['a report', (value) => isObject(value) && Array.isArray(value['checks'])];

export const ANCHOR: OptionType = [
  'a checkpoint, or {count, head}',
  (value) => typeof value === 'string' || isObject(value),
];

export const STORED: OptionType = [
  'the head of a run: {records, head}',
  (value) => isObject(value) && isCount(value['records']) && isHash(value['head']),
];

/** True if the records are complete and unaltered, so that their decisions can be made again. */
export function isWhole(report: Report): boolean {
  demand('report', report, REPORT);
  return report.checks.every(
    ({ id, status }) => status === 'pass' || (Object.hasOwn(CHECKS, id) && !CHECKS[id].isOfWhole),
  );
}

/** The report with a further check. */
export function withCheck(report: Report, id: CheckId, findings: Findings | undefined): Report {
  const checks = report.checks.map((check) => (check.id === id ? toCheck(id, findings) : check));
  return { ...report, ok: isOk(checks), checks };
}

/** True unless a check failed. */
export function isOk(checks: readonly Check[]): boolean {
  return checks.every((check) => check.status !== 'fail');
}

function toCheck(id: CheckId, findings: Findings | undefined): Check {
  if (findings === undefined) return { id, status: 'not_run', count: 0 };
  const { count, wrong, difference, skipped = [] } = findings;
  const [first] = wrong;
  const parts = partsOf(findings);
  const left = { ...leftOut(skipped), ...(parts.length > 0 && { parts }) };
  if (first !== undefined) return { id, status: 'fail', count, first, ...(difference && { difference }), ...left };
  // all items were skipped: this is not a pass
  return { id, status: count === 0 && skipped.length > 0 ? 'not_run' : 'pass', count, ...left };
}

function leftOut([first, ...more]: readonly Finding[]): Pick<Check, 'skipped'> {
  return first === undefined ? {} : { skipped: { count: 1 + more.length, first } };
}

const PARTS: readonly CheckPartId[] = ['fuel', 'heap'];

function partsOf({ parts = {} }: Findings): readonly CheckPart[] {
  return PARTS.flatMap((id) => {
    const { skipped } = leftOut(parts[id] ?? []);
    return skipped === undefined ? [] : [{ id, status: 'not_run', skipped }];
  });
}
