import { isObject } from '../json/value.ts';
import { demand, LIST, type OptionType } from '../option.ts';
import { type Anchor, anchorFault, readAnchor } from './anchor.ts';
import type { Finding } from './export.ts';
import { type CheckId, REPORT, type Report } from './report.ts';
import { type ReportSummary, summaryOf } from './summary.ts';

/** Name and claim of each check: the same words in the page, the terminal and the HTML export. */
export const CHECK_NAMES: { readonly [C in CheckId]: string } = {
  form: 'Form: the file is well-formed',
  hashes: 'Hashes: no record was altered',
  links: 'Links: none is missing or moved',
  anchor: 'Anchor: it has the head that you noted',
  decisions: 'Decisions: made again, they come out the same',
  replay: 'Replay: run again, it does the same',
};

export const UNPROVEN =
  'What this does not prove: who made the run, or that nothing was cut off after its last record. For that, keep its head somewhere else.';

/**
 * Reliability of a report. `good`: no check failed, and the head equals the anchor. `wait`: no check failed, and the
 * run's origin is unproven. `bad`: a check failed.
 */
export type Tone = 'good' | 'wait' | 'bad';

export function toneOf(report: Report): Tone {
  demand('report', report, REPORT);
  const { ok, checks } = report;
  if (!ok) return 'bad';
  return checks.some(({ id, status }) => id === 'anchor' && status === 'pass') ? 'good' : 'wait';
}

/** A summary of a report in a sentence: the first fault and its place. */
export function verdictOf(report: Report): string {
  return summaryText(summaryOf(report));
}

/** The English sentence of a summary. */
export function summaryText(summary: ReportSummary): string {
  switch (summary.kind) {
    case 'consistent':
      return consistent(summary);
    case 'anchor_unread':
      return 'The head you gave cannot be read, so nothing was compared with it.';
    case 'other_run':
      return 'Consistent, but not the run you expected.';
    case 'no_export':
      return 'This file is no export of a run.';
    case 'cut':
      return cut(summary.records);
    case 'differs':
      return `Intact, but run again it differs at record ${summary.place}.`;
    case 'does_not_follow':
      return `The chain holds, but record ${summary.place} does not follow from what is recorded before it.`;
    case 'not_intact':
      return `Not intact: first problem at record ${summary.place} of ${summary.records}.`;
  }
}

function consistent({ records, anchored, undecided }: Extract<ReportSummary, { kind: 'consistent' }>): string {
  const over = `No check failed over ${records} ${records === 1 ? 'record' : 'records'}`;
  const origin = anchored
    ? ', and the head is the one you noted.'
    : '. Its origin is unknown: no head from elsewhere was given.';
  return `${over}${origin}${undecided ? ' Its decisions were not made again.' : ''}`;
}

function cut(records: number): string {
  if (records === 0) return 'Cut off: of this export there is nothing but its header.';
  return `Cut off: records 0 to ${records - 1} are intact, and what came behind them is missing.`;
}

const FINDING: OptionType = [
  'a finding of a check',
  (value) => isObject(value) && typeof value['message'] === 'string',
];

/** A finding as a text: with its record, unless it is about the file or the anchor. */
export function findingText(id: CheckId, finding: Finding): string {
  demand('finding', finding, FINDING);
  const { run_seq, code, message } = finding;
  return id === 'anchor' || code === 'export_cut' || code === 'export_absent'
    ? message
    : `Record ${run_seq}: ${message}`;
}

/** As `readAnchor` reads it. Undefined where the text is no anchor. */
export function anchorOf(text: string, hashes: readonly string[]): Anchor | undefined {
  demand('hashes', hashes, LIST);
  if (anchorFault(text) !== undefined) return undefined;
  const noted = readAnchor(text, hashes, undefined);
  return 'disagrees' in noted || 'malformed' in noted ? text : noted;
}
