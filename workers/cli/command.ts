import { parseArgs } from 'node:util';

/** What a command ends with; the numbers are part of the interface. */
export const EXIT = { ok: 0, tampered: 1, malformed: 2, replay: 3, decision: 4, usage: 64, failed: 70 } as const;

/** An option of one command. `value` names what follows it; without, it is a switch. */
export interface Option {
  readonly value?: string;
  readonly help: string;
}

/** The outside of a command, so that it can be driven from anywhere. */
export interface Terminal {
  readonly color: boolean;
  print(text: string): void;
  /** One value, as JSON that a terminal shows and does not obey. */
  printJson(value: unknown): void;
  /** One line, whatever is in it. */
  complain(text: string): void;
  /** The bytes of a file, or of standard input for `-`. Rejects with `UsageError` where there are none to be had. */
  read(path: string): Promise<Uint8Array>;
}

/** What a command was called with. */
export interface Call {
  readonly operands: readonly string[];
  readonly options: { readonly [name: string]: string | boolean | undefined };
  /** One JSON value goes to standard output, and nothing else. */
  readonly json: boolean;
  readonly terminal: Terminal;
}

/** One command in one file. `--json` and `--help` are every command's. */
export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** Its operands, as in `[FILE]`. */
  readonly operands: string;
  /** It takes any number of them. */
  readonly many?: true;
  readonly options: { readonly [name: string]: Option };
  /** Each a whole line, with what it does behind `#`. */
  readonly examples: readonly string[];
  /** Resolves to the exit code. */
  run(call: Call): Promise<number>;
}

/** The caller's mistake: told in one line, with exit code 64. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const COMMON: { readonly [name: string]: Option } = {
  json: { help: 'Print one JSON value instead of text.' },
  help: { help: 'Print this.' },
};

/** Calls a command with the words behind its name. */
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

function parse(command: Command, words: readonly string[]): Pick<Call, 'operands' | 'options'> {
  const entries = Object.entries({ ...COMMON, ...command.options }).map(
    ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  const known = { ...Object.fromEntries(entries), help: { type: 'boolean', short: 'h' } as const };
  try {
    const { values, positionals } = parseArgs({ args: [...words], options: known, allowPositionals: true });
    return { operands: positionals, options: values as Call['options'] };
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
