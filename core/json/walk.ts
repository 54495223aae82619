import { pointerTo } from './value.ts';

/** The first fault of each kind that `JSON.parse` lets through, and where the grammar ends if it does. */
export interface Faults {
  /** Offset of the first character that cannot stand there; absent in well-formed JSON. */
  readonly syntax?: number;
  readonly duplicate?: { readonly pointer: string; readonly name: string };
  readonly surrogate?: { readonly pointer: string };
  readonly number?: { readonly pointer: string; readonly literal: string };
}

/** As much as may be the beginning of a number, a word or an escape, so that a fault is found at its own character. */
const NUMBER = /-?(?:(?:0|[1-9][0-9]*)(?:\.(?:[0-9]+(?:[eE][+-]?[0-9]*)?)?|[eE][+-]?[0-9]*)?)?/y;
const WORD = /t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{0,4})?/y;
const COMPLETE = { number: /[0-9]$/, word: /^(?:true|false|null)$/, escape: /^\\(?:[^u]|u.{4})$/ } as const;

/**
 * Walks a text exactly, member by member, and finds its faults with their places. Only refused texts and texts that the
 * prescan found suspicious come here. The prescan has bounded the depth, so the recursion is bounded too.
 */
export function walk(text: string): Faults {
  const walker = new Walker(text);
  walker.document();
  return walker.faults;
}

class WalkStop extends Error {}

class Walker {
  faults: Faults = {};
  private at = 0;
  private readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  document(): void {
    try {
      this.value('');
      this.blanks();
      if (this.at < this.text.length) throw new WalkStop();
    } catch (stop) {
      if (!(stop instanceof WalkStop)) throw stop;
      this.faults = { ...this.faults, syntax: this.at };
    }
  }

  private value(pointer: string): void {
    this.blanks();
    const c = this.text[this.at];
    if (c === '{') this.object(pointer);
    else if (c === '[') this.array(pointer);
    else if (c === '"') this.string(pointer);
    else if (c === '-' || (c !== undefined && c >= '0' && c <= '9')) this.number(pointer);
    else this.take(WORD, COMPLETE.word);
  }

  private object(pointer: string): void {
    const seen = new Set<string>();
    this.at++;
    this.blanks();
    if (this.text[this.at] === '}') {
      this.at++;
      return;
    }
    for (;;) {
      this.blanks();
      const name = this.string(pointer);
      const place = pointerTo(pointer, name);
      // Names may hold half a surrogate pair, which no refusal could be written with.
      if (seen.has(name)) this.note('duplicate', { pointer: place.toWellFormed(), name: name.toWellFormed() });
      seen.add(name);
      this.blanks();
      this.expect(':');
      this.value(place);
      if (this.closes('}')) return;
    }
  }

  private array(pointer: string): void {
    this.at++;
    this.blanks();
    if (this.text[this.at] === ']') {
      this.at++;
      return;
    }
    for (let index = 0; ; index++) {
      this.value(pointerTo(pointer, index));
      if (this.closes(']')) return;
    }
  }

  private string(pointer: string): string {
    const from = this.at;
    const { at, closed } = stringEnd(this.text, from);
    this.at = at;
    if (!closed) throw new WalkStop();
    const text = String(JSON.parse(this.text.slice(from, this.at)));
    if (!text.isWellFormed()) this.note('surrogate', { pointer });
    return text;
  }

  private number(pointer: string): void {
    const literal = this.take(NUMBER, COMPLETE.number);
    if (!survives(literal)) this.note('number', { pointer, literal: literal.slice(0, 64) });
  }

  private note<K extends keyof Faults>(kind: K, fault: NonNullable<Faults[K]>): void {
    if (this.faults[kind] === undefined) this.faults = { ...this.faults, [kind]: fault };
  }

  private take(token: RegExp, complete: RegExp): string {
    const found = begun(token, this.text, this.at);
    this.at += found.length;
    if (!complete.test(found)) throw new WalkStop();
    return found;
  }

  private closes(bracket: string): boolean {
    this.blanks();
    if (this.text[this.at] === bracket) {
      this.at++;
      return true;
    }
    this.expect(',');
    return false;
  }

  private expect(character: string): void {
    if (this.text[this.at] !== character) throw new WalkStop();
    this.at++;
  }

  private blanks(): void {
    for (;;) {
      const c = this.text.charCodeAt(this.at);
      if (c !== 32 && c !== 10 && c !== 13 && c !== 9) return;
      this.at++;
    }
  }
}

/**
 * Past the closing quote of the string that starts here, or the first character that cannot stand in it. A loop instead
 * of a regular expression: backtracking over a megabyte of escapes would overflow the engine's stack.
 */
function stringEnd(text: string, start: number): { readonly at: number; readonly closed: boolean } {
  if (text[start] !== '"') return { at: start, closed: false };
  let at = start + 1;
  while (at < text.length) {
    const c = text.charCodeAt(at);
    if (c === 34) return { at: at + 1, closed: true };
    if (c < 32) break;
    if (c !== 92) at++;
    else {
      const escape = begun(ESCAPE, text, at);
      at += escape.length;
      if (!COMPLETE.escape.test(escape)) break;
    }
  }
  return { at, closed: false };
}

/** The part of the token at this offset; sticky, so that the text is not searched. */
function begun(token: RegExp, text: string, at: number): string {
  token.lastIndex = at;
  return token.exec(text)?.[0] ?? '';
}

/**
 * True for a literal that keeps its meaning as a double. An integer, in any spelling (`1e3`, `10.0`, `120e-1`), survives
 * if a double holds it exactly, or if it has the value of the canonical text of its nearest double (RFC 8785): `1e23`
 * and `1152921504606847000` survive, `9007199254740993` and `123456789012345678e1` do not. Every other decimal is rounded
 * to the nearest double. A literal that overflows (`1e400`), or is not zero and becomes zero (`1e-400`), does not survive.
 * Law: the canonical text of each double survives, so that a decoded value can always be written and decoded again.
 */
function survives(literal: string): boolean {
  const value = Math.abs(Number(literal));
  const { digits, exponent } = scaled(literal);
  if (digits === '') return true;
  if (value === 0 || !Number.isFinite(value)) return false;
  const isInteger = exponent >= 0;
  if (!isInteger) return true;
  const canonical = scaled(String(value));
  if (canonical.digits === digits && canonical.exponent === exponent) return true;
  // The value is finite, so that an integer has at most 309 digits.
  return BigInt(value) === BigInt(digits) * 10n ** BigInt(exponent);
}

/** The digits of a literal without outer zeros, and the power of ten that multiplies them. Takes linear time. */
function scaled(literal: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = '', exponent = '0'] = literal.split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const all = whole + fraction;
  let to = all.length;
  while (to > 0 && all[to - 1] === '0') to--;
  let from = 0;
  while (from < to && all[from] === '0') from++;
  return { digits: all.slice(from, to), exponent: Number(exponent) - fraction.length + all.length - to };
}
