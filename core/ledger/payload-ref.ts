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
  /** Only the first bytes were kept: the proposal was over the size limit. */
  readonly kept?: number;
}
