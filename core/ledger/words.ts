import { isObject } from '../json/value.ts';
import { demand, LIST, type OptionType } from '../option.ts';
import { type Anchor, anchorFault, readAnchor } from './anchor.ts';
import type { Finding } from './export.ts';
import { type Check, type CheckId, REPORT, type Report } from './report.ts';

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
  demand('report', report, REPORT);
  const { checks, records } = report;
  const failed = checks.filter((check) => check.status === 'fail');
  if (failed.length === 0) return `${consistent(report)}${undecided(checks)}`;
  const inside = failed.filter(({ id }) => id !== 'anchor');
  const [{ first: worst } = {}] = failed;
  if (inside.length === 0)
    return worst?.code === 'anchor_malformed' ? UNREAD : 'Consistent, but not the run you expected.';
  if (worst?.code === 'export_absent') return 'This file is no export of a run.';
  if (inside.every(({ first }) => first?.code === 'export_cut')) return cut(records);
  const place = Math.min(...inside.map(({ first }) => first?.run_seq ?? 0));
  if (inside.every(({ id }) => id === 'replay')) return `Intact, but run again it differs at record ${place}.`;
  if (inside.every(({ id }) => id === 'decisions' || id === 'replay'))
    return `The chain holds, but record ${place} does not follow from what is recorded before it.`;
  return `Not intact: first problem at record ${place} of ${records}.`;
}

const UNREAD = 'The head you gave cannot be read, so nothing was compared with it.';

function consistent(report: Report): string {
  const { records } = report;
  const over = `No check failed over ${records} ${records === 1 ? 'record' : 'records'}`;
  if (toneOf(report) === 'good') return `${over}, and the head is the one you noted.`;
  return `${over}. Its origin is unknown: no head from elsewhere was given.`;
}

/** A run of another behaviour keeps its hashes; that is all that was checked of it. */
function undecided(checks: readonly Check[]): string {
  const other = checks.some(({ status, skipped }) => status === 'not_run' && skipped?.first.code === 'behaviour_other');
  return other ? ' Its decisions were not made again.' : '';
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
