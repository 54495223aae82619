import { decodeUtf8 } from '../../core/json/utf8.ts';
import { isObject, type JsonValue } from '../../core/json/value.ts';
import { decodeBase64 } from '../../core/ledger/base64.ts';
import { SallyportError } from '../../core/sallyport-error.ts';

/** Shorter values are too common: they cannot be told from other text in an answer. */
const LENGTH_MIN = 8;

/** A value whose name does not say that it is a key; shorter ones are versions, languages and numbers. */
const UNNAMED_MIN = 12;

/** Names of headers and variables that hold keys. */
const KEY_NAME = /key|token|secret|pass|pwd|cred|auth|cookie|session|private|signature/i;

/** Values that are keys by their form: an address with a password, or a long word of digits and letters. */
const KEY_VALUE = /:\/\/[^/\s]*:[^/\s]*@|^(?=[^\s]*\d)(?=[^\s]*[a-zA-Z])[\w+=.-]{24,}$/;

/** A key behind the name of its scheme. */
const SCHEME = /^([A-Za-z][\w-]*) +(\S.*)$/;

const HIDDEN = '(secret)';

/**
 * Keys that this program gives to a server. A server may send a key back, in an answer, an error or a name: it is hidden
 * there, so that no record, error or model has it. A key is found in upper and lower case, as it is, as JSON escapes it,
 * in percent encoding, in a form, in a JSON pointer, and as an entity of HTML, also mixed. Another encoding, and an
 * encoding of an encoding, is not found.
 */
export class Secrets {
  readonly #known = new Map<string, SpelledKey>();
  /** The characters that a key can begin with, in any spelling. */
  #beginning = /(?!)/g;

  add(value: string | undefined): void {
    if (value === undefined || value.length < LENGTH_MIN || this.#known.has(value)) return;
    this.#known.set(value, spelledKey(value));
    const first = [...this.#known.values()].flatMap(([spellings = []]) => spellings.map((each) => each.charAt(0)));
    this.#beginning = new RegExp(`[${[...new Set(first)].map(escapedUnit).join('')}]`, 'gi');
  }

  /** Takes a key that the program gives. Throws `key_short` for a key that could not be hidden. */
  addKey(value: string, place: string): void {
    if (value.length < LENGTH_MIN) throw keyShort(place);
    this.add(value);
  }

  /**
   * Takes the values of headers. A header whose name says that it holds a key gives each of its words, and the password
   * of `Basic`; any other header a long value. Throws `key_short` for a key that could not be hidden.
   */
  addHeaders(headers: Iterable<readonly [name: string, value: string]>): void {
    for (const [name, value] of headers) {
      const [, scheme = '', behind = ''] = SCHEME.exec(value) ?? [];
      const isKey = KEY_NAME.test(name);
      const words = [value, behind, ...(isKey ? value.split(/[\s;,=]+/) : [])];
      if (isKey && Math.max(...value.split(/[\s;,]+/).map(({ length }) => length)) < LENGTH_MIN)
        throw keyShort(`the header ${name}`);
      for (const each of words) if (isKey || each.length >= UNNAMED_MIN) this.add(each);
      if (/^basic$/i.test(scheme)) this.#addBasic(behind);
    }
  }

  #addBasic(encoded: string): void {
    const bytes = decodeBase64(encoded);
    const both = bytes && decodeUtf8(bytes);
    this.add(both);
    this.add(both?.slice(both.indexOf(':') + 1));
  }

  /** Takes those variables that hold a key by their name or their form: `production` is no key. */
  addVariables(values: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(values)) {
      if (!KEY_NAME.test(name) && !KEY_VALUE.test(value)) continue;
      this.add(value);
      this.add(SCHEME.exec(value)?.[2]);
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

  /** A value without the keys, in its texts and in the names of its members. */
  hideIn(value: JsonValue): JsonValue {
    if (this.#known.size === 0) return value;
    if (typeof value === 'string') return this.hide(value);
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
export interface PieceHider<T> {
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

/** The spellings of each character of a key, in lower case. */
type SpelledKey = readonly (readonly string[])[];

const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
const POINTERS: Readonly<Record<string, string>> = { '/': '~1', '~': '~0' };

function spelledKey(key: string): SpelledKey {
  return Array.from(key, (letter) => [...new Set(spellingsOf(letter).flatMap((each) => [each, each.toLowerCase()]))]);
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
    `&#${point};`,
    `&#x${point.toString(16)};`,
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
        if (text.startsWith(each, end)) next.add(end + each.length);
        else if (!isWhole && text.length - end < each.length && each.startsWith(text.slice(end))) return Infinity;
      }
    if (next.size === 0) return 0;
    ends = [...next];
  }
  return Math.max(...ends);
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
