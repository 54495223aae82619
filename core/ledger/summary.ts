import { demand } from '../option.ts';
import { type Check, REPORT, type Report } from './report.ts';

/** What a report comes to, as a value: each language has its own sentence for it. `place` is the `run_seq` of a record. */
export type ReportSummary =
  /** No check failed. `anchored`: the head equals the anchor. `undecided`: decisions of another behaviour were not made again. */
  | { readonly kind: 'consistent'; readonly records: number; readonly anchored: boolean; readonly undecided: boolean }
  /** The given anchor cannot be read. */
  | { readonly kind: 'anchor_unread' }
  /** The file is intact, and has another head than the anchor. */
  | { readonly kind: 'other_run' }
  | { readonly kind: 'no_export' }
  /** The first `records` records are intact, and the rest is missing. */
  | { readonly kind: 'cut'; readonly records: number }
  /** Only the replay differs. */
  | { readonly kind: 'differs'; readonly place: number }
  /** The chain holds, but a decision made again comes out otherwise. */
  | { readonly kind: 'does_not_follow'; readonly place: number }
  | { readonly kind: 'not_intact'; readonly place: number; readonly records: number };

/** The first fault of a report and its place, or that there is none. */
export function summaryOf(report: Report): ReportSummary {
  demand('report', report, REPORT);
  const { checks, records } = report;
  const failed = checks.filter((check) => check.status === 'fail');
  if (failed.length === 0)
    return { kind: 'consistent', records, anchored: isAnchored(checks), undecided: isUndecided(checks) };
  const inside = failed.filter(({ id }) => id !== 'anchor');
  const [{ first: worst } = {}] = failed;
  if (inside.length === 0) return { kind: worst?.code === 'anchor_malformed' ? 'anchor_unread' : 'other_run' };
  if (worst?.code === 'export_absent') return { kind: 'no_export' };
  if (inside.every(({ first }) => first?.code === 'export_cut')) return { kind: 'cut', records };
  const place = Math.min(...inside.map(({ first }) => first?.run_seq ?? 0));
  if (inside.every(({ id }) => id === 'replay')) return { kind: 'differs', place };
  if (inside.every(({ id }) => id === 'decisions' || id === 'replay')) return { kind: 'does_not_follow', place };
  return { kind: 'not_intact', place, records };
}

function isAnchored(checks: readonly Check[]): boolean {
  return checks.some(({ id, status }) => id === 'anchor' && status === 'pass');
}

/** A run of another behaviour keeps its hashes; that is all that was checked of it. */
function isUndecided(checks: readonly Check[]): boolean {
  return checks.some(({ status, skipped }) => status === 'not_run' && skipped?.first.code === 'behaviour_other');
}
