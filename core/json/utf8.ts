/** Bytes to text and back, without loss and without repair. */

import { BYTES, demand, STRING } from '../option.ts';

const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const repairing = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
const encoder = new TextEncoder();

/** Decodes UTF-8, a byte order mark included; `undefined` where a byte is invalid. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  demand('bytes', bytes, BYTES);
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Decodes a stranger's file for a check. A wrong byte becomes half a surrogate pair, which no canonical line has, so its
 * line stays malformed. A decoder alone writes U+FFFD there, and the check would pass over bytes that nobody hashed.
 */
export function decodeForCheck(bytes: Uint8Array): string {
  return decodeUtf8(bytes) ?? repairing.decode(bytes).replaceAll('\ufffd', '\ud800');
}

/**
 * Encodes text as UTF-8. Half a surrogate pair, which UTF-8 cannot say, becomes its three generalized bytes (WTF-8): no
 * information is lost, and `decode` refuses them like any other bytes that are not UTF-8. The platform's encoder alone
 * would write U+FFFD, and the log would hold a text that the model never wrote.
 */
export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  demand('text', text, STRING);
  if (text.isWellFormed()) return encodeWellFormed(text);
  const parts: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff) parts.push(0xed, 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
    else parts.push(...encoder.encode(character));
  }
  return Uint8Array.from(parts);
}

/** The same for text that is known to be well-formed, as all canonical text is. */
export function encodeWellFormed(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/**
 * As `encodeText`, for long texts that are used once. A browser's encoder copies the text and keeps the copy until
 * memory is collected; ASCII, as most of these texts are, is encoded without it.
 */
export function encodeOnce(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  return putAscii(text, bytes) ? bytes : encodeText(text);
}

/** Writes a text into bytes that have room for it. False if the text is not ASCII; part of it may then be written. */
export function putAscii(text: string, bytes: Uint8Array): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return false;
    bytes[at] = unit;
  }
  return true;
}

/** The parts behind each other, in bytes of their own. A stranger may send a million parts. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Number of bytes that `encodeText` makes of the text. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // a whole pair is two units and four bytes
    const pair = unit >= 0xd800 && unit <= 0xdbff && isLow(text.charCodeAt(at + 1));
    if (pair) at++;
    bytes += unit < 0x800 ? 1 : 2;
  }
  return bytes;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Offset of the first byte that cannot stand in UTF-8 (RFC 3629, table 3-7 of Unicode); the length where all can. */
export function firstInvalid(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const size = sequenceAt(bytes, at);
    if (size === 0) return at;
    at += size;
  }
  return at;
}

function sequenceAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const second = bytes[at + 1] ?? 0;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let next = 2; next < size; next++) if (((bytes[at + next] ?? 0) & 0xc0) !== 0x80) return 0;
  return size;
}
