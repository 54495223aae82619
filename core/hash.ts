import { assert } from './assert.ts';
import { putAscii } from './json/utf8.ts';
import { BYTES, demand, STRING } from './option.ts';
import { Sha256 } from './sha256.ts';

/**
 * Purpose of a structured hash. Each purpose has its own prefix, so that a text that is valid for two purposes has two
 * different hashes. Payloads and content are hashed plain, so that outside tools compute the same hash.
 */
export type HashPurpose =
  | 'approval'
  | 'body'
  | 'capability'
  | 'checkpoint'
  | 'grant'
  | 'instead'
  | 'limits'
  | 'policy'
  | 'power'
  | 'record'
  | 'registry'
  | 'revert'
  | 'salt'
  | 'schema'
  | 'step'
  | 'undo';

const utf8 = new TextEncoder();
/** A step hashes a dozen short texts; allocating bytes and hasher for each would cost a third of the hashing. */
const scratch = new Uint8Array(16_384);
const fresh = new Sha256();
const hasher = new Sha256();

function anew(): Sha256 {
  return fresh._cloneInto(hasher);
}

/** SHA-256 of bytes, as 64 lower-case hex digits. */
export type HashHex = (bytes: Uint8Array) => string;

/** SHA-256 of many messages that do not depend on each other, so that a host may hash several of them side by side. */
export interface BatchHash {
  /** Hashes of the UTF-8 of prefix and text, in the order of the texts, each as 64 lower-case hex digits. */
  texts(prefix: string, texts: readonly string[]): readonly string[];
  /** Hashes of the prefix byte before each part of `size` bytes: 32 bytes for each part, in their order. */
  parts(prefix: number, bytes: Uint8Array, size: number): Uint8Array;
}

/** Undefined where the host gave no function: then our own loop hashes. */
let platform: HashHex | undefined;
let batch: BatchHash | undefined;

/**
 * Hashes with the host's functions from now on: `crypto.hash` of Node and WebAssembly are faster than a loop in
 * JavaScript. Throws for a function whose hash of `abc` is not the one of FIPS 180-4. Sections keep our own loop, unless
 * their caller passes another function.
 */
export function useSha256(hash: HashHex | undefined, many?: BatchHash): void {
  assert(hash === undefined || hash(utf8.encode('abc')) === ABC, 'a function that computes SHA-256');
  [platform, batch] = [hash, many];
}

const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

function hexOf(bytes: Uint8Array): string {
  return platform === undefined ? ownHex(bytes) : platform(bytes);
}

function digestOf(bytes: Uint8Array): Uint8Array {
  return platform === undefined ? anew().update(bytes).digest() : hashBytes(platform(bytes));
}

function ownHex(bytes: Uint8Array): string {
  return hashHex(anew().update(bytes).digest());
}

/** SHA-256 of the bytes. Whole files over 4 KB go through `crypto.subtle` in workers. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return digestOf(bytes);
}

/** SHA-256 of a payload or of content, 64 lower-case hex digits. */
export function sha256Hex(bytes: Uint8Array): string {
  demand('bytes', bytes, BYTES);
  return hexOf(bytes);
}

/** SHA-256 of the text's UTF-8. The text is well-formed: a lone surrogate would hash as U+FFFD. */
export function sha256Text(text: string): string {
  demand('text', text, STRING);
  return hexOf(encoded(text));
}

/** `sha256Text` of prefix and text, for each text. For many texts whose hashes do not depend on each other. */
export function sha256Texts(prefix: string, texts: readonly string[]): readonly string[] {
  return batch === undefined ? texts.map((text) => hexOf(encoded(prefix + text))) : batch.texts(prefix, texts);
}

/** SHA-256 of a section's text or of its place. It is computed by our own loop on every host. */
export function sectionHash(text: string): string {
  demand('text', text, STRING);
  return ownHex(encoded(text));
}

/** A hash of consecutive texts. */
export interface TextHash {
  add(text: string): void;
  /** 64 lower-case hex digits. To be called once, after the last text. */
  end(): string;
}

/**
 * SHA-256 of consecutive texts, for content that is too large for a single string. A surrogate pair must not be cut
 * between two texts.
 */
export function hashTexts(): TextHash {
  const whole = new Sha256();
  return { add: (text) => void whole.update(ascii(text) ?? encoded(text)), end: () => hashHex(whole.digest()) };
}

/** The same for much text that is used once, without the browser, which would keep a copy of it for long. */
function ascii(text: string): Uint8Array | undefined {
  return text.length <= scratch.length && putAscii(text, scratch) ? scratch.subarray(0, text.length) : undefined;
}

/** The text's UTF-8, good until the next call. A UTF-16 unit takes at most three bytes. */
function encoded(text: string): Uint8Array {
  if (text.length * 3 > scratch.length) return utf8.encode(text);
  return scratch.subarray(0, utf8.encodeInto(text, scratch).written);
}

/** Hash of a structure of the runtime: SHA-256 of `sallyport/<purpose>/1`, LF, and its canonical JSON. */
export function structureHash(purpose: HashPurpose, canonical: string): string {
  return sha256Text(`sallyport/${purpose}/1\n${canonical}`);
}

/** `structureHash` of each canonical JSON, in order. */
export function structureHashes(purpose: HashPurpose, canonicals: readonly string[]): readonly string[] {
  return sha256Texts(`sallyport/${purpose}/1\n`, canonicals);
}

const DIGITS: readonly number[] = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
/** Value of each ASCII character as a digit; -1 for a character that is not a digit. */
const VALUES: Int8Array = Int8Array.from({ length: 128 }, (_, code) => DIGITS.indexOf(code));

function valueAt(text: string, at: number): number {
  return VALUES[text.charCodeAt(at)] ?? -1;
}

/**
 * True for 64 lower-case hex digits, the only spelling of a hash. A table is three times as fast as a pattern: a record
 * has about ten hashes, and this check took a tenth of its verification.
 */
export function isHash(value: unknown): value is string {
  if (typeof value !== 'string' || value.length !== 64) return false;
  for (let at = 0; at < 64; at++) if (valueAt(value, at) < 0) return false;
  return true;
}

/** The bytes behind lower-case hex digits. */
export function hashBytes(hex: string): Uint8Array {
  assert(hex.length % 2 === 0, 'hex digits in pairs');
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    const byte = (valueAt(hex, 2 * at) << 4) | valueAt(hex, 2 * at + 1);
    assert(byte >= 0, 'lower-case hex digits');
    bytes[at] = byte;
  }
  return bytes;
}

/** Bytes as lower-case hex digits. */
export function hashText(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += String.fromCharCode(DIGITS[byte >> 4] as number, DIGITS[byte & 15] as number);
  return hex;
}

const codes: number[] = Array.from({ length: 64 }, () => 0);

/** A hash's 64 digits, made in a single piece: concatenation would keep each hash as a tree of 64 strings. */
function hashHex(hash: Uint8Array): string {
  for (let at = 0; at < 32; at++) {
    const byte = hash[at] as number;
    codes[2 * at] = DIGITS[byte >> 4] as number;
    codes[2 * at + 1] = DIGITS[byte & 15] as number;
  }
  return String.fromCharCode(...codes);
}

const LEAF = 0;
const INNER = 1;

/** RFC 6962 2.1: the hash of a leaf of the log's tree. */
export function hashLeaf(leaf: Uint8Array): Uint8Array {
  return digestOf(node(LEAF, leaf, NONE));
}

/** RFC 6962 2.1: the hash of an inner node. */
export function hashInner(left: Uint8Array, right: Uint8Array): Uint8Array {
  return digestOf(node(INNER, left, right));
}

/** `hashLeaf` of each 32 bytes, in order. */
export function hashLeaves(leaves: Uint8Array): Uint8Array {
  return hashParts(LEAF, leaves, 32);
}

/** `hashInner` of each two neighbours of 32 bytes, in order. */
export function hashPairs(nodes: Uint8Array): Uint8Array {
  return hashParts(INNER, nodes, 64);
}

function hashParts(prefix: number, bytes: Uint8Array, size: number): Uint8Array {
  if (batch !== undefined) return batch.parts(prefix, bytes, size);
  const hashes = new Uint8Array((bytes.length / size) * 32);
  for (let at = 0; at * size < bytes.length; at++)
    hashes.set(digestOf(node(prefix, bytes.subarray(at * size, (at + 1) * size), NONE)), at * 32);
  return hashes;
}

const NONE = new Uint8Array();

/** The bytes that are hashed for a node, good until the next call. */
function node(prefix: number, left: Uint8Array, right: Uint8Array): Uint8Array {
  const length = 1 + left.length + right.length;
  const bytes = length > scratch.length ? new Uint8Array(length) : scratch.subarray(0, length);
  bytes[0] = prefix;
  bytes.set(left, 1);
  bytes.set(right, 1 + left.length);
  return bytes;
}
