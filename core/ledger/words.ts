import { demand } from '../option.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { type Anchor, type CheckId, REPORT, type Report } from './verify.ts';

/** What each check is called and claims: the same words in the page, the terminal and the HTML export. */
export const CHECK_NAMES: { readonly [C in CheckId]: string } = {
  form: 'Form: the file is well-formed',
  hashes: 'Hashes: no record was altered',
  links: 'Links: none is missing or moved',
  anchor: 'Anchor: it is the run you expected',
  decisions: 'Decisions: made again, they come out the same',
  replay: 'Replay: run again, it does the same',
};

export const UNPROVEN =
  'What this does not prove: who made the run, or that nothing was cut off after its last record. For that, keep its head somewhere else.';

/** One sentence over a report; what is wrong first, and where. */
export function verdictOf(report: Report): string {
  demand('report', report, REPORT);
  const failed = report.checks.filter((check) => check.status === 'fail');
  const records = `${report.records} ${report.records === 1 ? 'record' : 'records'}`;
  if (failed.length === 0) return `No check failed over ${records}.`;
  const inside = failed.filter(({ id }) => id !== 'anchor').map(({ first }) => first?.run_seq ?? 0);
  if (inside.length === 0) return 'Consistent, but not the run you expected.';
  if (failed.every(({ id }) => id === 'replay')) return `Intact, but run again it differs at record ${inside[0]}.`;
  if (failed.every(({ id }) => id === 'decisions' || id === 'replay'))
    return `The chain holds, but record ${inside[0]} does not follow from what is recorded before it.`;
  return `Not intact: first problem at record ${Math.min(...inside)} of ${report.records}.`;
}

/**
 * Reads an anchor as people keep it: `COUNT:HEAD`, a head alone, which is looked for among the records' hashes, or the
 * text of a checkpoint.
 * Undefined where the text is none of these.
 */
export function anchorOf(text: string, hashes: readonly string[]): Anchor | undefined {
  if (parseCheckpoint(text).ok) return text;
  const [, count, head] = /^\s*(?:(\d{1,9}):)?(?:sha256:)?([0-9a-f]{64})\s*$/u.exec(text) ?? [];
  if (head === undefined) return undefined;
  if (count !== undefined) return { count: Number(count), head };
  const at = hashes.indexOf(head);
  return { count: at < 0 ? Math.max(hashes.length, 1) : at + 1, head };
}
