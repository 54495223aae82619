import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { add, addText, begin, endBytes, endHex } from './sha256.ts';

/**
 * What a structured hash is of. Each purpose hashes under its own prefix, so that a text that is valid for two
 * purposes never has one hash for both. Payloads and content are hashed plain: outside tools must agree with us.
 */
export type HashPurpose =
  | 'approval'
  | 'body'
  | 'capability'
  | 'checkpoint'
  | 'grant'
  | 'limits'
  | 'policy'
  | 'power'
  | 'record'
  | 'registry'
  | 'schema'
  | 'step';

/** SHA-256 of the bytes. Whole files over 4 KB go through `crypto.subtle` in workers, which has the processor's help. */
export function sha256(bytes: Uint8Array): Uint8Array {
  begin();
  add(bytes);
  return endBytes();
}

/** SHA-256 of a payload or of content, 64 lower-case hex digits. */
export function sha256Hex(bytes: Uint8Array): string {
  begin();
  add(bytes);
  return endHex();
}

/** SHA-256 of the text's UTF-8. The text is well-formed: a lone surrogate would hash as U+FFFD. */
export function sha256Text(text: string): string {
  begin();
  addText(text);
  return endHex();
}

/** Hash of one of our own structures: SHA-256 of `sallyport/<purpose>/1`, LF, and its canonical JSON. */
export function structureHash(purpose: HashPurpose, canonical: string): string {
  begin();
  addText(`sallyport/${purpose}/1\n`);
  addText(canonical);
  return endHex();
}

const HASH = /^[0-9a-f]{64}$/;

/** True for 64 lower-case hex digits: the one spelling of a hash. */
export function isHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value);
}

/** The 32 bytes behind a hash's hex. */
export function hashBytes(hex: string): Uint8Array {
  return hexToBytes(hex);
}

/** Bytes as lower-case hex digits. */
export function hashText(bytes: Uint8Array): string {
  return bytesToHex(bytes);
}

const LEAF = Uint8Array.of(0);
const INNER = Uint8Array.of(1);

/** RFC 6962 2.1: the hash of a leaf of the log's tree. */
export function hashLeaf(leaf: Uint8Array): Uint8Array {
  begin();
  add(LEAF);
  add(leaf);
  return endBytes();
}

/** RFC 6962 2.1: the hash of an inner node. */
export function hashInner(left: Uint8Array, right: Uint8Array): Uint8Array {
  begin();
  add(INNER);
  add(left);
  add(right);
  return endBytes();
}
