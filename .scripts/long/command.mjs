// Runs a long test as a command: arguments, progress, interruption, exit code, and a last line that a machine can read.
import { commandOf, helpOf, readArguments, UsageError } from './arguments.mjs';
import { makeProgress } from './progress.mjs';

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
