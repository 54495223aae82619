/**
 * One pass over a text that may or may not be JSON, before any parser touches it. It counts what must be bounded
 * first (depth, values) and notes whether anything needs a second, exact look; it never judges grammar.
 */
export interface Survey {
  /** Deepest nesting of brackets outside strings; counting stops one past the limit. */
  readonly depth: number;
  /** Values, the top one included; exact for JSON. */
  readonly nodes: number;
  /** Colons outside strings: in JSON, the number of members written. */
  readonly members: number;
  /** A number literal that may not survive as a double, or an escaped surrogate. */
  readonly suspicious: boolean;
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;

export function survey(text: string, depthMax: number): Survey {
  let depth = 0;
  let deepest = 0;
  let nodes = 1;
  let members = 0;
  let suspicious = false;
  const strings: Strings = { text, escape: indexFrom(text, '\\', 0), surrogate: false };
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === QUOTE) at = closingQuote(strings, at + 1);
    else if (c === COMMA) nodes++;
    else if (c === COLON) members++;
    else if (c === 123 || c === 91) {
      depth++;
      if (depth > deepest) deepest = depth;
      if (deepest > depthMax) break;
      if (!closesNext(text, at + 1)) nodes++;
    } else if (c === 125 || c === 93) depth--;
    else if (c === 45 || (c >= 48 && c <= 57)) {
      const close = numberEnd(text, at);
      if (close - at > 15 || hasExponent(text, at, close)) suspicious = true;
      at = close - 1;
    }
  }
  return { depth: deepest, nodes, members, suspicious: suspicious || strings.surrogate };
}

/** The way through the text's strings: the platform's search, many times faster than any loop, goes over it once. */
interface Strings {
  readonly text: string;
  /** The first backslash that no string has passed yet, or the text's end. */
  escape: number;
  /** An escaped surrogate was passed. */
  surrogate: boolean;
}

/** Index of the quote that ends the string begun before `from`, or the text's end. */
function closingQuote(strings: Strings, from: number): number {
  const { text } = strings;
  let quote = indexFrom(text, '"', from);
  while (strings.escape < quote) {
    const after = strings.escape + 2;
    if (text.charCodeAt(after - 1) === 117 && (text.charCodeAt(after) | 32) === 100) strings.surrogate = true;
    strings.escape = text.charCodeAt(after) === BACKSLASH ? after : indexFrom(text, '\\', after);
    if (after > quote) quote = indexFrom(text, '"', after);
  }
  return quote;
}

function indexFrom(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from);
  return at < 0 ? text.length : at;
}

function closesNext(text: string, from: number): boolean {
  let at = from;
  let c = text.charCodeAt(at);
  while (c === 32 || c === 10 || c === 13 || c === 9) c = text.charCodeAt(++at);
  return c === 125 || c === 93;
}

/** End of the run of characters that number literals are made of. */
function numberEnd(text: string, from: number): number {
  let at = from + 1;
  for (; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if ((c < 48 || c > 57) && c !== 46 && c !== 43 && c !== 45 && c !== 69 && c !== 101) break;
  }
  return at;
}

function hasExponent(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if ((text.charCodeAt(at) | 32) === 101) return true;
  return false;
}
