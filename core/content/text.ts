import { refuse } from '../errors.ts';
import { sectionHash } from '../hash.ts';
import { decodeUtf8, firstInvalid } from '../json/utf8.ts';
import { BYTES, demand } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';

/**
 * The text of a file: UTF-8 decoded without repair, a byte order mark kept, CRLF and lone CR made LF. Every count,
 * slice and hash is of this text; only LF ends a line. Refuses with `content_utf8`.
 */
export function normalizeText(bytes: Uint8Array): Outcome<string> {
  demand('bytes', bytes, BYTES);
  const text = decodeUtf8(bytes);
  if (text === undefined) return refuse('content_utf8', { offset: firstInvalid(bytes) });
  return pass(withLineFeeds(text));
}

/** Catalytic Chat Contract, Section: normalised line endings. */
export function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** SHA-256 of normalised text, its LFs included: 64 lower-case hex digits. */
export function contentHash(text: string): string {
  return sectionHash(text);
}

/** Lines of the text: a final LF ends the last line and begins no line. */
export function lineCount(text: string): number {
  let lines = 0;
  for (let at = 0; at < text.length; lines++) at = lineEnd(text, at);
  return lines;
}

/** Offset behind the line that begins at `start`, its LF included. */
export function lineEnd(text: string, start: number): number {
  const found = text.indexOf('\n', start);
  return found < 0 ? text.length : found + 1;
}

/** Sorts texts in the order of their UTF-8 bytes. Up to U+FFFF the order of UTF-16 is the same, and far faster. */
export function sortTexts(texts: readonly string[]): readonly string[] {
  return texts.some((text) => SURROGATE.test(text)) ? texts.toSorted(compareText) : texts.toSorted();
}

const SURROGATE = /[\ud800-\udfff]/;

/** By code point, which is the order of the UTF-8 bytes; `<` compares UTF-16 units, and differs beyond U+FFFF. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === length) return a.length - b.length;
  const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
  return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
