import type { Check, Report } from '../../core/ledger/report.ts';
import { CHECK_NAMES, findingText, toneOf, UNPROVEN, verdictOf } from '../../core/ledger/words.ts';
import { visibleLine } from '../../core/text/visible.ts';
import { EXIT, type Terminal } from './command.ts';
import { painter } from './terminal.ts';

const MARKS = { pass: '✓', fail: '✕', not_run: '–' } as const;
const TONES = { pass: 'good', fail: 'bad', not_run: 'soft' } as const;

/** Prints a report as the page shows it: six checks, the problems, and the limits of the proof. */
export function printReport(report: Report, terminal: Terminal): void {
  const paint = painter(terminal);
  for (const check of report.checks) {
    const counted = check.status === 'not_run' ? 'not run' : check.count.toLocaleString('en');
    terminal.print(
      `${paint(TONES[check.status], MARKS[check.status])} ${CHECK_NAMES[check.id].padEnd(48)} ${paint('soft', counted)}`,
    );
    for (const line of notes(check)) terminal.print(`    ${line}`);
  }
  terminal.print(`\n${paint(toneOf(report), verdictOf(report))}`);
  terminal.print(paint('soft', `head  ${report.records}:${report.head}\nroot  ${report.root}`));
  terminal.print(paint('soft', UNPROVEN));
}

/**
 * Notes of a check. The file's text is a stranger's: escapes and line feeds are written out, because a terminal obeys
 * them.
 */
function notes({ id, status, first, difference, skipped }: Check): string[] {
  const lines: string[] = [];
  if (first !== undefined) lines.push(findingText(id, first));
  if (difference !== undefined) lines.push(`- ${difference.recorded}`, `+ ${difference.again}`);
  if (skipped !== undefined) {
    const { count, first: one } = skipped;
    lines.push(status === 'not_run' ? one.message : `${count} not verified. Record ${one.run_seq}: ${one.message}`);
  }
  return lines.map(visibleLine);
}

/**
 * Exit code of the first failed check, in the order of how little can be trusted afterwards. A failure of no check named
 * here counts as tampered.
 */
export function exitOf(report: Report): number {
  if (report.ok) return EXIT.ok;
  const failed = new Set(report.checks.filter(({ status }) => status === 'fail').map(({ id }) => id));
  if (failed.has('form')) return EXIT.malformed;
  if (failed.has('hashes') || failed.has('links') || failed.has('anchor')) return EXIT.tampered;
  if (failed.has('decisions')) return EXIT.decision;
  return failed.has('replay') ? EXIT.replay : EXIT.tampered;
}
