import {
  compareRuns,
  type DifferingMember,
  isDifferent,
  type RunComparison,
  type StepPair,
} from '../../../core/ledger/compare.ts';
import { type ExportFile, parseExport } from '../../../core/ledger/export.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import { textOf } from '../../auditor/handed-in.ts';
import { exportRun } from '../../store/read-run.ts';
import { type Command, type CommandCall, type Terminal, UsageError } from './command.ts';
import { lookAt, refused, runIn } from './look-at.ts';
import { painter } from './terminal.ts';

export const diff: Command = {
  name: 'diff',
  summary: 'Compares two runs, step by step: 0 the same, 1 different, 2 trouble.',
  operands: 'A B',
  many: true,
  options: {
    store: { value: 'DIRECTORY|FILE', help: 'A and B are ids of runs in this ledger.' },
    secrets: { help: 'With --store: compare payloads of secret steps, too.' },
  },
  examples: [
    'sallyport diff monday.jsonl tuesday.jsonl',
    'sallyport diff 3f1c… 9a07… --store ./ledger   # the beginning of an id is enough',
    'sallyport diff a.jsonl b.jsonl --json',
  ],
  run: compareFiles,
};

/** Exit codes of `diff` of POSIX. */
const SAME = 0;
const DIFFERENT = 1;
const TROUBLE = 2;

interface Side {
  readonly name: string;
  readonly file: ExportFile;
}

async function compareFiles(call: CommandCall): Promise<number> {
  const { operands, options, json, terminal } = call;
  const [first, second, surplus] = operands;
  if (first === undefined || second === undefined || surplus !== undefined)
    throw new UsageError('diff takes two operands: the runs to compare');
  if (options['secrets'] === true && options['store'] === undefined)
    throw new UsageError('--secrets is of --store: a file holds what was exported');
  try {
    const texts = await textsOf([first, second], call);
    if (typeof texts === 'number') return texts;
    const [a, b] = texts.map((text, nth) => ({ name: operands[nth] ?? '', file: parseExport(text) })) as [Side, Side];
    const faults = [a, b].filter((side) => complainOf(side, terminal)).length;
    if (faults > 0) return TROUBLE;
    const compared = compareRuns(a.file, b.file);
    if (json) terminal.printJson(asJson(a, b, compared));
    else print(a, b, compared, terminal);
    return compared.same ? SAME : DIFFERENT;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.complain(`sallyport: ${error.message}`);
    return TROUBLE;
  }
}

/** Exports of both operands, or the exit code of a ledger that cannot be read. */
async function textsOf(
  names: readonly [string, string],
  { options, terminal }: CommandCall,
): Promise<readonly string[] | number> {
  const place = options['store'];
  if (typeof place !== 'string') {
    const [a, b] = names;
    if (a === '-' && b === '-') throw new UsageError('Only one run can come from standard input');
    return [await textOf(await terminal.read(a)), await textOf(await terminal.read(b))];
  }
  const store = lookAt(place);
  if (!store.ok) return refused(store.refusal, terminal);
  try {
    const texts: string[] = [];
    for (const name of names) {
      const found = await exportRun(store.value, await runIn(store.value, name), options['secrets'] === true);
      if (!found.ok) return refused(found.refusal, terminal);
      texts.push(found.value);
    }
    return texts;
  } finally {
    await store.value.close();
  }
}

/** Prints the first fault of a file; true for a file with a fault. */
function complainOf({ name, file: { faults } }: Side, terminal: Terminal): boolean {
  const [first] = faults;
  if (first !== undefined) terminal.complain(`${name}: record ${first.run_seq}: ${first.message}`);
  return first !== undefined;
}

function asJson(a: Side, b: Side, { same, run, steps }: RunComparison): unknown {
  const side = ({ name, file: { run_id, records } }: Side) => ({ name, run_id, records: records.length });
  return {
    same,
    a: side(a),
    b: side(b),
    run,
    steps: steps.map((pair) => ({
      ...(pair.a && { a: pair.a.step }),
      ...(pair.b && { b: pair.b.step }),
      same: !isDifferent(pair),
      ...(pair.differences.length > 0 && { differences: pair.differences }),
    })),
  };
}

/** Prints the differences. Names and values are strangers' text, so control characters are escaped. */
function print(a: Side, b: Side, { same, run, steps }: RunComparison, terminal: Terminal): void {
  const paint = painter(terminal);
  const different = steps.filter(isDifferent);
  if (!same) {
    terminal.print(paint('bad', `--- ${headOf(a)}`));
    terminal.print(paint('good', `+++ ${headOf(b)}`));
  }
  if (run.length > 0) terminal.print(paint('soft', '@@ the run @@'));
  printMembers(run, terminal);
  for (const pair of different) {
    terminal.print(paint('soft', `@@ ${titleOf(pair)} @@`));
    printMembers(pair.differences, terminal);
  }
  const counted = steps.length === 1 ? '1 step' : `${steps.length} steps`;
  terminal.print(
    same
      ? paint('good', `The runs are the same over ${counted}, but for ids, random numbers and times.`)
      : paint('bad', `${different.length} of ${counted} differ.`),
  );
}

function headOf({ name, file: { run_id = '', records } }: Side): string {
  return visibleLine(`${name}  ${run_id}  ${records.length} records`);
}

function titleOf({ a, b }: StepPair): string {
  if (a === undefined) return `step ${b?.step} is only in the second run`;
  if (b === undefined) return `step ${a.step} is only in the first run`;
  return a.step === b.step ? `step ${a.step}` : `step ${a.step}, and step ${b.step}`;
}

/** Longer values are cut on a terminal; `--json` has them whole. */
const VALUE_UNITS = 200;

function printMembers(members: readonly DifferingMember[], terminal: Terminal): void {
  const paint = painter(terminal);
  for (const { path, a, b, absent = [] } of members) {
    const shown = (side: 'a' | 'b', value: string): string =>
      `${clipped(value)}${absent.includes(side) ? ' (its text is not in this run: left out or erased)' : ''}`;
    terminal.print(visibleLine(`  ${path}`));
    if (a !== undefined) terminal.print(paint('bad', `    - ${shown('a', a)}`));
    if (b !== undefined) terminal.print(paint('good', `    + ${shown('b', b)}`));
  }
}

function clipped(value: string): string {
  const cut = value.length > VALUE_UNITS ? `${value.slice(0, VALUE_UNITS)}… (${value.length} characters)` : value;
  return visibleLine(cut);
}
