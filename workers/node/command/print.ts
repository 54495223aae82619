import type { Check, Report } from '../../../core/ledger/checks.ts';
import { type HeldAgainst, type Tone, verdictOf } from '../../../core/ledger/verdict.ts';
import {
  CHECK_NAMES,
  comparedText,
  findingText,
  PART_NAMES,
  sentenceOf,
  unprovenText,
  VERDICT_WORDS,
} from '../../../core/ledger/words.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import type { Terminal } from './command.ts';
import { painter } from './terminal.ts';

const MARKS = { pass: '✓', fail: '✕', not_run: '–' } as const;
const TONES = { pass: 'good', fail: 'bad', not_run: 'soft' } as const;

/** A number as English writes it. */
export const counted = (number: number): string => number.toLocaleString('en');

/** Marks of verdicts, which tell them apart without colours. */
export const VERDICT_MARKS: { readonly [T in Tone]: string } = { good: '✓', own: '=', wait: '?', bad: '✕' };

/**
 * Prints a report as the page shows it: six checks, the problems, the verdict, where the heads that it was compared with
 * came from, and the limits of the proof. Returns the exit code of the verdict.
 */
export function printReport(report: Report, held: HeldAgainst, terminal: Terminal): number {
  const paint = painter(terminal);
  const verdict = verdictOf(report, held);
  for (const check of report.checks) {
    const count = check.status === 'not_run' ? 'not run' : counted(check.count);
    terminal.print(
      `${paint(TONES[check.status], MARKS[check.status])} ${CHECK_NAMES[check.id].padEnd(48)} ${paint('soft', count)}`,
    );
    for (const line of notes(check)) terminal.print(`    ${line}`);
    for (const { id, status, skipped } of check.parts ?? []) {
      const { message, run_seq } = skipped.first;
      terminal.print(`  ${paint('soft', MARKS[status])} ${PART_NAMES[id].padEnd(46)} ${paint('soft', 'not run')}`);
      terminal.print(`      ${visibleLine(`${counted(skipped.count)} not run. Record ${run_seq}: ${message}`)}`);
    }
  }
  terminal.print(`\n${paint(verdict.tone, sentenceOf(verdict, VERDICT_WORDS, counted))}`);
  for (const line of comparedText(verdict, VERDICT_WORDS, counted)) terminal.print(paint('soft', visibleLine(line)));
  terminal.print(paint('soft', `head  ${report.records}:${report.head}\nroot  ${report.root}`));
  const unproven = unprovenText(verdict, VERDICT_WORDS);
  if (unproven !== undefined) terminal.print(paint('soft', unproven));
  return verdict.exit;
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
