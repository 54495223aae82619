import type { Report } from '../../../core/ledger/checks.ts';
import { verdictOf } from '../../../core/ledger/verdict.ts';
import { sentenceOf, VERDICT_WORDS } from '../../../core/ledger/words.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import type { Group } from '../../auditor/handed-in.ts';
import { textOf } from '../../auditor/handed-in.ts';
import { type CheckOptions, checkExport } from '../../auditor/verify-export.ts';
import { openSandboxes } from '../platform.ts';
import { EXIT, type Terminal } from './command.ts';
import { counted, VERDICT_MARKS } from './print.ts';
import { painter } from './terminal.ts';

/** A file of a group, and its results. */
interface Row {
  readonly name: string;
  readonly text: string;
  readonly report: Report | undefined;
  /** Reason that the file could not be read. */
  readonly fault?: string;
  readonly code: number;
}

/**
 * Exit codes from the least trustworthy on: no export, altered, another decision, another result of a call. The exit
 * code of many files is that of the worst file.
 */
const WORST: readonly number[] = [EXIT.malformed, EXIT.tampered, EXIT.decision, EXIT.replay];

export function worstOf(codes: readonly number[]): number {
  return WORST.find((code) => codes.includes(code)) ?? EXIT.ok;
}

/** Checks every file of every group, and finds files of the same run. */
export async function checkMany(
  groups: readonly Group[],
  { quiet = false, ...options }: CheckOptions & { readonly quiet?: boolean },
  { json, terminal }: { readonly json: boolean; readonly terminal: Terminal },
): Promise<number> {
  const rows = new Map<Group, readonly Row[]>();
  for (const group of groups) rows.set(group, await rowsOf(group, options));
  const all = [...rows.values()].flat();
  const copies = equalHeads(all);
  const code = worstOf(all.map((row) => row.code));
  if (json) {
    const files = all.map(({ name, report, fault, code: own }) => ({
      name,
      code: own,
      ...(fault && { fault }),
      ...(report && { report }),
    }));
    terminal.printJson({ code, files, copies });
  } else print(all, copies, quiet, terminal);
  return code;
}

async function rowsOf({ files }: Group, options: CheckOptions): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const file of files) {
    if ('fault' in file) {
      rows.push({ name: file.name, text: '', report: undefined, fault: file.fault, code: EXIT.malformed });
      continue;
    }
    const text = await textOf(file.bytes);
    const report = await checkExport(text, options, openSandboxes);
    rows.push({ name: file.name, text, report, code: verdictOf(report).exit });
  }
  return rows;
}

/** Groups of names of intact files that hold the same run: an export does not name its author. */
function equalHeads(rows: readonly Row[]): readonly (readonly string[])[] {
  const byHead = new Map<string, string[]>();
  for (const { name, report } of rows)
    if (report?.ok === true && report.records > 0) byHead.set(report.head, [...(byHead.get(report.head) ?? []), name]);
  return [...byHead.values()].filter((names) => names.length > 1);
}

/**
 * Prints the table; with `quiet` the files that are not consistent. File names are strangers' text, so control characters
 * are escaped.
 */
function print(rows: readonly Row[], copies: readonly (readonly string[])[], quiet: boolean, terminal: Terminal): void {
  const paint = painter(terminal);
  const width = Math.min(Math.max(...rows.map(({ name }) => visibleLine(name).length), 4), 60);
  for (const { name, report, fault, code } of rows) {
    if (quiet && code === EXIT.ok) continue;
    const verdict = report && verdictOf(report);
    const { tone } = verdict ?? { tone: 'bad' };
    const what = verdict === undefined ? `Not read: ${fault ?? ''}` : sentenceOf(verdict, VERDICT_WORDS, counted);
    const head = report?.ok === true ? ` ${paint('soft', `head ${report.records}:${report.head}`)}` : '';
    terminal.print(
      `${paint(tone, VERDICT_MARKS[tone])} ${visibleLine(name).padEnd(width)}  ${visibleLine(what)}${head}`,
    );
  }
  for (const names of copies)
    terminal.print(paint('wait', `Equal heads, so one and the same run: ${names.map(visibleLine).join(', ')}`));
  const bad = rows.filter(({ code }) => code !== EXIT.ok).length;
  const files = rows.length === 1 ? '1 file' : `${counted(rows.length)} files`;
  const sum = `${files}: ${counted(rows.length - bad)} consistent, ${counted(bad)} not.`;
  terminal.print(paint(bad === 0 ? 'wait' : 'bad', sum));
}
