import type { Named, Names } from './named.ts';
import type { Turn } from './prompt.ts';
import type { SmallWeights } from './weights.ts';

const RUNS = /[A-Za-z]+|\d+(?:\.\d+)*/g;
const OPEN_RUN = /(?:[A-Za-z]+|\d[\d.]*)$/;
/** A proposal that calls a tool, and does not end the run. */
const CALL = /^\{"(?:next_step|tool_call)"/;
/** A member whose text is still open. */
const OPEN_TEXT = /"(\w+)":"([^"]*)$/;
const WORD_CHARACTER = /[\p{L}\p{N}_/-]/u;

/**
 * Holds a proposal to the words and numbers that the model was told: a word or number that is neither in the task or a
 * reply nor in the model's own pieces is not said. A call says a number at most as often as it was told; an answer says
 * no number of the model's own. A number of the task counts in words too: `two weeks` tells 2. Texts of arguments that
 * are copied stand in the task as they are or in lower case, and a value of a closed choice is said only where it was
 * named. Which of the words, and which number, remains the choice of the model.
 */
export class Copying {
  private readonly told: string;
  private readonly lowered: string;
  private readonly words: ReadonlySet<string>;
  /** How often each number was told. */
  private readonly numbers: ReadonlyMap<string, number>;
  /** Numbers that a call may say without being told, as often as it likes: steps of a result, and those of a retry. */
  private readonly free: ReadonlySet<string>;
  private readonly copied: ReadonlySet<string>;
  private readonly naming: Naming;

  constructor({ tokens, control, free, steps, copied, named }: SmallWeights, turns: readonly Turn[]) {
    this.told = turns.flatMap(({ kind, text }) => (kind === 'call' ? [] : [text])).join('\n');
    this.lowered = this.told.toLowerCase();
    const pieces = tokens.slice(control).filter((text) => text.length > 1);
    this.naming = new Naming(named, turns);
    this.words = new Set(
      runsOf([...free, ...pieces, ...this.naming.sayable, this.told, this.lowered]).filter((run) => !isNumber(run)),
    );
    const spoken = turns.flatMap(({ kind, text }) => (kind === 'task' ? spokenNumbers(text) : []));
    this.numbers = countsOf([...runsOf([this.told]).filter(isNumber), ...spoken]);
    const isRetry = turns.some(({ kind }) => kind === 'error');
    this.free = new Set([...(isRetry ? runsOf(free).filter(isNumber) : []), ...stepsOf(this.told, steps)]);
    // after a result, a text may be made from it
    this.copied = new Set(turns.some(({ kind }) => kind === 'result') ? [] : copied);
  }

  /** True if the text may go on with this piece. */
  allows(text: string, piece: string): boolean {
    return this.knows(text, piece) && this.copies(text, piece) && this.naming.allows(text, piece);
  }

  private knows(text: string, piece: string): boolean {
    const said = text + piece;
    const open = OPEN_RUN.exec(said)?.[0] ?? '';
    // the run before the piece may have ended with it
    const from = text.length - (OPEN_RUN.exec(text)?.[0].length ?? 0);
    const ended = runsOf([said.slice(from, said.length - open.length)]);
    const left = this.left(said.slice(0, said.length - open.length));
    return (
      ended.every((run) => (isNumber(run) ? left(run) >= 0 : this.words.has(run))) &&
      (isNumber(open) ? this.mayBeginNumber(open, OPEN_TEXT.test(text), left) : this.mayBeginWord(open))
    );
  }

  /** How often each number may still be said after this text; negative after one too many. */
  private left(text: string): (number: string) => number {
    const isCall = CALL.test(text);
    const said = isCall ? countsOf(runsOf([text]).filter(isNumber)) : new Map<string, number>();
    return (number) => {
      if (isCall && this.free.has(number)) return Number.POSITIVE_INFINITY;
      return (this.numbers.get(number) ?? Number.NEGATIVE_INFINITY) - (said.get(number) ?? 0);
    };
  }

  private mayBeginNumber(open: string, isInText: boolean, left: (number: string) => number): boolean {
    // a sentence may end behind a number; a number of JSON may not end with a point
    const whole = isInText ? open.replace(/\.$/, '') : open;
    for (const number of [...this.numbers.keys(), ...this.free])
      if ((number === whole || number.startsWith(open)) && left(number) > 0) return true;
    return false;
  }

  private mayBeginWord(open: string): boolean {
    if (open === '') return true;
    for (const word of this.words) if (word.startsWith(open)) return true;
    return false;
  }

  private copies(text: string, piece: string): boolean {
    const [, member = '', begun = ''] = OPEN_TEXT.exec(text) ?? [];
    if (!this.copied.has(member)) return true;
    const end = piece.indexOf('"');
    const value = begun + (end === -1 ? piece : piece.slice(0, end));
    return [this.told, this.lowered].some((told) => stands(told, value, end !== -1));
  }
}

/** True if the value stands in what was told: from the start of a word, and to the end of one if it is whole. */
function stands(told: string, value: string, whole: boolean): boolean {
  if (value === '') return !whole;
  for (let at = told.indexOf(value); at !== -1; at = told.indexOf(value, at + 1)) {
    if (isEdge(told, at) && (!whole || isEdge(told, at + value.length))) return true;
  }
  return false;
}

/** True if no word goes on here. */
function isEdge(told: string, at: number): boolean {
  const [before, after] = [told.charAt(at - 1), told.charAt(at)];
  if (after === '.' && /\w/.test(told.charAt(at + 1))) return false;
  return !WORD_CHARACTER.test(before) || !WORD_CHARACTER.test(after);
}

function runsOf(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.match(RUNS) ?? []);
}

function isNumber(run: string): boolean {
  return /^\d/.test(run);
}

/** How often each number stands in a list, as it is written and as JSON writes it: 2.40 is 2.4 too. */
function countsOf(numbers: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (number: string): Map<string, number> => counts.set(number, (counts.get(number) ?? 0) + 1);
  for (const number of numbers) {
    add(number);
    const plain = String(Number(number));
    if (plain !== number && plain !== 'NaN') add(plain);
  }
  return counts;
}

/** A number that a result has under a name, and the number that a proposal makes of it. */
function stepsOf(told: string, steps: SmallWeights['steps']): readonly string[] {
  return Object.entries(steps).flatMap(([name, step]) =>
    [...told.matchAll(new RegExp(`\\b${name}=(\\d+)`, 'g'))].map(([, number]) => String(Number(number) + step)),
  );
}

/** Numbers that a person writes in another way than a call does. */

const WORDS: { readonly [word: string]: string } = {
  zero: '0',
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
  eleven: '11',
  twelve: '12',
  fifteen: '15',
  twenty: '20',
  thirty: '30',
  forty: '40',
  fifty: '50',
  sixty: '60',
  ninety: '90',
};

const WORD = new RegExp(`\\b(?:${Object.keys(WORDS).join('|')})\\b`, 'gi');
/** One day, week or month, and one line at an end of a file. */
const ONCE = /\ba (?:day|week|month)\b|\b(?:first|last|top|final|bottom|opening|closing) line\b/gi;
const THOUSANDS = /(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g;

/** The numbers that a task tells in words or with commas, as a call writes them: `two` is 2, `1,200` is 1200. */
function spokenNumbers(task: string): readonly string[] {
  return [
    ...(task.match(WORD) ?? []).map((word) => WORDS[word.toLowerCase()] as string),
    ...(task.match(ONCE) ?? []).map(() => '1'),
    ...(task.match(THOUSANDS) ?? []).map((number) => number.replaceAll(',', '')),
  ];
}

/** A member whose text is still open. */
const OPENED_MEMBER = /"(\w+)":"?$/;

/**
 * Holds the closed choices of a proposal to those that were named: a call converts to pints only where pints were told.
 * Where no value of a choice was named under a name that the table has, all of them are free.
 */
export class Naming {
  /** Values that a call may say, though the task has them under another name. */
  readonly sayable: readonly string[];
  private readonly values: ReadonlyMap<string, readonly string[]>;
  private readonly absent: ReadonlySet<string>;
  private readonly differ: Named['differ'];

  constructor({ values, members, differ }: Named, turns: readonly Turn[]) {
    const told = turns.filter(({ kind }) => kind !== 'call').map(withoutKeys);
    const isNamed = (name: string): boolean => told.some((text) => patternOf(name).test(text));
    this.values = new Map(Object.entries(values).map(([member, names]) => [member, namedOf(names, isNamed)]));
    this.sayable = [...this.values.values()].flat();
    const said = namedOf(members, isNamed);
    this.absent = new Set(Object.keys(members).filter((member) => !said.includes(member)));
    this.differ = differ;
  }

  /** True if the text may go on with this piece. */
  allows(text: string, piece: string): boolean {
    const [, opened = ''] = OPENED_MEMBER.exec(text + piece) ?? [];
    return !this.absent.has(opened) && this.isValue(text, piece);
  }

  private isValue(text: string, piece: string): boolean {
    const [, member = '', begun = ''] = OPEN_TEXT.exec(text) ?? [];
    const named = this.values.get(member);
    if (named === undefined) return true;
    const end = piece.indexOf('"');
    const value = begun + (end === -1 ? piece : piece.slice(0, end));
    const open = named.filter((each) => !this.isTaken(text, member, each));
    return open.some((each) => (end === -1 ? each.startsWith(value) : each === value));
  }

  /** True if the member that must differ has this value. */
  private isTaken(text: string, member: string, value: string): boolean {
    return this.differ.some(([first, second]) => second === member && text.includes(`"${first}":"${value}"`));
  }
}

/** The values that were named; all of them where none was. */
function namedOf(names: Names, isNamed: (name: string) => boolean): readonly string[] {
  const named = Object.keys(names).filter((value) => names[value]?.some(isNamed));
  return named.length === 0 ? Object.keys(names) : named;
}

/** The names of a result's values are not told by anyone. */
function withoutKeys({ kind, text }: Turn): string {
  return kind === 'result' ? text.replaceAll(/\b\w+=/g, ' ') : text;
}

/** A name as a word of its own, in any case; a number may stand at it. */
function patternOf(name: string): RegExp {
  return new RegExp(`(?<![a-z])${name.replaceAll(/[^\w ]/g, '\\$&')}(?![a-z])`, 'i');
}
