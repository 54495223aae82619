import { parseArgs } from 'node:util';
import { VERDICT_EXIT } from '../../../core/ledger/verdict.ts';

/** Exit codes of the commands. The numbers are part of the interface. */
export const EXIT: typeof VERDICT_EXIT & { readonly refused: 5; readonly usage: 64; readonly failed: 70 } = {
  ...VERDICT_EXIT,
  /** A configuration that was tried refuses a call that ran. */
  refused: 5,
  usage: 64,
  failed: 70,
};

/** An option of a command. `value` is the name of its argument; an option without it is a switch. */
export interface Option {
  readonly value?: string;
  /** It may be given more than once: its values are joined by commas. */
  readonly many?: true;
  readonly help: string;
}

/** Input and output of a command. Tests pass their own. */
export interface Terminal {
  readonly color: boolean;
  print(text: string): void;
  /** Prints a value as JSON, with control characters escaped so that the terminal does not obey them. */
  printJson(value: unknown): void;
  /** Prints a single line to standard error; line breaks in the text are escaped. */
  complain(text: string): void;
  /** Reads a file, or standard input for `-`. Rejects with `UsageError` where it cannot be read. */
  read(path: string): Promise<Uint8Array>;
  /** Asks a person for a line. Absent where no person is at the terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
}

/** Arguments of a command's call. */
export interface CommandCall {
  readonly operands: readonly string[];
  readonly options: { readonly [name: string]: string | boolean | undefined };
  /** Print a single JSON value to standard output, and no other text. */
  readonly json: boolean;
  readonly terminal: Terminal;
}

/** A command; each has its own file. Every command also takes `--json` and `--help`. */
export interface Command {
  readonly name: string;
  /** A single line, for the list of commands. */
  readonly summary: string;
  /** Its operands, for example `[FILE]`. */
  readonly operands: string;
  /** The command takes any number of operands. */
  readonly many?: true;
  readonly options: { readonly [name: string]: Option };
  /** Whole command lines, each with its effect behind `#`. */
  readonly examples: readonly string[];
  /** Resolves to the exit code. */
  run(call: CommandCall): Promise<number>;
}

/** The caller's mistake: printed as a single line, with exit code 64. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const COMMON: { readonly [name: string]: Option } = {
  json: { help: 'Print one JSON value instead of text.' },
  help: { help: 'Print this.' },
};

/** Runs a command with the words behind its name. */
export async function runCommand(command: Command, words: readonly string[], terminal: Terminal): Promise<number> {
  const { options, operands } = parse(command, words);
  const [, surplus] = operands;
  if (surplus !== undefined && command.many !== true)
    throw new UsageError(`${command.name} takes one operand, and ${surplus} is a second`);
  if (options['help'] === true) {
    terminal.print(helpOf(command));
    return EXIT.ok;
  }
  return command.run({ operands, options, json: options['json'] === true, terminal });
}

function parse(command: Command, words: readonly string[]): Pick<CommandCall, 'operands' | 'options'> {
  const entries = Object.entries({ ...COMMON, ...command.options }).map(
    ([name, { value, many }]) =>
      [name, { type: value === undefined ? 'boolean' : 'string', multiple: many === true }] as const,
  );
  const known = { ...Object.fromEntries(entries), help: { type: 'boolean', short: 'h' } as const };
  try {
    const { values, positionals } = parseArgs({ args: [...words], options: known, allowPositionals: true });
    const joined = Object.entries(values).map(
      ([name, value]) => [name, Array.isArray(value) ? value.join() : value] as const,
    );
    return { operands: positionals, options: Object.fromEntries(joined) };
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split(/\. |\n/)[0] ?? '') : 'It cannot be read');
  }
}

function helpOf({ name, summary, operands, options, examples }: Command): string {
  const rows = Object.entries({ ...options, ...COMMON }).map(([option, { value, help }]) => {
    const spelled = `--${option}${value === undefined ? '' : ` ${value}`}`;
    return `  ${spelled.padEnd(22)} ${help}`;
  });
  return [
    `${summary}\n`,
    `Usage: sallyport ${name} [options] ${operands}\n`,
    'Options:',
    ...rows,
    '\nExamples:',
    ...examples.map((example) => `  ${example}`),
  ].join('\n');
}
