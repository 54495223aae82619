import { isHash } from '../hash.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { BYTES, demand, OBJECT } from '../option.ts';
import type { PayloadRef } from './payload-ref.ts';

/** Length of a salt: 256 random bits as 64 lower-case hex digits, so that a text with its salt is a text. */
export const SALT_BYTES = 64;

/** The payload as it was before its salt was put in front of it. `bytes` are the stored bytes of the reference. */
export function unsalted(ref: Pick<PayloadRef, 'salt'>, bytes: Uint8Array): Uint8Array {
  demand('ref', ref, OBJECT);
  demand('bytes', bytes, BYTES);
  const { salt } = ref;
  return salt === undefined ? bytes : bytes.subarray(salt);
}

/**
 * The salt in front of the stored bytes; undefined where the reference names no salt, or the bytes do not begin with a
 * salt.
 */
export function saltIn({ salt }: Pick<PayloadRef, 'salt'>, bytes: Uint8Array | undefined): string | undefined {
  const text = salt === undefined || bytes === undefined ? undefined : decodeUtf8(bytes.subarray(0, salt));
  return isHash(text) ? text : undefined;
}

/** Length of the payload without its salt. */
export function lengthOf({ bytes, salt }: PayloadRef): number {
  return bytes - (salt ?? 0);
}
