import { verdictOf } from '../../../core/ledger/verdict.ts';
import { textOf } from '../../auditor/handed-in.ts';
import { type CheckOptions, checkExport } from '../../auditor/verify-export.ts';
import { openSandboxes } from '../platform.ts';
import { type Command, type CommandCall, EXIT, UsageError } from './command.ts';
import { checkLessons, lessonsIn } from './lessons.ts';
import { checkMany } from './many.ts';
import { anchorIn, checkpointIn } from './open.ts';
import { printReport } from './print.ts';
import { groupsOf, isFolder } from './sources.ts';

const OPTIONS: Command['options'] = {
  anchor: { value: 'COUNT:HEAD', help: 'What was noted of the run elsewhere.' },
  checkpoint: { value: 'FILE', help: 'Or a checkpoint of the log that the run is in.' },
  key: { value: 'KEY', help: 'Whose signature the checkpoint must carry.' },
  deadline: { value: 'SECONDS', help: 'For what each file has run here; 60. Beyond: not verified.' },
  quiet: { help: 'Print only the files that are not consistent, and the sum of several.' },
};

export const verify: Command = {
  name: 'verify',
  summary: 'Checks exported runs: form, hashes, links, anchor and decisions. Takes files, folders and zips.',
  operands: '[FILE…]',
  many: true,
  options: {
    ...OPTIONS,
    lesson: { value: 'N', many: true, help: 'The table of a class: does each zip or folder solve lesson N? Or all.' },
    details: { help: 'With --lesson: also each file, and the tasks that are not shown.' },
  },
  examples: [
    'sallyport verify run.jsonl',
    'sallyport verify run.jsonl --anchor 21:9f2c…    # is it the run I expect?',
    'sallyport verify runs/ --quiet                  # only what is not consistent, and the sum',
    'sallyport verify handed-in/ --lesson all        # a class: who has solved what, and copies',
    'curl -s https://example.com/run.jsonl | sallyport verify --json',
  ],
  run: (call) => check(call, false),
};

export const replay: Command = {
  name: 'replay',
  summary: 'Makes the calls of exported runs again and says where they differ, beside all that verify checks.',
  operands: '[FILE…]',
  many: true,
  options: OPTIONS,
  examples: [
    'sallyport replay run.jsonl        # its calls are made again, in sandboxes without network or files',
    'sallyport replay run.jsonl --json | jq .checks[5]',
  ],
  run: (call) => check(call, true),
};

async function check(call: CommandCall, replay: boolean): Promise<number> {
  const { operands, options, json, terminal } = call;
  const lessons = lessonsIn(options['lesson']);
  if (lessons === undefined && options['details'] === true) throw new UsageError('--details is of --lesson');
  const how = { replay, ...deadlineIn(options['deadline']) };
  const [first = '-'] = operands;
  const isOne = operands.length < 2 && lessons === undefined && !(await isFolder(first));
  const groups = await groupsOf(operands.length === 0 ? ['-'] : operands, terminal);
  const [file] = groups[0]?.files ?? [];
  if (isOne && groups[0]?.files.length === 1 && file !== undefined && 'bytes' in file && file.name === first) {
    const text = await textOf(file.bytes);
    const held = await anchorIn(call);
    const report = await checkExport(text, { ...held, ...how }, openSandboxes);
    const { exit } = verdictOf(report);
    if (!json && options['quiet'] === true && exit === EXIT.ok) return exit;
    if (!json) return printReport(report, held, terminal);
    terminal.printJson(report);
    return exit;
  }
  if (options['anchor'] !== undefined) throw new UsageError('--anchor is of one run: name one file');
  if (lessons !== undefined) {
    if (options['checkpoint'] !== undefined) throw new UsageError('--checkpoint and --lesson do not go together');
    return checkLessons(groups, lessons, how, call);
  }
  const { checkpoint, ...signed } = await checkpointIn(call);
  const against: CheckOptions = { ...how, ...(checkpoint !== undefined && { anchor: checkpoint, ...signed }) };
  return checkMany(groups, { ...against, ...(options['quiet'] === true && { quiet: true }) }, call);
}

function deadlineIn(given: string | boolean | undefined): Pick<CheckOptions, 'deadlineMs'> {
  if (given === undefined) return {};
  if (!/^\d{1,6}$/.test(String(given))) throw new UsageError('--deadline takes whole seconds');
  return { deadlineMs: Number(given) * 1000 };
}
