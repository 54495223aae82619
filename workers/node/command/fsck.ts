import { verdictOf } from '../../../core/ledger/verdict.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import type { LogReport } from '../../api.ts';
import { fsck as check } from '../../auditor/fsck.ts';
import { type Command, type CommandCall, EXIT, type Terminal, UsageError } from './command.ts';
import { lookAt, refused } from './look-at.ts';
import { worstOf } from './many.ts';
import { checkpointIn } from './open.ts';
import { printReport, VERDICT_MARKS } from './print.ts';
import { painter } from './terminal.ts';

export const fsck: Command = {
  name: 'fsck',
  summary: 'Checks the log in a directory or a file of SQLite: every run, and that nothing is missing between them.',
  operands: 'DIRECTORY|FILE',
  options: {
    checkpoint: { value: 'FILE', help: 'A checkpoint that was taken of this log.' },
    key: { value: 'KEY', help: 'Whose signature it must carry.' },
  },
  examples: [
    'sallyport fsck ./ledger',
    'sallyport fsck ledger.sqlite',
    'sallyport fsck ./ledger --checkpoint monday.txt --key KEY --json',
  ],
  run: checkLedger,
};

async function checkLedger(call: CommandCall): Promise<number> {
  const { operands, json, terminal } = call;
  const [path] = operands;
  if (path === undefined) throw new UsageError('No directory or file was named');
  const anchor = await checkpointIn(call);
  const store = lookAt(path);
  if (!store.ok) return refused(store.refusal, terminal);
  const report = await check(store.value, anchor);
  await store.value.close();
  if (!report.ok) return refused(report.refusal, terminal);
  if (json) terminal.printJson(report.value);
  else print(report.value, terminal);
  if (report.value.problems.length > 0) return EXIT.tampered;
  return worstOf(report.value.runs.map((run) => verdictOf(run.report).exit));
}

function print({ ok, size, root, problems, unreadBytes, runs }: LogReport, terminal: Terminal): void {
  const paint = painter(terminal);
  for (const { run_id, report } of runs) {
    const { tone } = verdictOf(report);
    terminal.print(`${paint(tone, VERDICT_MARKS[tone])} ${visibleLine(run_id)}  ${report.records} records`);
    if (tone === 'bad') printReport(report, {}, terminal);
  }
  for (const { message } of problems) terminal.print(paint('bad', visibleLine(`✕ ${message}`)));
  terminal.print(
    `${paint(ok ? 'good' : 'bad', ok ? 'The log is whole' : 'The log is not whole')}: ${visibleLine(String(size))} records`,
  );
  if (unreadBytes > 0) terminal.print(paint('wait', `${unreadBytes} bytes behind the last record cannot be read`));
  terminal.print(paint('soft', `root  ${root}`));
}
