/** Regular expressions of schemas as grammars: characters, classes, groups, choices and counts. */

import { choice, type Grammar, many, matching, nothing, sequence } from './grammar.ts';

const DIGIT = /^\d$/;
const CLASSES: ReadonlyMap<string, RegExp> = new Map([
  ['d', DIGIT],
  ['w', /^\w$/],
  ['s', /^ $/],
]);
/** Characters that a string of JSON may hold as they are. */
const isPlain = (character: string): boolean => character >= ' ' && character !== '"' && character !== '\\';

/** The grammar of a whole string that a pattern describes; undefined for a pattern with other parts. */
export function patternGrammar(pattern: string): Grammar | undefined {
  if (!pattern.startsWith('^') || !pattern.endsWith('$')) return undefined;
  try {
    const reader = new PatternReader(pattern.slice(1, -1));
    const grammar = reader.choice();
    return reader.ended ? grammar : undefined;
  } catch (error) {
    if (error instanceof UnknownPattern) return undefined;
    throw error;
  }
}

class UnknownPattern extends Error {}

class PatternReader {
  private readonly pattern: string;
  private at = 0;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  get ended(): boolean {
    return this.at === this.pattern.length;
  }

  choice(): Grammar {
    const all = [this.sequence()];
    while (this.took('|')) all.push(this.sequence());
    return choice(all);
  }

  private sequence(): Grammar {
    const all: Grammar[] = [];
    while (!this.ended && this.next !== '|' && this.next !== ')') all.push(this.counted(this.atom()));
    return sequence(all);
  }

  private get next(): string {
    return this.pattern.charAt(this.at);
  }

  private took(text: string): boolean {
    if (!this.pattern.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private atom(): Grammar {
    if (this.took('(')) return this.group();
    if (this.took('[')) return this.set();
    if (this.took('.')) return matching(isPlain);
    const character = this.one();
    return matching(character);
  }

  private group(): Grammar {
    if (!this.took('?:') && this.next === '?') throw new UnknownPattern();
    const inner = this.choice();
    if (!this.took(')')) throw new UnknownPattern();
    return inner;
  }

  /** A character, or a class behind a backslash. */
  private one(): (character: string) => boolean {
    if (this.took('\\')) {
      const escaped = this.taken();
      const known = CLASSES.get(escaped);
      if (known !== undefined) return (character) => known.test(character);
      if (/[A-Za-z0-9]/.test(escaped)) throw new UnknownPattern();
      return (character) => character === escaped;
    }
    if (/[*+?{}^$]/.test(this.next)) throw new UnknownPattern();
    const plain = this.taken();
    return (character) => character === plain;
  }

  private taken(): string {
    const character = this.next;
    if (character === '') throw new UnknownPattern();
    this.at++;
    return character;
  }

  private set(): Grammar {
    const negated = this.took('^');
    const parts: ((character: string) => boolean)[] = [];
    while (!this.took(']')) parts.push(this.range());
    return matching((character) => isPlain(character) && parts.some((holds) => holds(character)) !== negated);
  }

  private range(): (character: string) => boolean {
    const from = this.next;
    if (from === '\\' || this.pattern[this.at + 1] !== '-' || this.pattern[this.at + 2] === ']') return this.one();
    this.at += 2;
    const to = this.taken();
    return (character) => character >= from && character <= to;
  }

  private counted(grammar: Grammar): Grammar {
    const counts = /^(?:\{(\d+)(?:(,)(\d*))?\}|([*+?]))/.exec(this.pattern.slice(this.at));
    if (counts === null) return grammar;
    const [whole, least = '0', comma, most = '', sign] = counts;
    this.at += whole.length;
    if (sign !== undefined) return many(grammar, sign === '+' ? 1 : 0, sign === '?' ? 1 : undefined);
    const from = Number(least);
    return many(grammar, from, comma === undefined ? from : most === '' ? undefined : Number(most));
  }
}

/** A string of JSON with this inside. */
export function quoted(inner: Grammar): Grammar {
  const quote = matching((character) => character === '"');
  return sequence([quote, inner, quote]);
}

/** Text of a string without escapes, between two lengths. */
export function plainText(least = 0, most?: number): Grammar {
  return most === 0 ? nothing : many(matching(isPlain), least, most);
}
