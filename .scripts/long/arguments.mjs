import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

/** @typedef {import('./types.ts').LongTest} LongTest */
/** @typedef {import('./types.ts').Call} Call */

/** The caller's mistake. */
export class UsageError extends Error {}

/** @type {import('./types.ts').NumberOption} */
export const SEED = { help: 'Number that the random choices begin with.', min: 0, max: 2 ** 32 - 1 };

/** Reads the words behind a long test's name; undefined asks for help.
 * @param {LongTest} test @param {readonly string[]} words @returns {Call | undefined} */
export function readArguments(test, words) {
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
export function commandOf({ name, command }) {
  return command ?? `npm run test:long -- ${name}`;
}

/** @param {LongTest} test @returns {string} */
export function helpOf(test) {
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
