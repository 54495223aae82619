import { LATE, within } from '../../async.ts';
import { endpointFailure } from './failure.ts';

/** Bounds on the silence of a server. Each ends the request as a failure that may pass: the run waits. */
export interface Patience {
  /**
   * ms until the first byte of an answer, and ms in which at least a piece of the answer must come: heartbeats alone are
   * none. 10 minutes unless given: a server on this device may load its model first.
   */
  readonly waitMs?: number;
  /** ms between two pieces of an answer, heartbeats included. 60 seconds unless given. */
  readonly silenceMs?: number;
}

export const PATIENCE: Required<Patience> = { waitMs: 600_000, silenceMs: 60_000 };

/** ms behind a finish reason in which a server still tells its usage and ends the stream. The answer is whole then. */
const ENDING_MS = 2000;

/** An answer that is being read. */
export interface OpenAnswer {
  /** Grows with each piece of the answer, reasoning included: heartbeats are no progress. */
  readonly progress: number;
  /** The model has given its finish reason. */
  readonly finished: boolean;
  /** The server's own words about an answer that did not finish. */
  said(): { readonly said?: string };
}

/**
 * Passes pieces on until `take` returns true, or the finish reason is some seconds old. Closes the connection in every
 * case. False: the answer did not end by itself. Throws `model_failed` for silence, and for a connection that breaks.
 */
export async function readPieces<T>(
  reader: ReadableStreamDefaultReader<T>,
  answer: OpenAnswer,
  { waitMs = PATIENCE.waitMs, silenceMs = PATIENCE.silenceMs }: Patience,
  take: (piece: T) => boolean,
): Promise<boolean> {
  let isBegun = false;
  let since = performance.now();
  let known = answer.progress;
  try {
    for (;;) {
      const left = since + (answer.finished ? ENDING_MS : waitMs) - performance.now();
      const isSilent = !answer.finished && isBegun && silenceMs < left;
      const piece =
        left <= 0
          ? LATE
          : await within(reader.read(), isSilent ? silenceMs : left).catch((error: unknown) => cutOff(error, answer));
      if (piece === LATE && answer.finished) return false;
      if (piece === LATE) {
        const told = { seconds: (isSilent ? silenceMs : waitMs) / 1000, ...answer.said() };
        throw endpointFailure(isBegun ? 'silent' : 'timeout', told);
      }
      if (piece.done) return true;
      isBegun = true;
      if (take(piece.value)) return false;
      if (known !== answer.progress) since = performance.now();
      known = answer.progress;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** An abort of the caller passes unchanged; any other error is a fault of the connection. */
function cutOff(error: unknown, answer: OpenAnswer): never {
  throw error instanceof DOMException && error.name === 'AbortError'
    ? error
    : endpointFailure('cut_off', answer.said());
}
