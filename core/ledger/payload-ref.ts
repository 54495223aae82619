import { isHash } from '../hash.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { BYTES, demand, OBJECT } from '../option.ts';

/**
 * Reference to a payload beside the log, addressed by content: proposals, arguments, results, texts. A body names it
 * and never holds it, so a payload can be erased while every hash stays verifiable.
 */
export interface PayloadRef {
  /** Over all that is stored, the salt included. */
  readonly sha256: string;
  /** Length of all that is stored, the salt included. */
  readonly bytes: number;
  /**
   * A payload of a secret step: this number of bytes of random salt stands before the payload, and leaves this device
   * only with it. Without the salt the payload cannot be guessed from its hash.
   */
  readonly salt?: 64;
  /** Only the first bytes were kept: the proposal was over the size limit. 0: an answer of a tool was over its own. */
  readonly kept?: number;
}

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
