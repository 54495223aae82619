import { concatBytes } from '../../../core/json/utf8.ts';

/** A line that was longer than its limit, and was dropped to its end. */
export interface DroppedLine {
  readonly bytes: number;
  /** First bytes of the line. */
  readonly head: Uint8Array;
  /** Last bytes of the line. */
  readonly tail: Uint8Array;
}

interface LineReader {
  /** Each complete line without its line feed. */
  readonly line: (bytes: Uint8Array) => void;
  readonly dropped: (line: DroppedLine) => void;
}

interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** Hands over the last line, which has no line feed. */
  end(): void;
}

const LINE_FEED = 0x0a;

/** Bytes that are kept of either end of a dropped line. */
const EDGE = 4096;

/**
 * Splits chunks of bytes into lines. Memory is bounded by `bytesMax` and the largest chunk: a longer line is dropped to
 * its end and reported. Time is linear in the bytes, for any division into chunks.
 */
export function makeLineSplitter(bytesMax: number, { line, dropped }: LineReader): LineSplitter {
  let parts: Uint8Array[] = [];
  let length = 0;
  let head: Uint8Array | undefined;

  const add = (part: Uint8Array): void => {
    length += part.byteLength;
    parts.push(part.slice());
    if (length <= bytesMax && head === undefined) return;
    const kept = concatBytes(parts);
    head ??= kept.slice(0, EDGE);
    parts = [kept.slice(-EDGE)];
  };

  const finish = (): void => {
    const whole = concatBytes(parts);
    const found = head;
    const bytes = length;
    parts = [];
    length = 0;
    head = undefined;
    if (found !== undefined) dropped({ bytes, head: found, tail: whole });
    else line(whole);
  };

  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
        add(chunk.subarray(from, at));
        finish();
        from = at + 1;
      }
      if (from < chunk.byteLength) add(chunk.subarray(from));
    },
    end() {
      if (length > 0) finish();
    },
  };
}
