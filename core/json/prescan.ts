/**
 * Result of a single pass over a text that may or may not be JSON, before any parser touches it. The pass counts depth
 * and values, which must be bounded first, and notes whether the text needs a second, exact walk. It never judges
 * grammar.
 */
export interface Prescan {
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
