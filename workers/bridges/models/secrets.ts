import { decodeUtf8 } from '../../../core/json/utf8.ts';
import { isObject, type JsonValue } from '../../../core/json/value.ts';
import { decodeBase64 } from '../../../core/ledger/base64.ts';
import { SallyportError } from '../../../core/sallyport-error.ts';

/** Shorter values are too common: they cannot be told from other text in an answer. */
const LENGTH_MIN = 8;

/** A value whose name does not say that it is a key; shorter ones are versions, languages and numbers. */
const UNNAMED_MIN = 12;

/** Names of headers and variables that hold keys; an author is none. */
const KEY_NAME = /key|token|secret|pass|pwd|cred|auth(?!ors?(?![a-z]))|cookie|session|private|signature/i;

/** Values that are keys by their form: an address with a password, or a long word of digits and letters. */
const KEY_VALUE = /:\/\/[^/\s]*:[^/\s]*@|^(?=[^\s]*\d)(?=[^\s]*[a-zA-Z])[\w+=.-]{24,}$/;

/** True for a text that is a key by its form. */
function keyLike(text: string): boolean {
  return KEY_VALUE.test(text);
}

/** True for a text that is a key, or has one as a word: in an address, a path or a header. */
export function holdsKey(text: string): boolean {
  return keyLike(text) || text.split(/[^A-Za-z0-9_+]+/u).some(keyLike);
}

/** A key behind the name of its scheme. */
const SCHEME = /^[A-Za-z][^\s;,="']*[ \t]+(\S.*)$/s;

/** A word or a parameter in the value of a header, in quotes or without. An `=` at the end belongs to its word. */
const ITEM = /(?:([^\s;,="']+)(?:[ \t]*=[ \t]*(?=["'])|=(?![=\s;,])))?("(?:\\.|[^"\\])*"|'[^']*'|[^\s;,]+)/gs;

const BASIC = /^basic$/i;
const BEARER = /^bearer$/i;

/** Names of parameters and cookies whose values are keys; `keyId`, `oauth_consumer_key` and `cookie_consent` name none. */
const KEY_PARAMETER =
  /(?:token|secret|pass|password|passwd|pwd|session|sid|api[_-]?key|signature|response|jwt)$|^(?:key|auth)$/i;

/** A number may have zeros before it, in an entity of HTML. There is no limit in HTML; a stream cannot wait for more. */
const ZEROS_MAX = 32;

const HIDDEN = '(secret)';

/**
 * Keys that this program gives to a server. A server may send a key back, in an answer, an error or a name: it is hidden
 * there, so that no record, error or model has it. A key is found in upper and lower case, as it is, as JSON escapes it,
 * in percent encoding, in a form, in a JSON pointer, and as an entity of HTML, also mixed, and a key that is a number as
 * JSON writes that number. Another encoding, and an encoding of an encoding, is not found.
 */
export class Secrets {
  readonly #known = new Map<string, SpelledKey>();
  /** The characters that a key can begin with, in any spelling. */
  #beginning = /(?!)/g;

  add(value: string | undefined): void {
    if (value === undefined) return;
    const found = [value, ...numbersOf(value)].filter((each) => each.length >= LENGTH_MIN && !this.#known.has(each));
    if (found.length === 0) return;
    for (const each of found) this.#known.set(each, spelledKey(each));
    const first = [...this.#known.values()].flatMap(([spellings = []]) => spellings.map(([head]) => head.charAt(0)));
    this.#beginning = new RegExp(`[${[...new Set(first)].map(escapedUnit).join('')}]`, 'gi');
  }

  /** Takes a key that the program gives. Throws `key_short` for a key that could not be hidden. */
  addKey(value: string, place: string): void {
    if (value.length < LENGTH_MIN) throw keyShort(place);
    this.add(value);
  }

  /**
   * Takes the values of headers. A header whose name says that it holds a key gives each of its words and parameters, and
   * the password of `Basic`; any other header a long value. Throws `key_short` for a key that could not be hidden.
   */
  addHeaders(headers: Iterable<readonly [name: string, value: string]>): void {
    for (const [name, value] of headers) {
      const words = wordsOf(value);
      const isKey = KEY_NAME.test(name) || words.some(({ isPair }) => isPair);
      const isShort = !words.some(isLong) || words.some((word) => word.isKey && !isLong(word));
      if (isKey && isShort) throw keyShort(`the header ${name}`);
      const all = [value, behindScheme(value), ...(isKey ? words.flatMap(({ forms }) => forms) : [])];
      for (const each of all) if (isKey || each.length >= UNNAMED_MIN) this.add(each);
    }
  }

  /** Takes those variables that hold a key by their name or their form: `production` is no key. */
  addVariables(values: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(values)) {
      if (!KEY_NAME.test(name) && !KEY_VALUE.test(value)) continue;
      const keys = wordsOf(value).filter(({ isKey }) => isKey);
      for (const each of [value, behindScheme(value), ...keys.flatMap(({ forms }) => forms)]) this.add(each);
    }
  }

  /** A text without the keys. */
  hide(text: string): string {
    return this.#hide(text, () => HIDDEN, true).shown;
  }

  /** The beginning of a longer text: without the keys, and without an end that may be the beginning of a key. */
  hideCut(text: string): string {
    return this.#hide(text, () => HIDDEN, false).shown;
  }

  /** A value without the keys, in its texts, its numbers and the names of its members. */
  hideIn(value: JsonValue): JsonValue {
    if (this.#known.size === 0) return value;
    if (typeof value === 'string') return this.hide(value);
    if (typeof value === 'number') return writingsOf(value).every((each) => this.hide(each) === each) ? value : HIDDEN;
    if (Array.isArray(value)) return value.map((each) => this.hideIn(each as JsonValue));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [this.hide(name), this.hideIn(each as JsonValue)]),
    );
  }

  /** Bytes with `*` in the place of each byte of a key. */
  cover(bytes: Uint8Array): Uint8Array {
    return this.#known.size === 0 ? bytes : bytesOf(this.#hide(textOf(bytes), stars, true).shown);
  }

  /** Hides keys in a text that comes in pieces. */
  pieces(): PieceHider<string> {
    return this.#pieces(() => HIDDEN);
  }

  /** Covers keys in bytes that come in pieces. */
  bytePieces(): PieceHider<Uint8Array<ArrayBuffer>> {
    if (this.#known.size === 0) return { push: (piece) => piece, rest: () => new Uint8Array() };
    const { push, rest } = this.#pieces(stars);
    return { push: (piece) => bytesOf(push(textOf(piece))), rest: () => bytesOf(rest()) };
  }

  #pieces(cover: (found: string) => string): PieceHider<string> {
    let waiting = '';
    return {
      push: (piece) => {
        const text = waiting + piece;
        const { shown, end } = this.#hide(text, cover, false);
        waiting = text.slice(end);
        return shown;
      },
      rest: () => this.#hide(waiting, cover, true).shown,
    };
  }

  /** The text without the keys; where more may follow, up to `end`, where a key may begin whose rest is missing. */
  #hide(
    text: string,
    cover: (found: string) => string,
    isWhole: boolean,
  ): { readonly shown: string; readonly end: number } {
    const lower = lowered(text);
    const parts: string[] = [];
    let from = 0;
    this.#beginning.lastIndex = 0;
    for (let found = this.#beginning.exec(lower); found !== null; found = this.#beginning.exec(lower)) {
      const at = found.index;
      let end = 0;
      for (const key of this.#known.values()) end = Math.max(end, endOf(lower, at, key, isWhole));
      if (end === Infinity) return { shown: parts.join('') + text.slice(from, at), end: at };
      if (end > 0) {
        parts.push(text.slice(from, at), cover(text.slice(at, end)));
        from = end;
        this.#beginning.lastIndex = end;
      }
    }
    return { shown: parts.join('') + text.slice(from), end: text.length };
  }
}

/** Hides keys in pieces. */
interface PieceHider<T> {
  /** The next piece. An end that may be the beginning of a key waits for the next piece. */
  push(piece: T): T;
  /** What still waits when all pieces have come. */
  rest(): T;
}

function stars({ length }: string): string {
  return '*'.repeat(length);
}

/** The error for a key that a server could repeat without being noticed. */
function keyShort(place: string): SallyportError {
  const what = `The key in ${place} has fewer than ${LENGTH_MIN} characters, so it could not be hidden where a server repeats it. Use a longer key.`;
  return new SallyportError('key_short', what, { place });
}

/** A word or a parameter in the value of a header. */
interface Word {
  /** What has to be long enough to be hidden. */
  readonly key: string;
  /** The texts that a server may read in it. */
  readonly forms: readonly string[];
  /** Whether its name or its place says that it is a key. */
  readonly isKey: boolean;
  readonly isPair: boolean;
}

function isLong({ key }: Word): boolean {
  return key.length >= LENGTH_MIN;
}

function behindScheme(value: string): string {
  return SCHEME.exec(value)?.[1] ?? '';
}

/** The words and the parameters of a value, without the name of a scheme. */
function wordsOf(value: string): readonly Word[] {
  const items = [...value.matchAll(ITEM)].map(([, name, text = '']) => ({ name, text: unquoted(text) }));
  return items.flatMap(({ name, text }, at): readonly Word[] => {
    if (text === '' || (at === 0 && name === undefined && SCHEME.test(value))) return [];
    const before = items[at - 1];
    const isBehind = (scheme: RegExp) => before?.name === undefined && scheme.test(before?.text ?? '');
    const both = isBehind(BASIC) ? pairIn(text) : undefined;
    if (both !== undefined) {
      // without a password the name is the key
      const [, user = '', password = ''] = /^(.*?):(.*)$/s.exec(both) ?? [];
      const key = password === '' ? user : password;
      return [{ key, forms: [text, both, key], isKey: true, isPair: true }];
    }
    const key = percentDecoded(text);
    const forms = [text, key, ...key.split(/[=:]/)];
    return [{ key, forms, isKey: isBehind(BEARER) || KEY_PARAMETER.test(name ?? ''), isPair: false }];
  });
}

function unquoted(text: string): string {
  const [, quote, inner = ''] = /^(["'])(.*)\1$/s.exec(text) ?? [];
  if (quote === undefined) return text;
  return quote === '"' ? inner.replaceAll(/\\(.)/gs, '$1') : inner;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The name and the password of `Basic`, also in base64 for URLs, without padding, and in Latin-1. */
function pairIn(encoded: string): string | undefined {
  const plain = encoded.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  const bytes = decodeBase64(plain.padEnd(Math.ceil(plain.length / 4) * 4, '='));
  const both = bytes && (decodeUtf8(bytes) ?? textOf(bytes));
  return both?.includes(':') ? both : undefined;
}

/** What servers write for a number, with all its digits and with an exponent. */
function writingsOf(value: number): readonly string[] {
  const [, sign = '', whole = '', part = '', power = ''] = /^(-?)(\d)\.?(\d*)e(.+)$/.exec(String(value)) ?? [];
  const digits = whole + part;
  const isSmall = power.startsWith('-');
  const long = isSmall ? `0.${'0'.repeat(-1 - Number(power))}${digits}` : digits.padEnd(Number(power) + 1, '0');
  return [String(value), value.toExponential(), ...(power === '' ? [] : [sign + long])];
}

/** What a key of digits becomes where a server reads it as a number. */
function numbersOf(key: string): readonly string[] {
  const value = Number(key);
  return key.trim() !== '' && Number.isFinite(value) ? writingsOf(value) : [];
}

/** The spellings of each character of a key, in lower case: between a head and a tail there may be zeros. */
type SpelledKey = readonly (readonly Spelling[])[];
type Spelling = readonly [head: string, tail?: string];

const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
const POINTERS: Readonly<Record<string, string>> = { '/': '~1', '~': '~0' };

function spelledKey(key: string): SpelledKey {
  return Array.from(key, (letter) => {
    const point = letter.codePointAt(0) ?? 0;
    const texts = new Set(spellingsOf(letter).flatMap((each) => [each, each.toLowerCase()]));
    return [...Array.from(texts, (each) => [each] as const), ['&#', `${point};`], ['&#x', `${point.toString(16)};`]];
  });
}

function spellingsOf(letter: string): readonly string[] {
  const units = Array.from({ length: letter.length }, (_, at) => letter.charCodeAt(at));
  const escaped = units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  const bytes = [...new TextEncoder().encode(letter)];
  const percent = bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const point = letter.codePointAt(0) ?? 0;
  const { [letter]: entity } = ENTITIES;
  const { [letter]: pointer } = POINTERS;
  return [
    letter,
    escaped,
    percent,
    // bytes are searched as a text of a character for each byte
    ...(point > 0x7f ? [String.fromCharCode(...bytes)] : []),
    ...('"\\/'.includes(letter) ? [`\\${letter}`] : []),
    ...(letter === ' ' ? ['+'] : []),
    ...(entity === undefined ? [] : [`&${entity};`]),
    ...(pointer === undefined ? [] : [pointer]),
  ];
}

function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** In lower case, with every character in its place: a few characters become two. */
function lowered(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * The end of a key that begins at `at`, and 0 without one. Infinity for a text that more may follow, if it ends inside of
 * what may be a key.
 */
function endOf(text: string, at: number, key: SpelledKey, isWhole: boolean): number {
  let ends: readonly number[] = [at];
  for (const spellings of key) {
    const next = new Set<number>();
    for (const end of ends)
      for (const each of spellings) {
        const found = endOfSpelling(text, end, each);
        if (found !== Infinity) next.add(found);
        else if (!isWhole) return Infinity;
      }
    next.delete(0);
    if (next.size === 0) return 0;
    ends = [...next];
  }
  return Math.max(...ends);
}

/** The end of a spelling that begins at `at`, 0 without one, and Infinity where the text ends inside of it. */
function endOfSpelling(text: string, at: number, [head, tail]: Spelling): number {
  if (!text.startsWith(head, at))
    return text.length - at < head.length && head.startsWith(text.slice(at)) ? Infinity : 0;
  let end = at + head.length;
  if (tail === undefined) return end;
  for (let zeros = 0; zeros < ZEROS_MAX && text[end] === '0'; zeros++) end++;
  return endOfSpelling(text, end, [tail]);
}

/** A character for each byte. */
function textOf(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 8192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return parts.join('');
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}
