import { parseKey } from '../../../core/ledger/checkpoint.ts';
import type { Refusal } from '../../../core/outcome.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import { checkPublished } from './checkpoint-check.ts';
import { compareWithLog } from './checkpoint-compare.ts';
import { publishInFolder } from './checkpoint-publish.ts';
import { type Command, type CommandCall, EXIT, UsageError } from './command.ts';
import { painter } from './terminal.ts';

export const checkpoint: Command = {
  name: 'checkpoint',
  summary: 'Publishes a log as signed checkpoint and static tiles (C2SP), checks it, and compares checkpoints.',
  operands: 'publish LEDGER FOLDER | check LOG | compare LOG CHECKPOINT…',
  many: true,
  options: {
    sign: { value: 'FILE', help: 'publish: the private key; made where there is none.' },
    origin: { value: 'NAME', help: 'publish: the name of the log, for a new key.' },
    key: { value: 'KEY', help: 'check, compare: whose signature checkpoints must carry.' },
  },
  examples: [
    'sallyport checkpoint publish ./ledger ./public --sign log.key --origin example.com/notes',
    'sallyport checkpoint check https://example.com/notes --key KEY   # every tile, from the entries up',
    'sallyport checkpoint compare ./public monday.txt friday.txt --key KEY   # has the log only grown?',
    'sallyport checkpoint compare ledger.sqlite checkpoints/   # a folder: its files in the order of their names',
  ],
  async run(call) {
    const [action = '', ...rest] = call.operands;
    const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (act === undefined) throw new UsageError('The first word is publish, check or compare');
    return act(rest, call);
  },
};

/** Printed facts of an action, in order, and the value for `--json`. */
interface Result {
  readonly lines: readonly string[];
  readonly value: object;
  /** The last line. */
  readonly verdict: string;
}

const ACTIONS: { readonly [name: string]: (operands: readonly string[], call: CommandCall) => Promise<number> } = {
  async publish(operands, call) {
    const [ledger, folder, ...more] = operands;
    if (ledger === undefined || folder === undefined || more.length > 0)
      throw new UsageError('publish takes a ledger and a folder');
    without(call, 'publish', ['key']);
    const { sign, origin } = call.options;
    if (typeof sign !== 'string') throw new UsageError('publish takes --sign FILE, the private key of the log');
    const done = await publishInFolder(ledger, folder, { sign, origin: origin as string | undefined }, call.terminal);
    if (!done.ok) return refused(done.refusal, call);
    const { text, key, files, size } = done.value;
    return told(call, {
      lines: [text.trimEnd(), `key  ${key}`, `${files} files written`],
      value: done.value,
      verdict: `Published: ${size} records`,
    });
  },
  async check(operands, call) {
    const [log, ...more] = operands;
    if (log === undefined || more.length > 0) throw new UsageError('check takes a folder or an address');
    without(call, 'check', ['sign', 'origin']);
    const done = await checkPublished(log, keyOf(call));
    if (!done.ok) return refused(done.refusal, call);
    const { origin, root, files, size } = done.value;
    const lines = [`origin  ${origin}`, `root  ${root}`, `${files} files, each as the entries make it`];
    return told(call, { lines, value: done.value, verdict: `The published log is whole: ${size} records` });
  },
  async compare(operands, call) {
    const [log, ...checkpoints] = operands;
    if (log === undefined || checkpoints.length === 0)
      throw new UsageError('compare takes a log, and checkpoints from the oldest to the newest');
    without(call, 'compare', ['sign', 'origin']);
    const done = await compareWithLog(log, checkpoints, keyOf(call), call.terminal);
    if (!done.ok) return refused(done.refusal, call);
    const { origin, root, checkpoints: count, size } = done.value;
    const lines = [`origin  ${origin}`, `root  ${root}`, `${count} checkpoints, each the beginning of the next`];
    return told(call, { lines, value: done.value, verdict: `The log has only grown: ${size} records` });
  },
};

function without({ options }: CommandCall, action: string, names: readonly string[]): void {
  const other = names.find((name) => options[name] !== undefined);
  if (other !== undefined) throw new UsageError(`${action} takes no --${other}`);
}

function keyOf({ options: { key } }: CommandCall): string | undefined {
  if (key === undefined) return undefined;
  if (parseKey(String(key)) === undefined) throw new UsageError('--key takes NAME+ID+KEY, as publish prints it');
  return String(key);
}

function told({ json, terminal }: CommandCall, { lines, value, verdict }: Result): number {
  const paint = painter(terminal);
  if (json) terminal.printJson({ ok: true, ...value });
  else {
    for (const line of lines.flatMap((text) => text.split('\n'))) terminal.print(visibleLine(line));
    terminal.print(paint('good', verdict));
  }
  return EXIT.ok;
}

/** Exit code 1 where a log was altered, 2 where nothing could be compared. */
function refused({ code, message, details }: Refusal, { json, terminal }: CommandCall): number {
  if (code === 'store_locked') throw new UsageError(message);
  if (json) terminal.printJson({ ok: false, code, message, details });
  else terminal.complain(`${code}: ${message}`);
  return UNREADABLE.includes(code) ? EXIT.malformed : EXIT.tampered;
}

const UNREADABLE: readonly string[] = ['checkpoint_malformed', 'tiles_malformed', 'store_damaged', 'store_newer'];
