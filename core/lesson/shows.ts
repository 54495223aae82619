import type { JsonValue } from '../json/value.ts';
import type { CheckId, Report } from '../ledger/checks.ts';
import type { LedgerRecord, RecordKind } from '../ledger/record.ts';
import { groupBySteps } from '../ledger/steps.ts';

/** A record with at least these members in its body. A query is data, so that any realm can check the evidence. */
export interface Want {
  readonly kind: RecordKind;
  readonly body: { readonly [name: string]: JsonValue };
  /** A record with these members does not match. */
  readonly except?: { readonly [name: string]: JsonValue };
}

/** Check results to expect of a falsified copy, or of the run itself if no copy was falsified last. */
export interface AuditWant {
  readonly last?: string;
  readonly fails: readonly CheckId[];
  /** Checks that must not fail; they need not have been run. */
  readonly passes: readonly CheckId[];
  /** Checks that must have been run, and passed. */
  readonly proves?: readonly CheckId[];
}

/** Evidence that a task of a lesson was done. */
export interface TaskWant {
  /** Steps of a single run, in this order. The records of each step match its wants, in order. */
  readonly steps?: readonly (readonly Want[])[];
  readonly audit?: AuditWant;
}

/** True if the records of a run, in order, hold the evidence for the task. */
export function ledgerShows({ steps }: TaskWant, records: readonly LedgerRecord[]): boolean {
  if (steps === undefined) return false;
  let wanted = 0;
  for (const { records: group } of groupBySteps(records)) {
    const step = steps[wanted];
    if (step !== undefined && inOrder(step, group)) wanted += 1;
  }
  return wanted === steps.length;
}

/** True if the audit of a copy, falsified last in this way, holds the evidence for the task. */
export function auditShows({ audit }: TaskWant, last: string | undefined, report: Report | undefined): boolean {
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
