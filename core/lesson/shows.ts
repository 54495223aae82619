import type { JsonValue } from '../json/value.ts';
import type { LedgerRecord, RecordKind } from '../ledger/record.ts';
import { groupBySteps } from '../ledger/steps.ts';
import type { CheckId, Report } from '../ledger/verify.ts';

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

/** What shows that one task of a lesson was done. */
export interface TaskWant {
  /** Steps of one run, in this order; the wants of each are met by records of that step, in order. */
  readonly steps?: readonly (readonly Want[])[];
  readonly audit?: AuditWant;
}

/** True when the records of one run, in order, hold what the task wants. */
export function ledgerShows({ steps }: TaskWant, records: readonly LedgerRecord[]): boolean {
  if (steps === undefined) return false;
  let wanted = 0;
  for (const { records: group } of groupBySteps(records)) {
    const step = steps[wanted];
    if (step !== undefined && inOrder(step, group)) wanted += 1;
  }
  return wanted === steps.length;
}

/** True when the audit of a copy, falsified last in this way, shows what the task wants. */
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
