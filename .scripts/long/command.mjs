// Runs a long test as a command: arguments, progress, interruption, exit code, and a last line that a machine can read.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

/** @typedef {import('./types.ts').LongTest} LongTest */

export const EXIT = /** @type {const} */ ({ passed: 0, failed: 1, usage: 2, interrupted: 130 });

/** Time for an interrupted test to remove its files. */
const GRACE_MS = 10_000;

/** Runs a long test with this process's words and ends the process.
 * @param {LongTest} test */
export async function start(test) {
  const code = await runLong(test, process.argv.slice(2), processTerminal());
  // A pipe may still hold the last line.
  await new Promise((resolve) => process.stdout.write('', resolve));
  process.exit(code);
}

/** Resolves to the exit code.
 * @param {LongTest} test @param {readonly string[]} words @param {import('./types.ts').Terminal} terminal
 * @returns {Promise<number>} */
export async function runLong(test, words, terminal) {
  try {
    const call = readArguments(test, words);
    if (call !== undefined) return await play(test, call, terminal);
    terminal.print(`${helpOf(test)}\n`);
    return EXIT.passed;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.complain(`${test.name}: ${error.message}. See ${commandOf(test)} --help\n`);
    return EXIT.usage;
  }
}

/** @param {LongTest} test @param {import('./types.ts').Call} call @param {import('./types.ts').Terminal} terminal */
async function play(test, call, terminal) {
  const began = performance.now();
  const progress = makeProgress(test.name, terminal);
  const interruption = interruptible(terminal);
  /** @type {import('./types.ts').Members} */
  let members = {};
  const running = test.run({
    ...call,
    signal: interruption.signal,
    report: (now) => {
      members = now;
    },
    progress: progress.tell,
    say: (text) => {
      progress.clear();
      terminal.print(`${text}\n`);
    },
  });
  const end = await endOf(running, interruption);
  progress.clear();
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const { code, trouble, ...rest } = end;
  if (trouble !== undefined) terminal.complain(`${trouble}\n`);
  terminal.print(`${JSON.stringify({ test: test.name, ok: code === EXIT.passed, seconds, ...members, ...rest })}\n`);
  return code;
}

/** @typedef {{code: number, error?: string, interrupted?: true, trouble?: string | undefined}} End */

/** @param {Promise<boolean>} running @param {ReturnType<typeof interruptible>} interruption @returns {Promise<End>} */
async function endOf(running, { signal, grace, end }) {
  try {
    const isPassed = await Promise.race([running, grace]);
    // A test that was interrupted may not have looked at the end.
    if (signal.aborted) return { code: EXIT.interrupted, interrupted: true };
    return { code: isPassed ? EXIT.passed : EXIT.failed };
  } catch (error) {
    if (signal.aborted) return { code: EXIT.interrupted, interrupted: true };
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { code: EXIT.failed, error: message, trouble: stack };
  } finally {
    end();
  }
}

/** A signal of the first interruption, and the moment at which waiting ends: some seconds later, or at the second.
 * @param {import('./types.ts').Terminal} terminal */
function interruptible(terminal) {
  const controller = new AbortController();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {() => void} */
  let stop = () => undefined;
  const grace = new Promise((_, reject) => {
    const late = () => reject(new Error('The test did not end.'));
    stop = terminal.onInterrupt(() => {
      if (controller.signal.aborted) return late();
      controller.abort();
      terminal.complain('\nInterrupted: removing what the test has made …\n');
      timer = setTimeout(late, GRACE_MS);
    });
  });
  const end = () => {
    stop();
    clearTimeout(timer);
  };
  return { signal: controller.signal, grace: /** @type {Promise<boolean>} */ (grace), end };
}

/** @returns {import('./types.ts').Terminal} */
function processTerminal() {
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM']);
  return {
    isWatched: process.stderr.isTTY && process.env['TERM'] !== 'dumb',
    print: (text) => void process.stdout.write(text),
    complain: (text) => void process.stderr.write(text),
    onInterrupt(heard) {
      for (const signal of signals) process.on(signal, heard);
      return () => {
        for (const signal of signals) process.off(signal, heard);
      };
    },
  };
}

/** @typedef {import('./types.ts').Call} Call */

/** The caller's mistake. */
class UsageError extends Error {}

/** @type {import('./types.ts').NumberOption} */
export const SEED = { help: 'Number that the random choices begin with.', min: 0, max: 2 ** 32 - 1 };

/** Reads the words behind a long test's name; undefined asks for help.
 * @param {LongTest} test @param {readonly string[]} words @returns {Call | undefined} */
function readArguments(test, words) {
  const { values, positionals } = parse(test, words);
  if (values['help'] !== undefined) return undefined;
  for (const word of positionals) (values[optionOf(test, word)] ??= []).push(word);
  return {
    numbers: mapped(test.numbers, (name, option) => readNumber(`--${name}`, option, values[name] ?? [])),
    names: mapped(test.names, (name, option) => readNames(`--${name}`, option, values[name] ?? [])),
    texts: mapped(test.texts ?? {}, (name) => readOnce(`--${name}`, values[name] ?? [])),
    flags: mapped(test.flags ?? {}, (name) => values[name] !== undefined),
  };
}

/** @param {LongTest} test @param {readonly string[]} words
 * @returns {{values: Record<string, string[]>, positionals: string[]}} */
function parse(test, words) {
  const text = /** @type {const} */ ({ type: 'string', multiple: true });
  const named = Object.keys({ ...test.numbers, ...test.names, ...test.texts }).map((name) => [name, text]);
  const flags = Object.keys(test.flags ?? {}).map((name) => [name, { type: 'boolean' }]);
  const options = { ...Object.fromEntries([...named, ...flags]), help: { type: 'boolean', short: 'h' } };
  try {
    return /** @type {any} */ (parseArgs({ args: [...words], options, allowPositionals: true }));
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message.split(/\. |\n/)[0] : 'The options cannot be read');
  }
}

/** @param {LongTest} test @param {string} word */
function optionOf({ words }, word) {
  const name = words?.optionOf(word);
  if (name === undefined) throw new UsageError(`Unknown argument '${word}'`);
  return name;
}

/** @param {string} name @param {import('./types.ts').NumberOption} option @param {readonly string[]} given */
function readNumber(name, { min, max, default: usual }, given) {
  const word = readOnce(name, given);
  if (word === undefined) return usual ?? randomInt(min, max);
  const number = /^\d+$/.test(word) ? Number(word) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${name} takes a whole number from ${min} to ${max}, not '${word}'`);
}

/** @param {string} name @param {readonly string[]} given */
function readOnce(name, [word, second]) {
  if (second !== undefined) throw new UsageError(`${name} is given twice: '${word}' and '${second}'`);
  return word;
}

/** @param {string} name @param {import('./types.ts').NamesOption} option @param {readonly string[]} given */
function readNames(name, { names }, given) {
  const unknown = given.find((word) => !names.includes(word));
  if (unknown !== undefined) throw new UsageError(`${name} takes ${oneOf(names)}, not '${unknown}'`);
  return [...new Set(given)];
}

/** How a person starts a long test; its words follow.
 * @param {LongTest} test @returns {string} */
function commandOf({ name, command }) {
  return command ?? `npm run test:long -- ${name}`;
}

/** @param {LongTest} test @returns {string} */
function helpOf(test) {
  const { name, summary, numbers, names, texts = {}, flags = {}, words, time, members } = test;
  const rows = [
    ...Object.entries(numbers).map(([option, about]) => [`--${option} N`, numberHelp(about)]),
    ...Object.entries(names).map(([option, about]) => [`--${option} NAME`, namesHelp(about)]),
    ...Object.entries(texts).map(([option, { value, help }]) => [`--${option} ${value}`, `${help} Default: none.`]),
    ...Object.entries(flags).map(([option, { help }]) => [`--${option}`, `${help} Default: off.`]),
    ['--help', 'Print this.'],
  ];
  return [
    `${summary}\n`,
    `Usage: ${commandOf(test)} [options]${words === undefined ? '' : ` ${words.usage}`}\n`,
    'Options:',
    ...table(rows),
    `\nTime on two cores: ${time}`,
    '\nExit codes:',
    ...table([
      ['0', 'The test passed.'],
      ['1', 'The test failed, or could not run.'],
      ['2', 'The command was called with options that it does not take.'],
      ['130', 'The test was interrupted.'],
    ]),
    '\nLast line of the output, as JSON:',
    ...table([
      ['test', `"${name}".`],
      ['ok', 'Whether the test passed.'],
      ['seconds', 'How long it took.'],
      ...Object.entries(members),
      ['error', 'Why the test could not run; only then.'],
      ['interrupted', 'true where the test was interrupted; only then.'],
    ]),
  ].join('\n');
}

/** @param {import('./types.ts').NumberOption} option */
function numberHelp({ help, default: usual }) {
  return `${help} Default: ${usual ?? 'random'}.`;
}

/** @param {import('./types.ts').NamesOption} option */
function namesHelp({ help, names, default: usual = 'all' }) {
  return `${help} ${names.join(', ')}. Default: ${usual}. May be given several times.`;
}

/** @param {readonly string[][]} rows */
function table(rows) {
  const width = Math.max(...rows.map(([head = '']) => head.length));
  return rows.map(([head = '', text]) => `  ${head.padEnd(width)}  ${text}`);
}

/** @param {readonly string[]} names */
function oneOf(names) {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** @template T, U @param {Readonly<Record<string, T>>} from @param {(name: string, value: T) => U} to
 * @returns {Record<string, U>} */
function mapped(from, to) {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, to(name, value)]));
}

/**
 * Interval of progress reports: for lines that are stored, as in the log of a machine, and for the single line that a
 * person watches.
 */
const EVERY_MS = { kept: 10_000, watched: 100 };

/** Reports the progress of a test: on a single line for a person at a terminal, else in a line now and then.
 * @param {string} name @param {Pick<import('./types.ts').Terminal, 'isWatched' | 'complain'>} terminal
 * @param {() => number} [now] in milliseconds */
export function makeProgress(name, { isWatched, complain }, now = Date.now) {
  const everyMs = isWatched ? EVERY_MS.watched : EVERY_MS.kept;
  const began = now();
  let last = Number.NEGATIVE_INFINITY;
  let isOpen = false;
  return {
    /** @param {number} done @param {number} total @param {string} [note] */
    tell(done, total, note = '') {
      const at = now();
      if (at - last < everyMs && done < total) return;
      last = at;
      isOpen = isWatched;
      const text = `${name}: ${done} of ${total}${note === '' ? '' : `, ${note}`}${left(at - began, done, total)}`;
      complain(isWatched ? `\r\u001b[K${text}` : `${text}\n`);
    },
    /** Leaves the line that is rewritten, so that another text can follow. */
    clear() {
      if (isOpen) complain('\r\u001b[K');
      isOpen = false;
    },
  };
}

/** @param {number} ms @param {number} done @param {number} total */
function left(ms, done, total) {
  const spent = `, ${Math.round(ms / 1000)} s`;
  if (done === 0 || done >= total) return spent;
  return `${spent}, about ${Math.ceil((ms * (total - done)) / done / 1000)} s left`;
}
