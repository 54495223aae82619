import { refuse } from '../errors/decode.ts';
import { DECODE_LIMITS, DEPTH_MOST, type DecodeLimits } from '../limits.ts';
import { type Outcome, pass } from '../outcome.ts';
import { decodeUtf8, firstInvalid } from './utf8.ts';
import { type JsonValue, pointerTo } from './value.ts';

const BOM = 0xfeff;
const PARSE = { step: 'parse' } as const;

/**
 * Decodes bytes to one JSON value, or refuses them. Never throws, for any bytes; time and memory are linear in their
 * number. `decode` refuses all that `JSON.parse` refuses. It also refuses duplicate members, lone surrogates, values
 * nested too deeply, too many values, and numbers that change: an integer that neither a double nor the canonical text
 * of its nearest double gives back (`9007199254740993`), a number that overflows (`1e400`), a number that becomes zero
 * (`1e-400`). `1e23` is taken: its nearest double is written `1e+23`. Other decimals round to the nearest double, and
 * `-0` is `0`. The canonical text of each decoded value is decoded to that value again. A limit that is left out is that
 * of `DECODE_LIMITS`; a depth limit over `DEPTH_MOST` counts as `DEPTH_MOST`.
 *
 * The first fault in this order decides the code: `limit_size`, `utf8`, `bom`, `limit_depth`, `limit_nodes`,
 * `json_syntax`, `duplicate_member`, `lone_surrogate`, `number_precision`.
 *
 * @see FemtoClaw Protocol 4 and 10, step 1; RFC 8259
 */
export function decode(bytes: Uint8Array, limits: Partial<DecodeLimits> = DECODE_LIMITS): Outcome<JsonValue> {
  const { bytes: length = DECODE_LIMITS.bytes, nodes = DECODE_LIMITS.nodes } = limits;
  const depth = Math.min(limits.depth ?? DECODE_LIMITS.depth, DEPTH_MOST);
  if (isOver(bytes.byteLength, length)) return refuse('limit_size', { limit: length, used: bytes.byteLength }, PARSE);
  const text = decodeUtf8(bytes);
  if (text === undefined) return refuse('utf8', { offset: firstInvalid(bytes) }, PARSE);
  if (text.charCodeAt(0) === BOM) return refuse('bom', {}, PARSE);
  const seen = prescan(bytes, text, depth);
  if (isOver(seen.depth, depth)) return refuse('limit_depth', { limit: depth, used: seen.depth }, PARSE);
  if (isOver(seen.nodes, nodes)) return refuse('limit_nodes', { limit: nodes, used: seen.nodes }, PARSE);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return syntax(text);
  }
  return seen.suspicious || seen.members !== members(value) ? exact(text, value) : pass(value);
}

/** True also for a limit that is not a number: no value is below it. */
function isOver(used: number, limit: number): boolean {
  return !(used <= limit);
}

/** Members that came out of the parser; fewer than were written means that names were repeated. */
function members(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  const isArray = Array.isArray(value);
  const items = isArray ? (value as readonly JsonValue[]) : Object.values(value);
  let count = isArray ? 0 : items.length;
  for (const item of items) if (typeof item === 'object') count += members(item);
  return count;
}

function exact(text: string, value: JsonValue): Outcome<JsonValue> {
  const { duplicate, surrogate, number } = walk(text);
  if (duplicate) return refuse('duplicate_member', { name: duplicate.name }, { ...PARSE, pointer: duplicate.pointer });
  if (surrogate) return refuse('lone_surrogate', {}, { ...PARSE, pointer: surrogate.pointer });
  if (number) return refuse('number_precision', { literal: number.literal }, { ...PARSE, pointer: number.pointer });
  return pass(text.includes('-0') ? (JSON.parse(text, withoutNegativeZero) as JsonValue) : value);
}

/** Canonical JSON writes `-0` as `0`. The value that is checked has to be the value that is hashed. */
function withoutNegativeZero(_: string, value: JsonValue): JsonValue {
  return value === 0 ? 0 : value;
}

function syntax(text: string): Outcome<JsonValue> {
  const offset = walk(text).syntax ?? text.length;
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  const character = text.codePointAt(offset);
  const found = character === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(character));
  return refuse('json_syntax', { offset, line, column, found }, PARSE);
}

/**
 * Result of a single pass over a text that may or may not be JSON, before any parser touches it. The pass counts depth
 * and values, which must be bounded first, and notes whether the text needs a second, exact walk. It never judges
 * grammar.
 */
interface Prescan {
  /** Deepest nesting of brackets outside strings; counting stops one level past the limit. */
  readonly depth: number;
  /** Number of values, the top value included; exact for JSON. */
  readonly nodes: number;
  /** Colons outside strings: in JSON, the number of members written. */
  readonly members: number;
  /** True where the text may hold a number that a double changes, a `-0`, or an escaped surrogate. */
  readonly suspicious: boolean;
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;

/** `text` is the text of the bytes: bytes are faster to step through, a text is faster to search. */
export function prescan(bytes: Uint8Array, text: string, depthMax: number): Prescan {
  let depth = 0;
  let deepest = 0;
  let nodes = 1;
  let members = 0;
  let suspicious = false;
  // In a text of ASCII alone, an offset in the text is the offset in the bytes.
  const searchable = text.length === bytes.length && !text.includes('\\');
  for (let at = 0; at < bytes.length; at++) {
    const c = bytes[at] as number;
    if (c === QUOTE) {
      const close = searchable ? text.indexOf('"', at + 1) : closingQuote(bytes, at + 1);
      if (searchable && close < 0) break;
      if (close < 0) suspicious = true;
      at = Math.abs(close);
    } else if (c === COMMA) nodes++;
    else if (c === COLON) members++;
    else if (c === 123 || c === 91) {
      depth++;
      if (depth > deepest) deepest = depth;
      if (!(deepest <= depthMax)) break;
      if (!closesNext(bytes, at + 1)) nodes++;
    } else if (c === 125 || c === 93) depth--;
    else if (c === 45 || (c >= 48 && c <= 57)) {
      const close = numberEnd(bytes, at);
      const isNegativeZero = c === 45 && bytes[at + 1] === 48;
      if (isNegativeZero || close - at > 15 || hasExponent(bytes, at, close)) suspicious = true;
      at = close - 1;
    }
  }
  return { depth: deepest, nodes, members, suspicious };
}

/**
 * Index of the quote that ends the string begun before `from`, or the end; negated when the string holds an escaped
 * surrogate.
 */
function closingQuote(bytes: Uint8Array, from: number): number {
  let surrogate = false;
  let at = from;
  for (; at < bytes.length; at++) {
    const c = bytes[at];
    if (c === QUOTE) break;
    if (c !== BACKSLASH) continue;
    at++;
    if (bytes[at] === 117 && ((bytes[at + 1] ?? 0) | 32) === 100) surrogate = true;
  }
  return surrogate ? -at : at;
}

function closesNext(bytes: Uint8Array, from: number): boolean {
  let at = from;
  let c = bytes[at];
  while (c === 32 || c === 10 || c === 13 || c === 9) c = bytes[++at];
  return c === 125 || c === 93;
}

/** End of the run of characters that number literals are made of. */
function numberEnd(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  for (; at < bytes.length; at++) {
    const c = bytes[at] as number;
    if ((c < 48 || c > 57) && c !== 46 && c !== 43 && c !== 45 && c !== 69 && c !== 101) break;
  }
  return at;
}

function hasExponent(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (((bytes[at] as number) | 32) === 101) return true;
  return false;
}

/** The first fault of each kind that `JSON.parse` lets through, and where the grammar ends if it does. */
interface Faults {
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
